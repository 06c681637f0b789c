//! JSON patches of flow-control objects.

use super::reference::{References, Unclear, renamed};
use k8s_flowcontrol_text::{Content, Node};

/// An operation of a JSON patch on the version or the shares.
pub(super) fn operation<'a>(operation: Node<'a>, pointer: &str, out: &mut References<'a>) {
    if operation.get("op").and_then(Node::as_str).is_none() {
        return;
    }
    if operation.get("path").and_then(Node::as_str) == Some("/apiVersion")
        && let Some(value) = operation.get("value")
    {
        out.version(value, format!("{pointer}/value"), "value");
    }
    let to = out.to;
    for name in ["path", "from"] {
        let Some(node) = operation.get(name) else {
            continue;
        };
        let Some(path) = node.as_str() else { continue };
        let Some(new) = renamed(path, '/', to) else {
            continue;
        };
        let value = operation.get("value");
        let number = value.map(Node::content);
        let is_clear = match number {
            None => true,
            Some(Content::Number(text)) => text.parse::<i64>().is_ok_and(|shares| shares != 0),
            Some(_) => false,
        };
        if is_clear {
            out.path(node, format!("{pointer}/{name}"), '/', &format!("{name}: "));
        } else {
            let message = format!(
                "sets {path}, which is {new} in {to}; check the value: 0 shares mean 30 up to v1beta3 and 0 in v1"
            );
            out.unclear.push(Unclear::new(node, message));
        }
    }
}
