//! Decodes a tree into a Go struct: checks types, merges duplicates, reports and drops unknown fields.

use super::go_time::{self, Precision};
use super::go_types::{is_pointer, type_name};
use super::slot::Slot;
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_text::{self as text, Content, Field, Fields, Node, Span};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::schema::{FieldSchema, Shape, TypeSchema};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write;

/// How many strict problems a server reports at most.
const MAX_PROBLEMS: usize = 100;
/// The server's words for the two sorts of problems.
const UNKNOWN: &str = "unknown";
const DUPLICATE: &str = "duplicate";

/// An unknown or duplicate field, which strict field validation does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The server's words, such as `unknown field "spec.bogus"`.
    pub message: String,
    /// Where it stands in the text.
    pub span: Span,
}

/// A value that does not fit its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeError {
    /// The server's words, such as `json: cannot unmarshal string into Go struct field …`.
    pub message: String,
    /// Where the value stands in the text.
    pub span: Span,
}

/// An object as a server has it after decoding, and the results of strict field validation of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The object: known fields only, duplicates merged as Go merges them, `null` fields absent.
    pub value: Value,
    /// Unknown and duplicate fields in the order of the text, at most 100.
    pub problems: Vec<Problem>,
    /// The paths of the unknown fields among them, such as `spec.rules[0].bogus`.
    pub unknown_fields: Vec<String>,
}

/// The Go type that a text is decoded into, and the order in which its fields come.
///
/// A [`VersionedKind`] converts into it; types of other API groups are given by their schema.
#[derive(Clone, Copy, Debug)]
pub struct DecodeAs {
    /// The type.
    pub schema: &'static TypeSchema,
    /// The Go package of the type, which is the API version's name, such as `v1beta3`.
    pub package: &'static str,
    /// The server's release, which decides whether a field is known.
    pub release: Release,
    /// Whether fields come in the order of their names instead of the text's, as they do after a server
    /// turned YAML into JSON.
    pub sorted: bool,
}

impl From<VersionedKind> for DecodeAs {
    fn from(kind: VersionedKind) -> Self {
        Self {
            schema: kind.schema(),
            package: kind.version.as_str(),
            release: kind.release,
            sorted: false,
        }
    }
}

impl DecodeAs {
    /// Sets [`sorted`](Self::sorted), which text in YAML needs.
    #[must_use]
    pub const fn sorted(self, sorted: bool) -> Self {
        Self { sorted, ..self }
    }
}

/// Decodes `node` as a server does.
///
/// # Errors
/// [`TypeError`] for the value that a server complains about: the first that does not fit its type, except
/// that a malformed time is reported before everything else.
pub fn decode(node: Node<'_>, target: DecodeAs) -> Result<Decoded, TypeError> {
    let mut decoder = Decoder {
        target,
        path: String::new(),
        field_path: Vec::new(),
        owner: "",
        error: None,
        problems: Vec::new(),
        unknown_fields: Vec::new(),
        seen: HashSet::new(),
    };
    let mut root = Slot::default();
    match node.content() {
        Content::Null => {}
        Content::Object(fields) => decoder.object(fields, target.schema, &mut root)?,
        _ => {
            let name = format!("{}.{}", target.package, target.schema.name);
            return Err(decoder.type_error(node, &name));
        }
    }
    match decoder.error {
        Some(error) => Err(error),
        None => Ok(Decoded {
            value: root.into_object(target.schema),
            problems: decoder.problems,
            unknown_fields: decoder.unknown_fields,
        }),
    }
}

struct Decoder {
    target: DecodeAs,
    /// The path that strict problems name: with indexes and map keys.
    path: String,
    /// The path in type errors: the fields of structs, without indexes and map keys.
    field_path: Vec<&'static str>,
    /// The struct that holds the innermost field.
    owner: &'static str,
    error: Option<TypeError>,
    problems: Vec<Problem>,
    unknown_fields: Vec<String>,
    seen: HashSet<String>,
}

