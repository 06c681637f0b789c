//! Field selectors: `metadata.name=a,metadata.namespace!=b`.

use crate::status::{Failure, bad_request};
use crate::store::meta_str;
use k8s_flowcontrol_text::go::quote;
use serde_json::Value;

/// Requirements that must all hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldSelector(Vec<Term>);

#[derive(Clone, Debug)]
struct Term {
    field: Field,
    value: String,
    equal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Name,
    Namespace,
}

/// Name, value and equality of each term.
pub(super) struct ParsedFields(Vec<(String, String, bool)>);

impl ParsedFields {
    pub(super) fn new(text: &str) -> Result<Self, Failure> {
        // A server sorts the terms, and looks at their names after it has read all of them.
        let mut parts = split(text);
        parts.sort();
        let mut read = Vec::new();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let (name, value, equal) = operands(part).ok_or_else(|| {
                bad_request(format!(
                    "invalid selector: '{text}'; can't understand '{part}'"
                ))
            })?;
            read.push((name.to_owned(), unescape(value)?, equal));
        }
        // A term without name and value has no effect.
        read.retain(|(name, value, _)| !name.is_empty() || !value.is_empty());
        Ok(Self(read))
    }

    /// Errors: a 400 for an unknown field.
    pub(super) fn checked(self) -> Result<FieldSelector, Failure> {
        let terms = self.0.into_iter().map(|(name, value, equal)| {
            let field = match name.as_str() {
                "metadata.name" => Field::Name,
                "metadata.namespace" => Field::Namespace,
                _ => {
                    return Err(bad_request(format!(
                        "{} is not a known field selector: only \"metadata.name\", \
                         \"metadata.namespace\"",
                        quote(&name)
                    )));
                }
            };
            Ok(Term {
                field,
                value,
                equal,
            })
        });
        Ok(FieldSelector(terms.collect::<Result<_, Failure>>()?))
    }
}

impl FieldSelector {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn require_name(&mut self, name: &str) {
        self.0.push(Term {
            field: Field::Name,
            value: name.into(),
            equal: true,
        });
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.0
            .iter()
            .find(|term| term.field == Field::Name && term.equal)
            .map(|term| term.value.as_str())
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        self.0.iter().all(|term| {
            let field = match term.field {
                Field::Name => "name",
                Field::Namespace => "namespace",
            };
            (meta_str(object, field) == term.value) == term.equal
        })
    }
}

/// Splits at commas without a backslash before them.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        if c == ',' && !escaped {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    parts
}

/// The name, the value, and whether they must be equal. The first operator counts.
fn operands(part: &str) -> Option<(&str, &str, bool)> {
    let (at, operator) = part.char_indices().find_map(|(at, _)| {
        ["!=", "==", "="]
            .into_iter()
            .find(|o| part[at..].starts_with(o))
            .map(|o| (at, o))
    })?;
    Some((&part[..at], &part[at + operator.len()..], operator != "!="))
}

fn unescape(value: &str) -> Result<String, Failure> {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(next @ ('\\' | ',' | '=')) => text.push(next),
                next => {
                    let sequence = next.map_or_else(|| "\\".into(), |next| format!("\\{next}"));
                    return Err(bad_request(format!(
                        "invalid field selector: invalid escape sequence: {sequence}"
                    )));
                }
            },
            ',' | '=' => {
                return Err(bad_request(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(c)
                )));
            }
            _ => text.push(c),
        }
    }
    Ok(text)
}
