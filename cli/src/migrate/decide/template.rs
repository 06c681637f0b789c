//! Reasons that a template gives not to change an object in it.

use super::object::Surroundings;
use crate::documents::{Action, locate, touches};
use crate::migrate::findings::{Finding, Rule, Severity};
use crate::migrate::read::{Found, SHARES, shares_of};
use k8s_flowcontrol::ApiVersion;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol_text::{Node, Span};

/// Why an object in a template cannot be judged by what is literally there.
pub(super) fn obstacle(
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
    let spec_start = match locate(found.node, "spec").name {
        Some(name) => name.start,
        None => object.start,
    };
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
    let shares = limited.and_then(|limited| limited.get(shares_of(from)));
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
