//! A whole text: its documents, the edits of all of them, the check of the result, and what is left over.

use super::difference::Change;
use super::edit::{self, Edit};
use super::embedded::Embedded;
use super::mentions::{Mention, is_relevant, mentions, old_shares, shares_of};
use super::object::{Surroundings, decide, owned};
use super::objects::{Found, Role, find};
use super::patches::{self, Restring};
use super::report::{Changed, DocumentReport, Finding, Outcome, Rule, Severity};
use super::residue::{LAST_APPLIED, classify, elsewhere};
use super::source::{Form, Parsed, Source, likely_form, parse};
use super::splice::set_scalar;
use super::step::{Mend, Settings};
use super::verify::{Expected, verify};
use k8s_flowcontrol::GROUP;
use k8s_flowcontrol::text::{Node, Span, to_value};
use serde_json::Value;
use std::path::Path;

/// How often a text may lie in a string of another one.
const MAX_EMBEDDED: usize = 2;

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
struct Run<'a> {
    source: &'a Source<'a>,
    settings: Settings,
    depth: usize,
    outcome: Outcome,
    /// In order, and checked.
    edits: Vec<Edit>,
}

/// What is to be done in a document.
struct Work {
    /// The reports of its objects, as indexes.
    reports: Vec<usize>,
    changes: Vec<Change>,
    expected: Expected,
    /// What the document says now.
    original: Value,
    /// Whether the shares get another name somewhere in it.
    renames: bool,
    end: usize,
}

