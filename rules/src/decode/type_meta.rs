//! What a body says it is: `apiVersion` and `kind`, read as Go reads a struct of the two.

use super::scheme::GroupVersionKind;
use k8s_flowcontrol_text::{Content, Node, Span};

/// Why the two members could not be read.
#[derive(Debug, PartialEq)]
pub(super) struct TypeMetaError {
    pub(super) message: String,
    pub(super) span: Span,
}

/// Reads the two members. Unlike the decoder of the whole object this one does not mind the case of names.
pub(super) fn interpret(root: Node<'_>, sorted: bool) -> Result<GroupVersionKind, TypeMetaError> {
    let mut found = [String::new(), String::new()];
    let mut error = None;
    match root.content() {
        Content::Null => {}
        Content::Object(members) => {
            let members: Vec<_> = if sorted {
                members.sorted().collect()
            } else {
                members.iter().collect()
            };
            for member in members {
                let Some(index) = NAMES.iter().position(|name| is_folded(member.name, name)) else {
                    continue;
                };
                match member.value.content() {
                    Content::Null => {}
                    Content::String(text) => found[index] = text.into(),
                    other if error.is_none() => {
                        let what = kind_of(other);
                        error = Some(TypeMetaError {
                            message: format!(
                                "json: cannot unmarshal {what} into Go struct field .{} of type string",
                                NAMES[index]
                            ),
                            span: member.value.span(),
                        });
                    }
                    _ => {}
                }
            }
        }
        other => {
            error = Some(TypeMetaError {
                message: format!(
                    "json: cannot unmarshal {} into Go value of type {GO_STRUCT}",
                    kind_of(other)
                ),
                span: root.span(),
            });
        }
    }
    if let Some(error) = error {
        let message = format!(
            "couldn't get version/kind; json parse error: {}",
            error.message
        );
        return Err(TypeMetaError { message, ..error });
    }
    let [api_version, kind] = found;
    let (group, version) = match api_version.split_once('/') {
        None => ("", api_version.as_str()),
        Some(("", "")) => ("", ""),
        Some((_, version)) if version.contains('/') => {
            return Err(TypeMetaError {
                message: format!("unexpected GroupVersion string: {api_version}"),
                span: root
                    .get("apiVersion")
                    .map_or_else(|| root.span(), Node::span),
            });
        }
        Some(both) => both,
    };
    Ok(GroupVersionKind {
        group: group.into(),
        version: version.into(),
        kind,
    })
}

const NAMES: [&str; 2] = ["apiVersion", "kind"];

const GO_STRUCT: &str = concat!(
    "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; ",
    "Kind string \"json:\\\"kind,omitempty\\\"\" }"
);

fn kind_of(content: Content<'_>) -> &'static str {
    match content {
        Content::Null => "null",
        Content::Bool(_) => "bool",
        Content::Number(_) => "number",
        Content::String(_) => "string",
        Content::Array(_) => "array",
        Content::Object(_) => "object",
    }
}

/// Whether Go's case folding makes the two equal: ASCII letters, and the two others that fold to one.
fn is_folded(name: &str, known: &str) -> bool {
    let fold = |character: char| match character {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => character.to_ascii_lowercase(),
    };
    name.chars().map(fold).eq(known.chars().map(fold))
}
