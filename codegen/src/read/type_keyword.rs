//! The keyword `type`, and whether `null` is allowed.

use crate::error::Error;
use crate::json::{Json, Node};

pub(super) fn is_format(node: &Node<'_>, format: &str) -> bool {
    node.json.get("format").and_then(Json::as_str) == Some(format)
}

/// Whether the schema allows `null` beside other values.
pub(super) fn is_nullable(node: &Node<'_>) -> Result<bool, Error> {
    let in_types = match node.json.get("type") {
        Some(Json::Array(types)) => types.iter().any(|name| name.as_str() == Some("null")),
        _ => false,
    };
    let in_branches = ["oneOf", "anyOf"].iter().any(|keyword| {
        let branches = node.get(keyword).and_then(|all| all.elements().ok());
        branches.is_some_and(|branches| branches.iter().any(is_null))
    });
    // Without `type`, the values are all that the schema allows.
    let in_values = match (node.json.get("type"), node.json.get("enum")) {
        (None | Some(Json::Null), Some(Json::Array(values))) => values.contains(&Json::Null),
        _ => false,
    };
    Ok(in_types || in_branches || in_values || node.flag("nullable")?)
}

pub(super) fn is_null(branch: &Node<'_>) -> bool {
    branch.json.get("type").and_then(Json::as_str) == Some("null")
}

/// Whether all values except `null` are strings.
pub(super) fn only_strings(values: &Node<'_>) -> bool {
    let Json::Array(values) = values.json else {
        return false;
    };
    let mut values = values
        .iter()
        .filter(|v| !matches!(v, Json::Null))
        .peekable();
    values.peek().is_some() && values.all(|v| v.as_str().is_some())
}

/// The only type besides `null`.
pub(super) fn single_type<'a>(node: &Node<'a>) -> Result<Option<&'a str>, Error> {
    match types(node)?.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => Err(node
            .error(format!(
                "a value of several types ({}) is not supported",
                several.join(", ")
            ))
            .help("give one type besides `null`, or `integer` and `string`")
            .unsupported()),
    }
}

pub(super) fn is_int_or_string(node: &Node<'_>) -> Result<bool, Error> {
    let mut types = types(node)?;
    types.sort_unstable();
    Ok(types == ["integer", "string"])
}

/// The types in a `type` keyword, without `null`. A single type stands for itself.
pub(super) fn types<'a>(node: &Node<'a>) -> Result<Vec<&'a str>, Error> {
    const NAME: &str = "the name of a type, such as `object`";
    if let Some(one) = node.json.as_str() {
        return Ok(vec![one]);
    }
    let Ok(elements) = node.elements() else {
        return Err(node.expected(&format!("{NAME}, or a list of names")));
    };
    let mut types = elements
        .iter()
        .map(|name| name.json.as_str().ok_or_else(|| name.expected(NAME)))
        .collect::<Result<Vec<_>, _>>()?;
    types.retain(|name| *name != "null");
    Ok(types)
}
