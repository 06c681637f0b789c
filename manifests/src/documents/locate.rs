//! From a field path, as servers write it, to its place in the text.

use k8s_flowcontrol_text::{Content, Node, Span};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The best place to show: a scalar value, or the name of a field with another value.
    pub(crate) shown: Span,
    /// The name of the innermost field found; none when there is not even the first one.
    pub(crate) name: Option<Span>,
}

/// The place of `field`, such as `spec.rules[0].verbs` or `metadata.labels[a.b/c]`, in `node`. For an absent field, the
/// place of the innermost field on the way to it that is present.
pub(crate) fn locate(node: Node<'_>, field: &str) -> Place {
    let mut node = node;
    let mut place = Place {
        shown: node.span(),
        name: None,
    };
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
                    // A server may write the key of a map after a dot, and the key may contain dots as well.
                    None => (child(node, rest), ""),
                }
            }
        };
        let Some((next, found)) = found else {
            break;
        };
        node = next;
        place = Place {
            shown: found.shown,
            name: found.name.or(place.name),
        };
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    place
}

/// An item of nested lists, by its indexes.
pub(crate) fn item<'a>(root: Node<'a>, path: &[usize]) -> Node<'a> {
    path.iter().fold(root, |node, index| {
        let found = node.get("items").and_then(|items| match items.content() {
            Content::Array(elements) => elements.iter().nth(*index),
            _ => None,
        });
        found.unwrap_or(node)
    })
}

fn child<'a>(node: Node<'a>, key: &str) -> Option<(Node<'a>, Place)> {
    match node.content() {
        Content::Array(elements) => {
            let element = elements.iter().nth(key.parse().ok()?)?;
            let place = Place {
                shown: element.span(),
                name: None,
            };
            Some((element, place))
        }
        Content::Object(fields) => {
            let field = fields.iter().filter(|field| field.name == key).last()?;
            let shown = match field.value.content() {
                Content::Array(_) | Content::Object(_) | Content::Null => field.name_span,
                _ => field.value.span(),
            };
            let place = Place {
                shown,
                name: Some(field.name_span),
            };
            Some((field.value, place))
        }
        _ => None,
    }
}
