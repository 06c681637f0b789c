//! A schema without the keywords that do not restrict values.

use super::Definitions;
use crate::documents::Document;
use crate::error::Error;
use crate::format::Format;
use crate::json::{Json, Node};
use std::sync::Arc;

/// Keywords whose values are copied, with what they must be.
const COPIED: [(&str, Expected); 26] = [
    ("type", Expected::TextOrList),
    ("format", Expected::Text),
    ("pattern", Expected::Text),
    ("x-kubernetes-list-type", Expected::Text),
    ("nullable", Expected::Flag),
    ("uniqueItems", Expected::Flag),
    ("x-kubernetes-embedded-resource", Expected::Flag),
    ("x-kubernetes-int-or-string", Expected::Flag),
    ("x-kubernetes-preserve-unknown-fields", Expected::Flag),
    ("exclusiveMaximum", Expected::FlagOrNumber),
    ("exclusiveMinimum", Expected::FlagOrNumber),
    ("maximum", Expected::Number),
    ("minimum", Expected::Number),
    ("multipleOf", Expected::Number),
    ("maxItems", Expected::Count),
    ("minItems", Expected::Count),
    ("maxLength", Expected::Count),
    ("minLength", Expected::Count),
    ("maxProperties", Expected::Count),
    ("minProperties", Expected::Count),
    ("enum", Expected::List),
    ("required", Expected::List),
    ("x-kubernetes-list-map-keys", Expected::List),
    ("x-kubernetes-validations", Expected::List),
    ("default", Expected::Default),
    ("const", Expected::Unread),
];

/// Keywords that `validate()` reports as not checked.
const UNREAD: [&str; 11] = [
    "additionalItems",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The expected value of a keyword.
#[derive(Clone, Copy)]
enum Expected {
    Text,
    TextOrList,
    Flag,
    FlagOrNumber,
    Number,
    Count,
    List,
    /// A value that servers fill in, only in CustomResourceDefinitions.
    Default,
    Unread,
}

impl Expected {
    /// The missing part, if the value is something else.
    fn lacks(self, value: &Json) -> Option<&'static str> {
        let (fits, expected) = match self {
            Self::Text => (matches!(value, Json::String(_)), "a string"),
            Self::TextOrList => (
                matches!(value, Json::String(_) | Json::Array(_)),
                "a string or a list",
            ),
            Self::Flag => (matches!(value, Json::Bool(_)), "`true` or `false`"),
            Self::FlagOrNumber => (
                matches!(value, Json::Bool(_) | Json::Number(_)),
                "`true`, `false` or a number",
            ),
            Self::Number => (matches!(value, Json::Number(_)), "a number"),
            Self::Count => (
                matches!(value, Json::Number(text) if text.parse::<u64>().is_ok()),
                "an integer that is not negative",
            ),
            Self::List => (matches!(value, Json::Array(_)), "a list"),
            Self::Default | Self::Unread => (true, ""),
        };
        (!fits).then_some(expected)
    }
}

impl Definitions<'_> {
    /// The part of a schema that restricts values.
    pub(super) fn reduce(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
    ) -> Result<Json, Error> {
        let Ok(words) = node.fields() else {
            return Ok(Json::Bool(!matches!(node.json, Json::Bool(false))));
        };
        if let Some(reference) = node.string_of("$ref")? {
            let at = node.at.child("$ref");
            return Ok(match self.reference(document, reference, &at)? {
                Some(name) => Json::Object(vec![(
                    "$ref".to_owned(),
                    Json::String(format!("#/$defs/{name}")),
                )]),
                None => Json::Bool(true),
            });
        }
        let mut kept = Vec::new();
        for (word, value) in words {
            if matches!(value.json, Json::Null) {
                continue;
            }
            let value = match word {
                "properties" => {
                    let mut fields = Vec::new();
                    for (name, schema) in value.fields()? {
                        fields.push((name.to_owned(), self.reduce(document, &schema)?));
                    }
                    Json::Object(fields)
                }
                "items" | "additionalProperties" | "not" if value.is_object() => {
                    self.reduce(document, &value)?
                }
                "items" | "additionalProperties" => value.json.clone(),
                "allOf" | "anyOf" | "oneOf" => {
                    let mut branches = Vec::new();
                    for branch in value.elements()? {
                        branches.push(self.reduce(document, &branch)?);
                    }
                    Json::Array(branches)
                }
                word if UNREAD.contains(&word) => Json::Bool(true),
                word => match COPIED.iter().find(|(name, _)| *name == word) {
                    Some((_, Expected::Default))
                        if document.format != Format::CustomResourceDefinition =>
                    {
                        continue;
                    }
                    Some((_, expected)) => match expected.lacks(value.json) {
                        Some(lacks) => {
                            let message = format!("`{word}` must be {lacks}");
                            let help = "correct the document, or generate without `--validate`";
                            return Err(value.error(message).help(help));
                        }
                        None => value.json.clone(),
                    },
                    None => continue,
                },
            };
            kept.push((word.to_owned(), value));
        }
        Ok(Json::Object(kept))
    }
}