impl<'a> Run<'a> {
    fn new(source: &'a Source<'a>, likely: Form, settings: Settings, depth: usize) -> Self {
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
        let annotation = format!("{}/metadata/annotations/{}", found.pointer, LAST_APPLIED.replace('/', "~1"));
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
                kind: found.node.get("kind").and_then(Node::as_str).unwrap_or_default().to_owned(),
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

    /// What documents of other kinds say about objects of the group.
    fn others(
        &mut self,
        around: Surroundings<'_>,
        root: Node<'_>,
        work: &mut Work,
        places: &mut Vec<Span>,
    ) {
        let found = patches::find(root, self.settings.to);
        for unclear in found.unclear {
            let offset = unclear.node.span().start;
            places.push(unclear.node.span());
            let finding = Finding::new(Severity::Manual, Rule::Patch, offset, unclear.message)
                .help("change it by hand");
            self.outcome.findings.push(finding);
        }
        for change in found.changes {
            self.restring(around, change, work);
        }
        let is_kustomization = root
            .get("kind")
            .and_then(Node::as_str)
            .is_some_and(|kind| matches!(kind, "Kustomization" | "Component"))
            || root.get("patches").is_some()
            || root.get("patchesStrategicMerge").is_some();
        if is_kustomization {
            for (pointer, node) in inline_patches(root) {
                let settings = self.settings;
                if let Some((change, inner)) =
                    self.embedded(around, node, &pointer, settings, work)
                {
                    for mut report in inner {
                        report.offset = change.offset;
                        report.changes = vec![Changed::from(&change)];
                        work.reports.push(self.outcome.documents.len());
                        self.outcome.documents.push(report);
                    }
                    work.changes.push(change);
                }
            }
        }
    }

    /// Gives a string another text.
    fn restring(&mut self, around: Surroundings<'_>, restring: Restring<'_>, work: &mut Work) {
        let new = Value::from(restring.new.as_str());
        let offset = restring.node.span().start;
        let is_templated = super::object::touches(around.actions, restring.node.span());
        match set_scalar(self.source, around.form, None, restring.node, &new) {
            Ok(edit) if !is_templated => {
                patches::apply(&mut work.expected.value, std::slice::from_ref(&restring));
                let change = Change {
                    offset,
                    what: restring.what,
                    edits: vec![edit],
                };
                self.outcome.documents.push(DocumentReport {
                    offset,
                    kind: "patch".to_owned(),
                    name: None,
                    from: None,
                    changes: vec![Changed::from(&change)],
                    server: None,
                });
                work.reports.push(self.outcome.documents.len() - 1);
                work.changes.push(change);
            }
            _ => {
                let message = format!("a template makes this: {}", restring.what);
                let finding = Finding::new(Severity::Manual, Rule::Template, offset, message)
                    .help("change it by hand");
                self.outcome.findings.push(finding);
            }
        }
    }

    /// Migrates the text in a string. What cannot be changed is found again as a mention.
    fn embedded(
        &mut self,
        around: Surroundings<'_>,
        node: Node<'_>,
        pointer: &str,
        settings: Settings,
        work: &mut Work,
    ) -> Option<(Change, Vec<DocumentReport>)> {
        let decoded = node.as_str().filter(|text| is_relevant(text.as_bytes()))?;
        if self.depth >= MAX_EMBEDDED || super::object::touches(around.actions, node.span()) {
            return None;
        }
        let embedded = Embedded::new(self.source, node.span(), decoded)?;
        let source = Source::new(&embedded.text);
        let inner = Run::new(&source, Form::Yaml, settings, self.depth + 1);
        if inner.edits.is_empty() || inner.outcome.worst() >= Some(Severity::Manual) {
            return None;
        }
        let edits: Option<Vec<_>> = inner.edits.iter().map(|edit| embedded.outer(edit)).collect();
        let blanks = &decoded[decoded.trim_end().len()..];
        let text = edit::apply(source.text, &inner.edits);
        let change = Change {
            offset: node.span().start,
            what: format!("{} in the text of this string", what_changes(&inner.outcome)),
            edits: edits?,
        };
        let place = work.expected.value.pointer_mut(pointer)?;
        *place = format!("{}{blanks}", text.trim_end()).into();
        Some((change, inner.outcome.documents))
    }

    /// Puts the edits of all documents together, as far as the result says what it has to.
    fn settle(&mut self, parsed: &Parsed, mut work: Vec<Work>) {
        loop {
            let edits = work.iter().flat_map(|work| &work.changes);
            let edits: Vec<_> = edits.flat_map(|change| change.edits.clone()).collect();
            if edits.is_empty() {
                return;
            }
            let (offset, why) = match self.checked(parsed, &work, edits) {
                Ok(edits) => {
                    self.edits = edits;
                    return;
                }
                Err(refused) => refused,
            };
            // The document stays as it is, and the others have another try.
            let refused = work.iter_mut().rev().find(|work| {
                !work.changes.is_empty() && work.expected.offset <= offset.max(work.expected.offset)
                    && offset >= work.expected.offset
            });
            let refused = match refused {
                Some(refused) => refused,
                None => match work.iter_mut().find(|work| !work.changes.is_empty()) {
                    Some(work) => work,
                    None => return,
                },
            };
            refused.changes.clear();
            refused.expected.value = refused.original.clone();
            for report in &refused.reports {
                self.outcome.documents[*report].changes.clear();
            }
            let finding = Finding::new(Severity::Manual, Rule::CannotEdit, offset, why)
                .help("change it by hand");
            self.outcome.findings.push(finding);
        }
    }

    /// The edits in order, if the text says after them what it has to say. When it does not, keys that are hidden
    /// behind duplicates and merges are renamed too.
    fn checked(
        &self,
        parsed: &Parsed,
        work: &[Work],
        edits: Vec<Edit>,
    ) -> Result<Vec<Edit>, (usize, String)> {
        let expected: Vec<_> = work.iter().map(|work| work.expected.clone()).collect();
        let attempt = |edits: Vec<Edit>| {
            let edits = edit::in_order(edits).map_err(|refusal| (refusal.offset, refusal.why))?;
            verify(&edit::apply(self.source.text, &edits), parsed.form, &expected)?;
            Ok(edits)
        };
        attempt(edits.clone()).or_else(|refused| {
            let hidden = self.hidden_keys(work, &edits);
            if hidden.is_empty() {
                return Err(refused);
            }
            attempt(edits.into_iter().chain(hidden).collect()).map_err(|_| refused)
        })
    }

    /// Renames of the keys with the old name of the shares that nothing has renamed yet.
    fn hidden_keys(&self, work: &[Work], edits: &[Edit]) -> Vec<Edit> {
        let old = old_shares(self.settings.to);
        let new = shares_of(self.settings.to);
        let text = self.source.text;
        let mut hidden = Vec::new();
        for work in work.iter().filter(|work| work.renames) {
            let start = work.expected.offset;
            for (at, _) in text[start..work.end].match_indices(old) {
                let span = Span::new(start + at, start + at + old.len());
                let behind = text[span.end..].trim_start_matches(['"', '\'']);
                let is_key = behind.trim_start_matches([' ', '\t']).starts_with(':');
                let is_known = edits
                    .iter()
                    .any(|edit| edit.span.start <= span.start && span.end <= edit.span.end);
                if is_key && !is_known {
                    hidden.push(Edit::replace(span, new));
                }
            }
        }
        hidden
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

fn what_changes(outcome: &Outcome) -> String {
    let changes = outcome.documents.iter().flat_map(|document| &document.changes);
    let changes: Vec<_> = changes.map(|change| change.what.as_str()).collect();
    changes.join("; ")
}

/// The patches that a kustomization has in itself.
fn inline_patches(root: Node<'_>) -> Vec<(String, Node<'_>)> {
    use k8s_flowcontrol::text::Content;
    let mut patches = Vec::new();
    for list in ["patches", "patchesJson6902", "patchesStrategicMerge"] {
        let Some(Content::Array(elements)) = root.get(list).map(Node::content) else {
            continue;
        };
        for (index, element) in elements.iter().enumerate() {
            match element.content() {
                Content::String(_) => patches.push((format!("/{list}/{index}"), element)),
                Content::Object(members) => {
                    if let Some(patch) = members.get("patch") {
                        patches.push((format!("/{list}/{index}/patch"), patch));
                    }
                }
                _ => {}
            }
        }
    }
    patches
}
