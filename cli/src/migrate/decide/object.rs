//! One object of a text: what has to change in it, or why it has to stay as it is.

use super::step::step;
use super::template::obstacle;
use crate::documents::{Action, Form, locate, touches, version_of};
use crate::migrate::edit::{Change, changes};
use crate::migrate::findings::{DocumentReport, Finding, Rule, Severity};
use crate::migrate::read::{Found, Role, SHARES, Text};
use crate::migrate::settings::Settings;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::convert::PRESERVE_ZERO_ANNOTATION;
use k8s_flowcontrol::{ApiVersion, GROUP};
use k8s_flowcontrol_text::{Content, Document, Node, Span};
use serde_json::{Value, json};

/// The text around an object.
#[derive(Clone, Copy)]
pub(in crate::migrate) struct Surroundings<'a> {
    pub(in crate::migrate) source: &'a Text<'a>,
    pub(in crate::migrate) form: Form,
    pub(in crate::migrate) actions: &'a [Action],
    pub(in crate::migrate) document: &'a Document,
    /// Where the next document begins.
    pub(in crate::migrate) end: usize,
    pub(in crate::migrate) settings: Settings,
    /// Whether the template asks the cluster for versions, so that each branch has to stay.
    pub(in crate::migrate) asks_cluster: bool,
}

/// What is to be done about an object.
#[derive(Debug, Default)]
pub(in crate::migrate) struct Decision {
    pub(in crate::migrate) report: Option<DocumentReport>,
    pub(in crate::migrate) findings: Vec<Finding>,
    pub(in crate::migrate) changes: Vec<Change>,
    pub(in crate::migrate) after: Option<Value>,
}

impl Decision {
    fn finding(finding: Finding) -> Self {
        Self {
            findings: vec![finding],
            ..Self::default()
        }
    }
}

/// Decides about an object, which says `before`.
pub(in crate::migrate) fn decide(
    around: Surroundings<'_>,
    found: &Found<'_>,
    before: &Value,
) -> Decision {
    let to = around.settings.to;
    let offset = found.node.span().start;
    match found.role {
        Role::Unknown => unknown(around, found),
        Role::List(_) => list(around, found),
        Role::Object(kind, from) => {
            let is_current = found.api_version == Some(to.api_version());
            let mut decision = if is_current && kind == Kind::FlowSchema {
                Decision {
                    report: Some(report(found, kind, before)),
                    ..Decision::default()
                }
            } else {
                object(around, found, kind, from, before)
            };
            if decision.report.is_none() {
                decision.report = Some(report(found, kind, before));
            }
            decision
        }
        Role::Fragment(kind) => {
            let limited = before.pointer("/spec/limited");
            let [assured, nominal] = SHARES;
            let has = |name: &str| limited.is_some_and(|limited| limited.get(name).is_some());
            let is_zero = |name: &str| limited.and_then(|l| l.get(name)) == Some(&json!(0));
            let from = match (has(assured), has(nominal)) {
                (true, false) if to >= ApiVersion::V1Beta3 => ApiVersion::V1Beta2,
                (false, true) if to < ApiVersion::V1Beta3 && !is_zero(nominal) => ApiVersion::V1,
                (true, false) | (false, false) => return Decision::default(),
                (false, true) if to >= ApiVersion::V1Beta3 => return Decision::default(),
                _ => {
                    let message = "a patch of the shares whose version is not known: what it means cannot be told";
                    let help = "give the patch an apiVersion and a kind, or change it by hand";
                    return Decision::finding(
                        Finding::new(Severity::Manual, Rule::Patch, offset, message).help(help),
                    );
                }
            };
            object(around, found, kind, from, before)
        }
    }
}

fn unknown(around: Surroundings<'_>, found: &Found<'_>) -> Decision {
    let place = |name: &str| found.node.get(name).map(Node::span);
    let is_templated = ["apiVersion", "kind"]
        .iter()
        .any(|name| place(name).is_some_and(|span| touches(around.actions, span)));
    let offset = place("apiVersion").unwrap_or(found.node.span()).start;
    let written = found.api_version.unwrap_or_default();
    let kind = found.node.get("kind").and_then(Node::as_str);
    let finding = if is_templated {
        let message = "a template makes the version or the kind of this object";
        Finding::new(Severity::Manual, Rule::Template, offset, message)
            .help("change the template by hand")
    } else if version_of(written).is_none() {
        let message = format!(
            "{GROUP} has no version {}",
            written.rsplit('/').next().unwrap_or_default()
        );
        Finding::new(Severity::Error, Rule::UnknownVersion, offset, message)
            .help("the versions are v1, v1beta3, v1beta2, v1beta1 and v1alpha1")
    } else {
        let message = match kind {
            Some(kind) => format!("{GROUP} has no kind {kind}"),
            None => format!("an object of {GROUP} without a kind"),
        };
        Finding::new(Severity::Error, Rule::UnknownVersion, offset, message)
            .help("the kinds are FlowSchema and PriorityLevelConfiguration")
    };
    Decision::finding(finding)
}

