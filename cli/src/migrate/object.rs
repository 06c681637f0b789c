//! One object of a text: what has to change in it, or why it has to stay as it is.

use super::difference::{Change, SHARES, changes};
use super::objects::{Found, Role};
use super::report::{DocumentReport, Finding, Rule, Severity};
use super::source::{Form, Source};
use super::step::{Settings, step};
use super::template::Action;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::convert::PRESERVE_ZERO_ANNOTATION;
use k8s_flowcontrol::{ApiVersion, GROUP};
use k8s_flowcontrol_text::{Content, Document, Node, Span};
use serde_json::{Value, json};

/// The text around an object.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) form: Form,
    pub(super) actions: &'a [Action],
    pub(super) document: &'a Document,
    /// Where the next document begins.
    pub(super) end: usize,
    pub(super) settings: Settings,
    /// Whether the template asks the cluster for versions, so that each branch has to stay.
    pub(super) asks_cluster: bool,
}

/// What is to be done about an object.
#[derive(Debug, Default)]
pub(super) struct Decision {
    pub(super) report: Option<DocumentReport>,
    pub(super) findings: Vec<Finding>,
    pub(super) changes: Vec<Change>,
    pub(super) after: Option<Value>,
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
pub(super) fn decide(around: Surroundings<'_>, found: &Found<'_>, before: &Value) -> Decision {
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
    } else if super::objects::version_of(written).is_none() {
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
    if let Some(finding) = template_obstacle(around, found, kind, from) {
        decision.findings.push(finding);
        return decision;
    }
    if !taken.obstacles.is_empty() {
        for obstacle in taken.obstacles {
            let offset = locate(found.node, &obstacle.path).unwrap_or(offset);
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

/// Why an object in a template cannot be judged by what is literally there.
fn template_obstacle(
    around: Surroundings<'_>,
    found: &Found<'_>,
    kind: Kind,
    from: ApiVersion,
) -> Option<Finding> {
    let actions = around.actions;
    let object = Span::new(found.node.span().start, around.end);
    if actions.is_empty() || !touches(actions, object) {
        return None;
    }
    let manual = |offset: usize, message: &str| {
        Finding::new(Severity::Manual, Rule::Template, offset, message)
    };
    let names = [
        "apiVersion",
        "kind",
        "spec",
        "limited",
        SHARES[0],
        SHARES[1],
    ];
    let twice = around.document.duplicates.iter().find(|problem| {
        object.start <= problem.span.start
            && problem.span.end <= object.end
            && names
                .iter()
                .any(|name| problem.to_string().contains(&format!("\"{name}\"")))
    });
    if let Some(problem) = twice {
        let message =
            "branches of this template write the same field, so that this file has it twice";
        return Some(manual(problem.span.start, message).help("change the branches by hand"));
    }
    let to = around.settings.to;
    let is_renamed = (from < ApiVersion::V1Beta3) != (to < ApiVersion::V1Beta3);
    let zero_differs = (from == ApiVersion::V1) != (to == ApiVersion::V1);
    if kind != Kind::PriorityLevelConfiguration || !(is_renamed || zero_differs) {
        return None;
    }
    let spec = member_span(found.node, "spec");
    let spec_start = spec.map_or(object.start, |(key, _)| key.start);
    let hidden = actions.iter().find(|action| {
        let span = action.span;
        let line = &around.source.text[around.source.line_start(span.start)..span.start];
        action.writes
            && span.start >= spec_start
            && span.end <= object.end
            && line.trim().is_empty()
    });
    if let Some(action) = hidden {
        let message = "a template writes a part of the specification, perhaps the shares";
        return Some(
            manual(action.span.start, message)
                .help("look at what it writes, and change the version and the shares by hand"),
        );
    }
    let limited = found.node.get("spec").and_then(|spec| spec.get("limited"));
    let stanza = templated(actions, found.node.get("spec")).or_else(|| templated(actions, limited));
    if let Some(node) = stanza {
        let message = "a template makes the whole stanza";
        return Some(manual(node.span().start, message).help("change the template by hand"));
    }
    let shares = limited.and_then(|limited| limited.get(super::mentions::shares_of(from)));
    if zero_differs
        && !around.settings.allow_loss
        && let Some(node) = templated(actions, shares)
    {
        let message = format!(
            "a template makes the shares: 0 means {} in {from} and {} in {to}",
            zero(from),
            zero(to)
        );
        return Some(
            manual(node.span().start, &message)
                .help("make sure that no values give 0 here, then accept it with --allow-loss"),
        );
    }
    None
}

/// A value that a template makes.
fn templated<'a>(actions: &[Action], node: Option<Node<'a>>) -> Option<Node<'a>> {
    node.filter(|node| node.as_str().is_some() && touches(actions, node.span()))
}

fn zero(version: ApiVersion) -> &'static str {
    match version {
        ApiVersion::V1 => "none",
        ApiVersion::V1Beta3 => "30, without the annotation,",
        _ => "30",
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

/// Whether a template has a hand in a part of the text.
pub(super) fn touches(actions: &[Action], span: Span) -> bool {
    actions
        .iter()
        .any(|action| action.span.start < span.end && span.start < action.span.end)
}

/// The spans of a member's key and value.
fn member_span(node: Node<'_>, name: &str) -> Option<(Span, Span)> {
    let Content::Object(members) = node.content() else {
        return None;
    };
    let member = members.iter().filter(|member| member.name == name).last()?;
    Some((member.name_span, member.value.span()))
}

/// Where the member at a path of the server stands: `spec.limited`, `metadata.annotations[key]`.
fn locate(node: Node<'_>, path: &str) -> Option<usize> {
    let (path, key) = match path.split_once('[') {
        Some((path, key)) => (path, key.strip_suffix(']')),
        None => (path, None),
    };
    let mut node = node;
    let mut offset = None;
    for name in path.split('.').chain(key) {
        let Some((span, _)) = member_span(node, name) else {
            break;
        };
        offset = Some(span.start);
        node = node.get(name)?;
    }
    offset
}

/// The places that an object's own migration answers for.
pub(super) fn owned(node: Node<'_>) -> Vec<Span> {
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
