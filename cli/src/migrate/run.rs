//! A whole text: its documents, the edits of all of them, the check of the result, and what is left over.

use super::difference::Change;
use super::edit::{self, Edit};
use super::mentions::{Mention, mentions, shares_of};
use super::object::{Surroundings, decide, owned};
use super::objects::{Found, Role, find};
use super::report::{Changed, DocumentReport, Finding, Outcome, Rule, Severity};
use super::residue::{LAST_APPLIED, classify, elsewhere};
use super::source::{Form, Parsed, Source, likely_form, parse};
use super::step::{Mend, Settings};
use super::verify::Expected;
use k8s_flowcontrol::GROUP;
use k8s_flowcontrol_text::{Node, Span, to_value};
use serde_json::Value;
use std::path::Path;

/// Takes a text, read from `path`, to the wanted version.
pub(crate) fn migrate(text: &str, path: &Path, settings: Settings) -> Outcome {
    let source = Source::new(text);
    let likely = likely_form(path);
    let mut run = Run::new(&source, likely, settings, 0);
    let is_refused = run.outcome.worst() == Some(Severity::Error);
    if !(run.edits.is_empty() || is_refused) {
        let mark = &text[..source.mark];
        run.outcome.text = Some(format!("{mark}{}", edit::apply(source.text, &run.edits)));
    }
    let outcome = &mut run.outcome;
    outcome.findings.sort_by_key(|finding| finding.offset);
    // Places count in the file, not behind its byte order mark.
    let changes = outcome.documents.iter_mut().flat_map(|document| {
        document.offset += source.mark;
        document.changes.iter_mut()
    });
    changes.for_each(|change| change.offset += source.mark);
    let findings = outcome.findings.iter_mut();
    findings.for_each(|finding| finding.offset += source.mark);
    run.outcome
}

/// A text on its way.
pub(super) struct Run<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) settings: Settings,
    pub(super) depth: usize,
    pub(super) outcome: Outcome,
    /// In order, and checked.
    pub(super) edits: Vec<Edit>,
}