/// A typed list: its own version. The items are objects of their own.
fn list(around: Surroundings<'_>, found: &Found<'_>) -> Decision {
    let (from, to) = (found.api_version.unwrap_or_default(), around.settings.to);
    let (before, after) = (
        json!({ "apiVersion": from }),
        json!({ "apiVersion": to.api_version() }),
    );
    edit(around, found.node, &before, &after)
}

fn object(
    around: Surroundings<'_>,
    found: &Found<'_>,
    kind: Kind,
    from: ApiVersion,
    before: &Value,
) -> Decision {
    let offset = found.node.span().start;
    let taken = step(before, kind, from, around.settings);
    let mut report = report(found, kind, before);
    if kind == Kind::PriorityLevelConfiguration {
        report.server = Some(taken.held.clone());
    }
    let mut decision = Decision {
        report: Some(report),
        ..Decision::default()
    };
    if taken.after == *before && taken.obstacles.is_empty() {
        return decision;
    }
    if around.asks_cluster {
        let message =
            "this template asks the cluster for versions, so that this version may be wanted here";
        let finding = Finding::new(Severity::Manual, Rule::CapabilityCheck, offset, message)
            .help("take the old branch out of the template once no cluster needs it");
        decision.findings.push(finding);
        return decision;
    }
    if let Some(finding) = obstacle(around, found, kind, from) {
        decision.findings.push(finding);
        return decision;
    }
    if !taken.obstacles.is_empty() {
        for obstacle in taken.obstacles {
            let place = locate(found.node, &obstacle.path).name;
            let offset = place.map_or(offset, |name| name.start);
            let finding = Finding::new(Severity::Error, obstacle.rule, offset, obstacle.message);
            let finding = finding.path(obstacle.path).help(obstacle.help);
            decision.findings.push(finding);
        }
        return decision;
    }
    let edited = edit(around, found.node, before, &taken.after);
    decision.findings.extend(edited.findings);
    decision.changes = edited.changes;
    decision.after = edited.after;
    decision
}

/// The edits that make `after`, unless the text has no room for them.
fn edit(around: Surroundings<'_>, node: Node<'_>, before: &Value, after: &Value) -> Decision {
    match changes(around.source, around.form, node, before, after) {
        Ok(changes) => {
            let touched = changes
                .iter()
                .flat_map(|change| &change.edits)
                .find(|edit| touches(around.actions, edit.span));
            if let Some(edit) = touched {
                let message = "a template makes what has to change here";
                return Decision::finding(
                    Finding::new(Severity::Manual, Rule::Template, edit.span.start, message)
                        .help("change the template by hand"),
                );
            }
            Decision {
                changes,
                after: Some(after.clone()),
                ..Decision::default()
            }
        }
        Err(refusal) => Decision::finding(
            Finding::new(
                Severity::Manual,
                Rule::CannotEdit,
                refusal.offset,
                refusal.why,
            )
            .help("change it by hand"),
        ),
    }
}

fn report(found: &Found<'_>, kind: Kind, value: &Value) -> DocumentReport {
    let name = value
        .pointer("/metadata/name")
        .or_else(|| value.pointer("/metadata/generateName"));
    DocumentReport {
        offset: found.node.span().start,
        kind: kind.to_string(),
        name: name.and_then(Value::as_str).map(str::to_owned),
        from: found.api_version.map(str::to_owned),
        changes: Vec::new(),
        server: None,
    }
}

/// The places that an object's own migration answers for.
pub(in crate::migrate) fn owned(node: Node<'_>) -> Vec<Span> {
    let mut spans = Vec::new();
    if let Some(version) = node.get("apiVersion") {
        spans.push(version.span());
    }
    let mut keys = |node: Option<Node<'_>>, names: &[&str]| {
        if let Some(Content::Object(members)) = node.map(Node::content) {
            spans.extend(
                members
                    .iter()
                    .filter(|member| names.contains(&member.name))
                    .map(|member| member.name_span),
            );
        }
    };
    let spec = node.get("spec");
    keys(spec.and_then(|spec| spec.get("limited")), &SHARES);
    keys(spec.and_then(|spec| spec.get("exempt")), &SHARES);
    let metadata = node.get("metadata");
    keys(
        metadata.and_then(|metadata| metadata.get("annotations")),
        &[PRESERVE_ZERO_ANNOTATION],
    );
    spans
}
