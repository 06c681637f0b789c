//! The limits of values beyond their type in a schema, as sentences for the documentation of a field.

use super::type_keyword::is_nullable;
use crate::error::Error;
use crate::json::{Json, Node};

/// The default, the bounds, the allowed values and whether `null` is a value, unless `description` says so already.
pub(super) fn sentences(
    node: &Node<'_>,
    description: &str,
    required: bool,
) -> Result<String, Error> {
    let mut sentences = Vec::new();
    let default = node.get("default").map(|default| default.json);
    // Published documents give required fields the zero values of Go, which are not defaults of a server.
    let default = default.filter(|value| !required || !is_zero(value));
    if let Some(default) = default
        && !description.to_lowercase().contains("default")
        && !matches!(default, Json::Object(fields) if fields.is_empty())
    {
        sentences.push(format!("Defaults to {}.", code(&text(default))));
    }
    let of_value = bounds(node);
    sentences.extend(
        of_value
            .into_iter()
            .filter(|bound| !is_said(description, bound)),
    );
    let of_elements = elements(node)?;
    sentences.extend(
        of_elements
            .into_iter()
            .filter(|sentence| !is_said(description, sentence)),
    );
    if is_nullable(node)? && !description.contains("null") {
        sentences.push("May be `null`.".to_owned());
    }
    Ok(sentences.join(" "))
}

/// The bounds of the elements of a list and of the values of a map, at every depth.
fn elements(node: &Node<'_>) -> Result<Vec<String>, Error> {
    let mut sentences = Vec::new();
    for (inside, name) in [
        ("items", "Each element"),
        ("additionalProperties", "Each value"),
    ] {
        if let Some(element) = node.get(inside).filter(Node::is_object) {
            let mut of_element = bounds(&element);
            if is_nullable(&element)? {
                of_element.push("May be `null`.".to_owned());
            }
            of_element.extend(elements(&element)?);
            let of_element = of_element.iter().map(|bound| lowercase(bound));
            sentences.extend(of_element.map(|bound| format!("{name}: {bound}")));
        }
    }
    Ok(sentences)
}

/// The bounds of a value, each as a sentence.
fn bounds(node: &Node<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    let number = |name: &str| match node.get(name).map(|bound| bound.json) {
        Some(Json::Number(text)) => Some(text.as_str()),
        _ => None,
    };
    let is_set =
        |name: &str| matches!(node.get(name).map(|word| word.json), Some(Json::Bool(true)));
    // A number in newer drafts, and a word that qualifies the bound in older ones.
    let lowest = number("minimum").filter(|_| !is_set("exclusiveMinimum"));
    let highest = number("maximum").filter(|_| !is_set("exclusiveMaximum"));
    let above = number("exclusiveMinimum").or(number("minimum").filter(|_| lowest.is_none()));
    let below = number("exclusiveMaximum").or(number("maximum").filter(|_| highest.is_none()));
    match (lowest, highest) {
        (Some(lowest), Some(highest)) => sentences.push(format!("From {lowest} to {highest}.")),
        (Some(lowest), None) => sentences.push(format!("At least {lowest}.")),
        (None, Some(highest)) => sentences.push(format!("At most {highest}.")),
        (None, None) => {}
    }
    sentences.extend(above.map(|bound| format!("Greater than {bound}.")));
    sentences.extend(below.map(|bound| format!("Less than {bound}.")));
    sentences.extend(number("multipleOf").map(|factor| format!("A multiple of {factor}.")));
    for (least, most, noun) in [
        ("minLength", "maxLength", "characters"),
        ("minItems", "maxItems", "elements"),
        ("minProperties", "maxProperties", "entries"),
    ] {
        match (number(least).filter(|least| *least != "0"), number(most)) {
            (Some(least), Some(most)) => sentences.push(format!("From {least} to {most} {noun}.")),
            (Some(least), None) => sentences.push(format!("At least {least} {noun}.")),
            (None, Some(most)) => sentences.push(format!("At most {most} {noun}.")),
            (None, None) => {}
        }
    }
    if is_set("uniqueItems") {
        sentences.push("No two elements are equal.".to_owned());
    }
    if let Some(Json::String(pattern)) = node.get("pattern").map(|pattern| pattern.json) {
        sentences.push(format!("Matches {}.", code(pattern)));
    }
    if let Some(Json::String(format)) = node.get("format").map(|format| format.json)
        && !is_type(format)
    {
        sentences.push(format!("Has the format {}.", code(format)));
    }
    // Strings become an enum, which lists its values.
    if let Some(Json::Array(values)) = node.get("enum").map(|values| values.json)
        && !values
            .iter()
            .all(|value| matches!(value, Json::String(_) | Json::Null))
    {
        let values: Vec<String> = values.iter().map(|value| code(&text(value))).collect();
        sentences.push(format!("One of {}.", values.join(", ")));
    }
    sentences
}

/// The formats that the Rust type shows, and `password`, which hides a value.
const TYPES: [&str; 11] = [
    "int32",
    "int64",
    "uint64",
    "uint32",
    "double",
    "float",
    "date-time",
    "byte",
    "password",
    "int-or-string",
    "quantity",
];

/// Whether the Rust type tells the format.
pub(super) fn is_type(format: &str) -> bool {
    TYPES.contains(&format)
}

/// Whether a description has all numbers and all code of a sentence, so that it need not be repeated.
fn is_said(description: &str, sentence: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '.' | '_'));
        words
            .map(|word| word.trim_matches('.').to_owned())
            .filter(|word| !word.is_empty())
            .collect()
    };
    let said = words(description);
    let mut facts: Vec<String> = words(sentence);
    facts.retain(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
    if let (Some(start), Some(end)) = (sentence.find('`'), sentence.rfind('`')) {
        return description.contains(&sentence[start..=end]);
    }
    !facts.is_empty() && facts.iter().all(|fact| said.contains(fact))
}

fn is_zero(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::Bool(true) => false,
        Json::Number(text) => text.parse() == Ok(0.0_f64),
        Json::String(text) => text.is_empty(),
        Json::Array(elements) => elements.is_empty(),
        Json::Object(fields) => fields.is_empty(),
    }
}

fn text(value: &Json) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.escape_debug());
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(flag) => flag.to_string(),
        Json::Number(text) => text.clone(),
        Json::String(text) => quoted(text),
        Json::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(text).collect();
            format!("[{}]", elements.join(", "))
        }
        Json::Object(fields) => {
            let fields = fields.iter();
            let fields: Vec<String> = fields
                .map(|(name, value)| format!("{}: {}", quoted(name), text(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// Text as inline code of Markdown, also if it has backticks.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

fn lowercase(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