impl Decoder {
    fn value(
        &mut self,
        node: Node<'_>,
        field: Option<&FieldSchema>,
        shape: &'static Shape,
        slot: &mut Slot,
    ) -> Result<(), TypeError> {
        match (node.content(), shape) {
            (Content::Null, _) => {
                // A null resets what can be nil, and a time; it does not change other values.
                if field.is_some_and(is_pointer)
                    || matches!(shape, Shape::List { .. } | Shape::Map { .. } | Shape::Any)
                    || matches!(shape, Shape::Time | Shape::MicroTime)
                {
                    *slot = Slot::default();
                }
            }
            (_, Shape::Any) => {
                slot.set(text::to_value(node).map_err(|error| TypeError {
                    message: error.to_string(),
                    span: node.span(),
                })?);
            }
            (Content::String(text), Shape::Time | Shape::MicroTime) => {
                let precision = match shape {
                    Shape::MicroTime => Precision::Micros,
                    _ => Precision::Seconds,
                };
                match go_time::parse(text, precision) {
                    Ok(Some(time)) => slot.set(time.into()),
                    Ok(None) => *slot = Slot::default(),
                    Err(message) => {
                        return Err(TypeError {
                            message,
                            span: node.span(),
                        });
                    }
                }
            }
            (_, Shape::Time | Shape::MicroTime) => {
                // The time's own decoder reads a string, and its error ends decoding at once.
                return Err(self.type_error(node, "string"));
            }
            (Content::Object(fields), Shape::Object(schema)) => {
                self.object(fields, schema, slot)?;
            }
            (Content::Object(fields), Shape::Map { value, .. }) => self.map(fields, value, slot)?,
            (Content::Array(elements), Shape::List { element, .. }) => {
                for (index, node) in elements.iter().enumerate() {
                    let length = self.path.len();
                    // Writing to a string does not fail.
                    let _ = write!(self.path, "[{index}]");
                    self.value(node, None, element, slot.element(index))?;
                    self.path.truncate(length);
                }
                slot.truncate(elements.len());
            }
            (Content::String(text), Shape::String | Shape::Bytes) => slot.set(text.into()),
            (Content::Bool(value), Shape::Boolean) => slot.set(value.into()),
            (Content::Number(text), Shape::Int32 | Shape::Int64) => {
                let number = text.parse::<i64>().ok().filter(|number| {
                    matches!(shape, Shape::Int64) || i32::try_from(*number).is_ok()
                });
                match number {
                    Some(number) => slot.set(number.into()),
                    None => self.complain(node, field, shape),
                }
            }
            (Content::Number(text), Shape::Number) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => slot.set(number.into()),
                _ => self.complain(node, field, shape),
            },
            (Content::Number(_) | Content::String(_), Shape::IntOrString | Shape::Quantity) => {
                slot.set(text::scalar(node));
            }
            _ => self.complain(node, field, shape),
        }
        Ok(())
    }

    fn object(
        &mut self,
        fields: Fields<'_>,
        schema: &'static TypeSchema,
        slot: &mut Slot,
    ) -> Result<(), TypeError> {
        slot.open();
        let mut seen = 0u128;
        let outer = (self.path.len(), self.owner);
        for entry in self.ordered(fields) {
            let field = schema.fields().iter().enumerate().find(|(_, field)| {
                field.name == entry.name && field.is_known_to(self.target.release)
            });
            if field.is_none() && schema.preserves_unknown_fields {
                self.enter(entry.name);
                let mut value = Slot::default();
                self.value(entry.value, None, &Shape::Any, &mut value)?;
                slot.insert(entry.name.into(), value);
                self.path.truncate(outer.0);
                continue;
            }
            let Some((index, field)) = field else {
                self.problem(UNKNOWN, entry.name, entry.name_span);
                continue;
            };
            let bit = 1u128
                .checked_shl(u32::try_from(index).unwrap_or(u32::MAX))
                .unwrap_or(0);
            if seen & bit != 0 {
                self.problem(DUPLICATE, entry.name, entry.name_span);
            }
            seen |= bit;
            self.enter(entry.name);
            self.field_path.push(field.name);
            self.owner = schema.name;
            let slot = slot.element(index);
            self.value(entry.value, Some(field), &field.shape, slot)?;
            self.field_path.pop();
            self.path.truncate(outer.0);
            self.owner = outer.1;
        }
        Ok(())
    }

    fn map(
        &mut self,
        fields: Fields<'_>,
        shape: &'static Shape,
        slot: &mut Slot,
    ) -> Result<(), TypeError> {
        slot.open();
        let mut seen = HashSet::new();
        let length = self.path.len();
        for entry in self.ordered(fields) {
            if !seen.insert(entry.name) {
                self.problem(DUPLICATE, entry.name, entry.name_span);
            }
            self.enter(entry.name);
            // Every key is decoded into a fresh zero, unlike the fields of a struct.
            let mut value = Slot::default();
            self.value(entry.value, None, shape, &mut value)?;
            slot.insert(entry.name.into(), value);
            self.path.truncate(length);
        }
        Ok(())
    }

    fn ordered<'a>(&self, fields: Fields<'a>) -> Vec<Field<'a>> {
        if self.target.sorted {
            fields.sorted().collect()
        } else {
            fields.iter().collect()
        }
    }

    fn enter(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    fn problem(&mut self, what: &str, name: &str, span: Span) {
        if self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        let separator = if self.path.is_empty() { "" } else { "." };
        let path = format!("{}{separator}{name}", self.path);
        let message = format!("{what} field {}", quote(&path));
        if self.seen.insert(message.clone()) {
            self.problems.push(Problem { message, span });
            if what == UNKNOWN {
                self.unknown_fields.push(path);
            }
        }
    }

    fn complain(&mut self, node: Node<'_>, field: Option<&FieldSchema>, shape: &Shape) {
        // Only the first complaint is reported; its words are not made for the others.
        if self.error.is_none() {
            let name = type_name(field, shape, self.target.package);
            self.error = Some(self.type_error_of(node, &name, shape));
        }
    }

    fn type_error(&self, node: Node<'_>, type_name: &str) -> TypeError {
        self.type_error_of(node, type_name, &Shape::String)
    }

    fn type_error_of(&self, node: Node<'_>, type_name: &str, shape: &Shape) -> TypeError {
        let number;
        let found = match node.content() {
            Content::Null => "null",
            Content::Bool(_) => "bool",
            Content::Number(text)
                if matches!(shape, Shape::Int32 | Shape::Int64 | Shape::Number) =>
            {
                number = format!("number {text}");
                &number
            }
            Content::Number(_) => "number",
            Content::String(_) => "string",
            Content::Array(_) => "array",
            Content::Object(_) => "object",
        };
        let place = if self.field_path.is_empty() {
            "value".to_owned()
        } else {
            format!("struct field {}.{}", self.owner, self.field_path.join("."))
        };
        TypeError {
            message: format!("json: cannot unmarshal {found} into Go {place} of type {type_name}"),
            span: node.span(),
        }
    }
}