/// What is to be done in a document.
pub(super) struct Work {
    /// The reports of its objects, as indexes.
    pub(super) reports: Vec<usize>,
    pub(super) changes: Vec<Change>,
    pub(super) expected: Expected,
    /// What the document says now.
    pub(super) original: Value,
    /// Whether the shares get another name somewhere in it.
    pub(super) renames: bool,
    pub(super) end: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        source: &'a Source<'a>,
        likely: Form,
        settings: Settings,
        depth: usize,
    ) -> Self {
        let mut run = Self {
            source,
            settings,
            depth,
            outcome: Outcome::default(),
            edits: Vec::new(),
        };
        match parse(source.text, likely) {
            Ok(parsed) => run.documents(&parsed),
            Err(error) => run.unreadable(likely, &error.to_string(), error.offset()),
        }
        run
    }

    fn unreadable(&mut self, likely: Form, error: &str, offset: usize) {
        let mentions = mentions(self.source.text, self.settings.to);
        let is_template = likely == Form::Template || self.source.text.contains("{{");
        if mentions.is_empty() {
            let message = format!("this file was not looked into: {error}");
            let finding = Finding::new(Severity::Note, Rule::NotChecked, offset, message);
            self.outcome.findings.push(finding);
        } else if is_template {
            let why = "this template can only be read once it is rendered";
            let findings = elsewhere(&mentions, why, Severity::Manual, Rule::Template);
            self.outcome.findings.extend(findings);
        } else {
            let finding = Finding::new(Severity::Error, Rule::Unreadable, offset, error)
                .help("mend the file: a server could not read it either");
            self.outcome.findings.push(finding);
        }
    }

    fn documents(&mut self, parsed: &Parsed) {
        let asks_cluster = parsed
            .actions
            .iter()
            .any(|action| self.source.slice(action.span).contains(GROUP));
        let mut places = Vec::new();
        let mut work = Vec::new();
        for (index, document) in parsed.documents.iter().enumerate() {
            let root = document.tree.root();
            let next = parsed.documents.get(index + 1);
            let end = next.map_or(self.source.text.len(), |next| next.span.start);
            let original = match to_value(root) {
                Ok(value) => value,
                Err(error) => {
                    let offset = document.span.start;
                    let finding = Finding::new(Severity::Error, Rule::Unreadable, offset, error);
                    self.outcome.findings.push(finding);
                    return;
                }
            };
            let around = Surroundings {
                source: self.source,
                form: parsed.form,
                actions: &parsed.actions,
                document,
                end,
                settings: self.settings,
                asks_cluster,
            };
            work.push(self.document(around, root, original, &mut places));
        }
        self.settle(parsed, work);
        places.extend(self.edits.iter().map(|edit| edit.span));
        places.sort_by_key(|place| place.start);
        let rest: Vec<Mention> = mentions(self.source.text, self.settings.to)
            .into_iter()
            .filter(|mention| !mention.is_within(&places))
            .collect();
        let findings = classify(self.source, parsed, &rest, self.settings.to);
        self.outcome.findings.extend(findings);
    }

    fn document(
        &mut self,
        around: Surroundings<'_>,
        root: Node<'_>,
        original: Value,
        places: &mut Vec<Span>,
    ) -> Work {
        let found = find(root);
        let mut work = Work {
            reports: Vec::new(),
            changes: Vec::new(),
            expected: Expected {
                offset: root.span().start,
                value: original.clone(),
                objects: found.iter().map(|found| found.pointer.clone()).collect(),
            },
            original,
            renames: false,
            end: around.end,
        };
        if found.is_empty() {
            self.outcome.passed_over += 1;
        }
        for object in &found {
            self.object(around, object, &mut work, places);
        }
        if !found.iter().any(|found| found.pointer.is_empty()) {
            self.others(around, root, &mut work, places);
        }
        work
    }

    fn object(
        &mut self,
        around: Surroundings<'_>,
        found: &Found<'_>,
        work: &mut Work,
        places: &mut Vec<Span>,
    ) {
        let Some(before) = work.original.pointer(&found.pointer).cloned() else {
            return;
        };
        let decision = decide(around, found, &before);
        if decision.report.is_some() {
            places.extend(owned(found.node));
        } else if let Some(version) = found.node.get("apiVersion") {
            places.push(version.span());
        }
        self.outcome.findings.extend(decision.findings);
        let mut changes = decision.changes;
        if let (Some(after), Some(place)) = (
            decision.after,
            work.expected.value.pointer_mut(&found.pointer),
        ) {
            match (found.role, place.as_object_mut(), after) {
                // The items of a list are objects of their own.
                (Role::List(_), Some(list), Value::Object(after)) => list.extend(after),
                (_, _, after) => *place = after,
            }
        }
        if let Role::Object(_, version) = found.role {
            work.renames |= shares_of(version) != shares_of(self.settings.to);
        }
        let annotation = format!(
            "{}/metadata/annotations/{}",
            found.pointer,
            LAST_APPLIED.replace('/', "~1")
        );
        let node = ["metadata", "annotations", LAST_APPLIED]
            .iter()
            .try_fold(found.node, |node, name| node.get(name));
        if let Some(node) = node {
            // What was applied has the losses that the object has, which says them.
            let settings = Settings {
                allow_loss: true,
                mend: self.settings.mend.or(Some(Mend::Live)),
                ..self.settings
            };
            changes.extend(
                self.embedded(around, node, &annotation, settings, work)
                    .map(|(change, _)| change),
            );
        }
        if let Some(mut report) = decision.report {
            report.changes = changes.iter().map(Changed::from).collect();
            work.reports.push(self.outcome.documents.len());
            self.outcome.documents.push(report);
        } else if !changes.is_empty() {
            // A list of objects changes its own version.
            let report = DocumentReport {
                offset: found.node.span().start,
                kind: found
                    .node
                    .get("kind")
                    .and_then(Node::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                name: None,
                from: found.api_version.map(str::to_owned),
                changes: changes.iter().map(Changed::from).collect(),
                server: None,
            };
            work.reports.push(self.outcome.documents.len());
            self.outcome.documents.push(report);
        }
        work.changes.extend(changes);
    }
}

impl From<&Change> for Changed {
    fn from(change: &Change) -> Self {
        Self {
            offset: change.offset,
            what: change.what.clone(),
        }
    }
}
