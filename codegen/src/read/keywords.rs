//! JSON Schema keywords: which of them are supported, and which only restrict values.

use super::explain::BOUNDS;
use crate::error::Error;
use crate::json::{Json, Node};
use crate::names::is_among;
use crate::unexpressed::{Outcome, Unexpressed};

const OF_ELEMENTS: &str = "describe all elements with one schema in `items`";
const OF_VALUES: &str = "describe the values with `additionalProperties`";

/// Keywords that no generated type can express, each with an alternative.
///
/// All other keywords restrict values (`minimum`, `pattern`), which the server checks, or annotate the
/// schema (`example`, extensions).
const UNSUPPORTED: [(&str, &str); 19] = [
    ("$dynamicRef", "write a plain `$ref`"),
    ("$recursiveRef", "write a plain `$ref`"),
    ("additionalItems", OF_ELEMENTS),
    ("contains", OF_ELEMENTS),
    ("contentSchema", "describe the encoded value"),
    ("dependencies", "list the fields in `properties`"),
    ("dependentSchemas", "list the fields in `properties`"),
    (
        "discriminator",
        "list the fields of all variants in `properties`",
    ),
    ("else", "list the fields of both branches in `properties`"),
    ("extends", "list all fields in `properties`"),
    ("if", "list the fields of both branches in `properties`"),
    ("disallow", "list the allowed types in `type`"),
    ("not", "describe the allowed values"),
    ("prefixItems", OF_ELEMENTS),
    ("propertyNames", OF_VALUES),
    ("then", "list the fields of both branches in `properties`"),
    ("unevaluatedItems", OF_ELEMENTS),
    ("unevaluatedProperties", OF_VALUES),
    ("$anchor", "name the schema in `$defs`"),
];

/// The keywords among them that describe the values; the others only restrict values of a schema that states its type elsewhere.
const DESCRIBING: [&str; 5] = [
    "$dynamicRef",
    "$recursiveRef",
    "additionalItems",
    "extends",
    "prefixItems",
];

/// The keywords that the plain types of a schema ignore. Of them `validate()` checks `not`.
pub(super) fn ignored(node: &Node<'_>) -> Vec<Unexpressed> {
    let found = UNSUPPORTED.iter().filter_map(|(keyword, _)| {
        let outcome = match *keyword {
            describing if DESCRIBING.contains(&describing) => return None,
            "not" => Outcome::Validated,
            _ => Outcome::Ignored,
        };
        Some(Unexpressed::new(&node.get(keyword)?.at, outcome))
    });
    found.collect()
}

/// Fails if the meaning of the schema would be lost. Plain types may lose restrictions.
pub(super) fn check(node: &Node<'_>, plain: bool) -> Result<(), Error> {
    for (keyword, instead) in UNSUPPORTED {
        if let Some(found) = node.get(keyword) {
            // The rules of CustomResourceDefinitions state no types.
            if keyword == "not" && is_described(node) && !states_type(found.json) {
                continue;
            }
            // `unevaluatedProperties: false` and the like only restrict.
            let restricts = matches!(found.json, Json::Bool(_));
            if plain && !DESCRIBING.contains(&keyword) {
                continue;
            }
            if restricts && (keyword.starts_with("unevaluated") || keyword == "additionalItems") {
                continue;
            }
            return Err(found
                .error(format!(
                    "the keyword `{keyword}` is not supported, because it changes the type"
                ))
                .help(instead)
                .unsupported());
        }
    }
    Ok(())
}

/// Whether the schema states its type outside of `oneOf`, `anyOf` and `allOf`.
pub(super) fn is_described(node: &Node<'_>) -> bool {
    ["type", "properties", "items"]
        .iter()
        .any(|word| node.get(word).is_some())
}

/// Whether a schema, or a schema inside it, states a type. Without a type it can only restrict the values
/// of the schema around it.
pub(super) fn states_type(schema: &Json) -> bool {
    let Json::Object(words) = schema else {
        return false;
    };
    words.iter().any(|(word, value)| match word.as_str() {
        "type" | "$ref" => true,
        "properties" => match value {
            Json::Object(fields) => fields.iter().any(|(_, field)| states_type(field)),
            _ => false,
        },
        "items" | "not" | "additionalProperties" => states_type(value),
        "allOf" | "anyOf" | "oneOf" => match value {
            Json::Array(branches) => branches.iter().any(states_type),
            _ => false,
        },
        _ => false,
    })
}

/// Whether a branch of `oneOf`, `anyOf` or `allOf` only restricts values and describes none.
pub(super) fn only_restricts(branch: &Node<'_>) -> bool {
    let only_says = |word: &str| {
        let is_note = [
            "required",
            "description",
            "title",
            "default",
            "example",
            "nullable",
        ];
        is_note.contains(&word) || is_among(BOUNDS, word) || word.starts_with("x-")
    };
    match branch.json {
        Json::Object(words) => words.iter().all(|(word, _)| only_says(word)),
        Json::Bool(true) => true,
        _ => false,
    }
}
