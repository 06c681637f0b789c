//! The migration of one object, and of the applied object in its annotation.

use super::decide::{Decision, LAST_APPLIED, Surroundings, decide, owned};
use super::edit::{PlannedChange, planned};
use super::findings::{Finding, Rule, Severity};
use super::read::{Found, Role};
use super::result::{Change, MigratedObject};
use super::settings::{ForeignFieldPolicy, Settings};
use super::state::State;
use super::verify::DocumentEdits;
use k8s_flowcontrol_text::{Node, Span};
use k8s_flowcontrol_types::convert::shares_name;
use serde_json::Value;

impl State<'_> {
    /// Migrates an object; `places` are the places of the text that are already handled.
    pub(super) fn object(
        &mut self,
        around: Surroundings<'_>,
        found: &Found<'_>,
        work: &mut DocumentEdits,
        places: &mut Vec<Span>,
    ) {
        let Some(before) = work.original.pointer(&found.pointer).cloned() else {
            return;
        };
        let is_selected = |span: &Span| self.chains.contain(*span);
        if owned(found.node).iter().any(is_selected) {
            // The finding about the branches stands for the object.
            return;
        }
        if self.is_kept(found.node) {
            return;
        }
        let decision = decide(around, found, &before);
        if decision.report.is_some() {
            places.extend(owned(found.node));
        } else if let Some(version) = found.node.get("apiVersion") {
            places.push(version.span());
        }
        self.result.findings.extend(self.stays(found, &decision));
        self.result.findings.extend(decision.findings);
        let mut changes = Vec::new();
        if let (Some(target), Some(place)) = (
            decision.target,
            work.expected.value.pointer_mut(&found.pointer),
        ) {
            let planned = planned(around, found, &target);
            let is_planned = planned.is_ok();
            match planned {
                Ok(planned) => changes = planned,
                Err(finding) => self.result.findings.push(*finding),
            }
            match (found.role, place.as_object_mut(), target.after) {
                _ if !is_planned => {}
                // The items of a list are separate objects.
                (Role::List(_), Some(list), Value::Object(after)) => list.extend(after),
                (_, _, after) => *place = after,
            }
        }
        if let Role::Object(_, version) = found.role {
            work.renames |= shares_name(version) != shares_name(self.settings.to);
        }
        changes.extend(self.last_applied(around, found, work));
        if let Some(mut report) = decision.report {
            report.changes = changes.iter().map(Change::from).collect();
            self.add(report, work);
        } else if !changes.is_empty() {
            // A typed list has its own apiVersion.
            let kind = found.node.get("kind").and_then(Node::as_str);
            let report = MigratedObject {
                offset: found.node.span().start,
                kind: kind.unwrap_or_default().to_owned(),
                name: None,
                from: found.api_version.map(str::to_owned),
                changes: changes.iter().map(Change::from).collect(),
                server: None,
            };
            self.add(report, work);
        }
        work.changes.extend(changes);
    }

    /// Whether a comment keeps the object, which a note then reports once.
    fn is_kept(&mut self, object: Node<'_>) -> bool {
        let span = object.span();
        let version = object.get("apiVersion").map(|version| version.span().start);
        let mut places = [Some(span.start), version].into_iter().flatten();
        let is_kept = places.any(|at| self.kept.contains(at));
        if is_kept {
            self.kept.add(span);
            let message = "this object is unchanged, because a comment keeps it";
            let note = Finding::new(Severity::Note, Rule::Kept, span.start, message);
            self.result.findings.push(note);
        }
        is_kept
    }

    /// Migrates the object that `kubectl apply` applied, in its annotation.
    fn last_applied(
        &mut self,
        around: Surroundings<'_>,
        found: &Found<'_>,
        work: &mut DocumentEdits,
    ) -> Option<PlannedChange> {
        let names = ["metadata", "annotations", LAST_APPLIED];
        let node = names
            .iter()
            .try_fold(found.node, |node, name| node.get(name))?;
        let pointer = format!(
            "{}/metadata/annotations/{}",
            found.pointer,
            LAST_APPLIED.replace('/', "~1")
        );
        // The applied object has the same losses as the object itself, which reports them.
        let foreign_fields = self.settings.foreign_fields;
        let settings = Settings {
            allow_loss: true,
            foreign_fields: foreign_fields.or(Some(ForeignFieldPolicy::Live)),
            ..self.settings
        };
        let (change, _) = self.embedded(around, node, &pointer, settings, work)?;
        Some(change)
    }

    /// A note at the version of an object that does not change until another line is changed by hand.
    fn stays(&self, found: &Found<'_>, decision: &Decision) -> Option<Finding> {
        let (Role::Object(_, version), None) = (found.role, &decision.target) else {
            return None;
        };
        let reason = decision
            .findings
            .iter()
            .find(|finding| finding.severity == Severity::Manual)?;
        let at = found.node.get("apiVersion")?.span().start;
        let line = self.source.line(reason.offset);
        let is_elsewhere = version != self.settings.to && self.source.line(at) != line;
        let message = format!("this object stays in {version} because of line {line}");
        is_elsewhere.then(|| Finding::new(Severity::Note, Rule::Outdated, at, message))
    }
}
