//! Which JSON Schema keywords are understood, which are harmless, and which must be refused.

use crate::error::Error;
use crate::json::{Json, Node};

/// Keywords that change which values a schema describes in ways that no generated type can show.
///
/// Everything else that the reader does not interpret either restricts values (`minimum`, `pattern`),
/// which is the server's business, or says something about the schema (`example`, extensions).
const REFUSED: [(&str, &str); 20] = [
    ("$dynamicRef", "write a plain `$ref`"),
    ("$recursiveRef", "write a plain `$ref`"),
    (
        "additionalItems",
        "describe all elements with one schema in `items`",
    ),
    (
        "contains",
        "describe all elements with one schema in `items`",
    ),
    (
        "contentSchema",
        "describe the value as it stands in the JSON text",
    ),
    ("dependencies", "list the members in `properties`"),
    ("dependentSchemas", "list the members in `properties`"),
    (
        "discriminator",
        "list the members of all variants in `properties`",
    ),
    ("else", "list the members of both branches in `properties`"),
    ("extends", "list all members in `properties`"),
    ("if", "list the members of both branches in `properties`"),
    ("disallow", "say what is allowed in `type`"),
    ("not", "say what is allowed"),
    (
        "patternProperties",
        "describe the values with `additionalProperties`",
    ),
    (
        "prefixItems",
        "describe all elements with one schema in `items`",
    ),
    (
        "propertyNames",
        "describe the values with `additionalProperties`",
    ),
    ("then", "list the members of both branches in `properties`"),
    (
        "unevaluatedItems",
        "describe all elements with one schema in `items`",
    ),
    (
        "unevaluatedProperties",
        "describe the values with `additionalProperties`",
    ),
    ("$anchor", "name the schema in `$defs`"),
];

/// Refuses a schema whose meaning would be lost.
pub(super) fn check(node: &Node<'_>) -> Result<(), Error> {
    for (keyword, instead) in REFUSED {
        if let Some(found) = node.get(keyword) {
            // As in CustomResourceDefinitions, whose rules state no types.
            if keyword == "not" && is_described(node) && !states_type(found.json) {
                continue;
            }
            // `unevaluatedProperties: false` and the like only restrict.
            let restricts = matches!(found.json, Json::Bool(_));
            if restricts && (keyword.starts_with("unevaluated") || keyword == "additionalItems") {
                continue;
            }
            return Err(found
                .error(format!(
                    "the keyword `{keyword}` changes the meaning and is not supported"
                ))
                .help(instead));
        }
    }
    Ok(())
}

/// Whether the schema itself says what its values are, whatever stands in `oneOf` and the like.
pub(super) fn is_described(node: &Node<'_>) -> bool {
    ["type", "properties", "items"]
        .iter()
        .any(|word| node.get(word).is_some())
}

/// Whether a schema, or one inside it, says of which type its values are. One that does not can only
/// restrict the values that the schema around it describes.
pub(super) fn states_type(schema: &Json) -> bool {
    let Json::Object(words) = schema else {
        return false;
    };
    words.iter().any(|(word, value)| match word.as_str() {
        "type" | "$ref" => true,
        "properties" => match value {
            Json::Object(members) => members.iter().any(|(_, member)| states_type(member)),
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
    const RULES: [&str; 19] = [
        "required",
        "description",
        "title",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "default",
        "example",
        "nullable",
    ];
    match branch.json {
        Json::Object(members) => members
            .iter()
            .all(|(name, _)| RULES.contains(&name.as_str()) || name.starts_with("x-")),
        Json::Bool(true) => true,
        _ => false,
    }
}
