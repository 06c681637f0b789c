//! The migration of a text: its documents, their edits, the check of the result, and the remaining mentions.

use super::decide::{
    self, LAST_APPLIED, Restring, Surroundings, classify, decide, elsewhere, owned,
};
use super::edit::{
    self, Change, DocumentEdits, Edit, Embedded, Expected, checked_edits, set_scalar,
};
use super::findings::{Changed, DocumentReport, Finding, Outcome, Rule, Severity};
use super::read::{Found, Mention, Role, Text, find, is_relevant, mentions, shares_of};
use super::settings::{Mend, Settings};
use crate::documents::{Form, Parsed, parse_all, touches};
use k8s_flowcontrol::GROUP;
use k8s_flowcontrol_text::{Content, Node, Span, to_value};
use serde_json::Value;
use std::path::Path;

/// Migrates a text, read from `path`, to the target version.
pub(crate) fn migrate(text: &str, path: &Path, settings: Settings) -> Outcome {
    let source = Text::new(text);
    let likely = Form::by_extension(path).unwrap_or(Form::Yaml);
    let mut migration = Migration::new(&source, likely, settings, 0);
    let is_refused = migration.outcome.worst() == Some(Severity::Error);
    if !(migration.edits.is_empty() || is_refused) {
        let mark = &text[..source.mark];
        migration.outcome.text = Some(format!(
            "{mark}{}",
            edit::apply(source.text, &migration.edits)
        ));
    }
    let outcome = &mut migration.outcome;
    outcome.findings.sort_by_key(|finding| finding.offset);
    // Offsets count from the start of the file, which includes the byte order mark.
    let changes = outcome.documents.iter_mut().flat_map(|document| {
        document.offset += source.mark;
        document.changes.iter_mut()
    });
    changes.for_each(|change| change.offset += source.mark);
    let findings = outcome.findings.iter_mut();
    findings.for_each(|finding| finding.offset += source.mark);
    migration.outcome
}

/// The state of the migration of a text.
struct Migration<'a> {
    source: &'a Text<'a>,
    settings: Settings,
    depth: usize,
    outcome: Outcome,
    /// The checked edits, in order.
    edits: Vec<Edit>,
}

/// The most levels of texts in strings of other texts.
const MAX_EMBEDDED: usize = 2;

impl<'a> Migration<'a> {
    fn new(source: &'a Text<'a>, likely: Form, settings: Settings, depth: usize) -> Self {
        let mut migration = Self {
            source,
            settings,
            depth,
            outcome: Outcome::default(),
            edits: Vec::new(),
        };
        match parse_all(source.text, likely) {
            Ok(parsed) => migration.documents(&parsed),
            Err(error) => migration.unreadable(likely, &error.to_string(), error.offset()),
        }
        migration
    }

    fn unreadable(&mut self, likely: Form, error: &str, offset: usize) {
        let mentions = mentions(self.source.text, self.settings.to);
        let is_template = likely == Form::Template || self.source.text.contains("{{");
        if mentions.is_empty() {
            let message = format!("this file was not checked: {error}");
            let finding = Finding::new(Severity::Note, Rule::NotChecked, offset, message);
            self.outcome.findings.push(finding);
        } else if is_template {
            let why = "this template can only be read once it is rendered";
            let findings = elsewhere(&mentions, why, Severity::Manual, Rule::Template);
            self.outcome.findings.extend(findings);
        } else {
            let finding = Finding::new(Severity::Error, Rule::Unreadable, offset, error)
                .help("correct the file: a server cannot read it either");
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
        self.check(parsed, work);
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
    ) -> DocumentEdits {
        let found = find(root);
        let mut work = DocumentEdits {
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
            self.outcome.skipped += 1;
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
        work: &mut DocumentEdits,
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
            // The applied object has the same losses as the object itself, which reports them.
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
            // A typed list has its own apiVersion.
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

    /// Takes over the edits that give the intended result, and reports the documents that stay unchanged.
    fn check(&mut self, parsed: &Parsed, work: Vec<DocumentEdits>) {
        let (edits, dropped) = checked_edits(self.source, parsed.form, self.settings.to, work);
        self.edits = edits;
        for dropped in dropped {
            for report in &dropped.reports {
                self.outcome.documents[*report].changes.clear();
            }
            let finding = Finding::new(
                Severity::Manual,
                Rule::CannotEdit,
                dropped.offset,
                dropped.why,
            );
            self.outcome
                .findings
                .push(finding.help("change it by hand"));
        }
    }

    /// Changes what documents of other kinds say about objects of the group.
    fn others(
        &mut self,
        around: Surroundings<'_>,
        root: Node<'_>,
        work: &mut DocumentEdits,
        places: &mut Vec<Span>,
    ) {
        let found = decide::find(root, self.settings.to);
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
                if let Some((change, inner)) = self.embedded(around, node, &pointer, settings, work)
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

    /// Replaces the text of a string.
    fn restring(
        &mut self,
        around: Surroundings<'_>,
        restring: Restring<'_>,
        work: &mut DocumentEdits,
    ) {
        let new = Value::from(restring.new.as_str());
        let offset = restring.node.span().start;
        let is_templated = touches(around.actions, restring.node.span());
        match set_scalar(self.source, around.form, None, restring.node, &new) {
            Ok(edit) if !is_templated => {
                decide::apply(&mut work.expected.value, std::slice::from_ref(&restring));
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
                let message = format!("this value is generated by a template: {}", restring.what);
                let finding = Finding::new(Severity::Manual, Rule::Template, offset, message)
                    .help("change it by hand");
                self.outcome.findings.push(finding);
            }
        }
    }

    /// Migrates the text in a string. A text that cannot be migrated is reported as a mention later.
    fn embedded(
        &mut self,
        around: Surroundings<'_>,
        node: Node<'_>,
        pointer: &str,
        settings: Settings,
        work: &mut DocumentEdits,
    ) -> Option<(Change, Vec<DocumentReport>)> {
        let decoded = node.as_str().filter(|text| is_relevant(text.as_bytes()))?;
        if self.depth >= MAX_EMBEDDED || touches(around.actions, node.span()) {
            return None;
        }
        let embedded = Embedded::new(self.source, node.span(), decoded)?;
        let source = Text::new(&embedded.text);
        let inner = Migration::new(&source, Form::Yaml, settings, self.depth + 1);
        if inner.edits.is_empty() || inner.outcome.worst() >= Some(Severity::Manual) {
            return None;
        }
        let edits: Option<Vec<_>> = inner
            .edits
            .iter()
            .map(|edit| embedded.outer(edit))
            .collect();
        let blanks = &decoded[decoded.trim_end().len()..];
        let text = edit::apply(source.text, &inner.edits);
        let change = Change {
            offset: node.span().start,
            what: format!(
                "{} in the text of this string",
                what_changes(&inner.outcome)
            ),
            edits: edits?,
        };
        let place = work.expected.value.pointer_mut(pointer)?;
        *place = format!("{}{blanks}", text.trim_end()).into();
        Some((change, inner.outcome.documents))
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
    let changes = outcome
        .documents
        .iter()
        .flat_map(|document| &document.changes);
    let changes: Vec<_> = changes.map(|change| change.what.as_str()).collect();
    changes.join("; ")
}

/// The inline patches of a kustomization.
fn inline_patches(root: Node<'_>) -> Vec<(String, Node<'_>)> {
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
