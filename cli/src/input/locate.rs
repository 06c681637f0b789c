//! From a field path, as servers write it, to the place in the text.

use k8s_flowcontrol_text::{Content, Node, Span};

/// The place of `field`, such as `spec.rules[0].verbs` or `metadata.labels[a.b/c]`, in `node`. Of a path that is
/// not there the last member that is: its name where a value is missing, else the value.
pub(super) fn locate(node: Node<'_>, field: &str) -> Span {
    let mut node = node;
    let mut span = node.span();
    let mut rest = field;
    while !rest.is_empty() {
        let (found, after) = match rest.strip_prefix('[') {
            Some(inner) => {
                let Some((key, after)) = inner.split_once(']') else {
                    break;
                };
                (child(node, key), after)
            }
            None => {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                match child(node, &rest[..end]) {
                    Some(found) => (Some(found), &rest[end..]),
                    // A path to a map's key may be written with a point, and the key have points as well.
                    None => (child(node, rest), ""),
                }
            }
        };
        let Some((next, place)) = found else {
            break;
        };
        node = next;
        span = place;
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    span
}

/// A member or element, and the place to show: the value if it is short, else the member's name.
fn child<'a>(node: Node<'a>, key: &str) -> Option<(Node<'a>, Span)> {
    match node.content() {
        Content::Array(elements) => {
            let element = elements.iter().nth(key.parse().ok()?)?;
            Some((element, element.span()))
        }
        Content::Object(members) => {
            let member = members.iter().filter(|member| member.name == key).last()?;
            let place = match member.value.content() {
                Content::Array(_) | Content::Object(_) | Content::Null => member.name_span,
                _ => member.value.span(),
            };
            Some((member.value, place))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::locate;
    use k8s_flowcontrol_text::parse_json;

    #[test]
    fn paths_lead_to_values_or_to_what_they_miss_in() {
        let text = r#"{"spec": {"rules": [{"verbs": ["get"]}], "n": 5}, "metadata": {"labels": {"a.b/c": "x"}}}"#;
        let tree = parse_json(text.as_bytes()).unwrap();
        let shown = |field| &text[locate(tree.root(), field).range()];
        assert_eq!(shown("spec.n"), "5");
        assert_eq!(shown("spec.rules[0].verbs"), "\"verbs\"");
        assert_eq!(shown("spec.rules[0].verbs[0]"), "\"get\"");
        assert_eq!(shown("spec.rules[0].subjects"), "{\"verbs\": [\"get\"]}");
        assert_eq!(shown("spec.limited.queuing"), "\"spec\"");
        assert_eq!(shown("metadata.labels[a.b/c]"), "\"x\"");
        assert_eq!(shown("metadata.labels.a.b/c"), "\"x\"");
        assert_eq!(shown("nothing"), text);
    }
}
