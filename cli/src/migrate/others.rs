//! Documents of other kinds, and texts within strings.

use super::difference::Change;
use super::edit;
use super::embedded::Embedded;
use super::mentions::is_relevant;
use super::object::{Surroundings, touches};
use super::patches::{self, Restring};
use super::report::{Changed, DocumentReport, Finding, Outcome, Rule, Severity};
use super::run::{Run, Work};
use super::source::{Form, Source};
use super::splice::set_scalar;
use super::step::Settings;
use k8s_flowcontrol_text::{Content, Node, Span};
use serde_json::Value;

/// How often a text may lie in a string of another one.
const MAX_EMBEDDED: usize = 2;

impl Run<'_> {
    /// What documents of other kinds say about objects of the group.
    pub(super) fn others(
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

    /// Gives a string another text.
    fn restring(&mut self, around: Surroundings<'_>, restring: Restring<'_>, work: &mut Work) {
        let new = Value::from(restring.new.as_str());
        let offset = restring.node.span().start;
        let is_templated = touches(around.actions, restring.node.span());
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
    pub(super) fn embedded(
        &mut self,
        around: Surroundings<'_>,
        node: Node<'_>,
        pointer: &str,
        settings: Settings,
        work: &mut Work,
    ) -> Option<(Change, Vec<DocumentReport>)> {
        let decoded = node.as_str().filter(|text| is_relevant(text.as_bytes()))?;
        if self.depth >= MAX_EMBEDDED || touches(around.actions, node.span()) {
            return None;
        }
        let embedded = Embedded::new(self.source, node.span(), decoded)?;
        let source = Source::new(&embedded.text);
        let inner = Run::new(&source, Form::Yaml, settings, self.depth + 1);
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

fn what_changes(outcome: &Outcome) -> String {
    let changes = outcome
        .documents
        .iter()
        .flat_map(|document| &document.changes);
    let changes: Vec<_> = changes.map(|change| change.what.as_str()).collect();
    changes.join("; ")
}

/// The patches that a kustomization has in itself.
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
