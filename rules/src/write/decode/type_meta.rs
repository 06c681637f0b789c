//! The `apiVersion` and `kind` of a body, read as Go reads a struct of the two.

use super::scheme::GroupVersionKind;
use k8s_flowcontrol_text::{Content, Node, Span};

/// The error of reading the two fields.
#[derive(Debug, PartialEq)]
pub(super) struct TypeMetaError {
    pub(super) message: String,
    pub(super) span: Span,
}

/// Reads the two fields. Unlike the decoder of the whole object it ignores the case of names.
pub(super) fn interpret(root: Node<'_>, sorted: bool) -> Result<GroupVersionKind, TypeMetaError> {
    let mut found = [String::new(), String::new()];
    let mut error = None;
    match root.content() {
        Content::Null => {}
        Content::Object(fields) => {
            let fields: Vec<_> = if sorted {
                fields.sorted().collect()
            } else {
                fields.iter().collect()
            };
            for field in fields {
                let Some(index) = NAMES.iter().position(|name| is_folded(field.name, name)) else {
                    continue;
                };
                match field.value.content() {
                    Content::Null => {}
                    Content::String(text) => found[index] = text.into(),
                    other if error.is_none() => {
                        let what = kind_of(other);
                        error = Some(TypeMetaError {
                            message: format!(
                                "json: cannot unmarshal {what} into Go struct field .{} of type string",
                                NAMES[index]
                            ),
                            span: field.value.span(),
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
