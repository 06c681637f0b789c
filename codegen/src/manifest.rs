//! From JSON or YAML text to the documents in it.

use crate::error::{At, Error};
use crate::json::Json;
use k8s_flowcontrol_text::{Content, Node, Position, parse_json_values, parse_yaml_documents};
use std::collections::HashSet;

/// The maximum depth of a document.
const MAX_DEPTH: usize = 128;

/// The maximum number of values after YAML's aliases are expanded.
const MAX_VALUES: usize = 10_000_000;

/// In the error for a text that is nested more deeply than is read at all.
const TOO_DEEP: &str = "exceeded max depth";

const HELP: &str = "give an OpenAPI v3, Swagger 2 or JSON Schema document, or a CustomResourceDefinition, as JSON or YAML";

/// The documents of a text. Of a manifest with CustomResourceDefinitions, which may be in lists, only these.
pub(crate) fn read(text: &str, at: &At) -> Result<Vec<Json>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Error::at(at, "the text is empty").help("check the command that writes it"));
    }
    let documents = documents(text, at)?;
    let mut flat = Vec::with_capacity(documents.len());
    for document in documents {
        flatten(document, &mut flat);
    }
    if flat.is_empty() {
        return Err(Error::at(at, "the list has no items").help(HELP));
    }
    if flat.iter().any(is_definition) {
        flat.retain(is_definition);
    }
    Ok(flat)
}

fn is_definition(document: &Json) -> bool {
    document.get("kind").and_then(Json::as_str) == Some("CustomResourceDefinition")
}

/// Takes the items of a Kubernetes list out of it.
fn flatten(document: Json, flat: &mut Vec<Json>) {
    let kind = document.get("kind").and_then(Json::as_str);
    let is_list = matches!(kind, Some("List" | "CustomResourceDefinitionList"));
    match document {
        Json::Object(fields) if is_list => {
            let items = fields.into_iter().find(|(name, _)| name == "items");
            if let Some((_, Json::Array(items))) = items {
                for item in items {
                    flatten(typed(item), flat);
                }
            }
        }
        other => flat.push(other),
    }
}

/// An item of a list, which may lack the kind of the list.
fn typed(item: Json) -> Json {
    match item {
        Json::Object(mut fields) => {
            let is_bare = |name: &str| fields.iter().all(|(field, _)| field != name);
            if is_bare("kind") && is_bare("apiVersion") {
                let text = |text: &str| Json::String(text.to_owned());
                fields.push(("kind".to_owned(), text("CustomResourceDefinition")));
                fields.push(("apiVersion".to_owned(), text("apiextensions.k8s.io/v1")));
            }
            Json::Object(fields)
        }
        other => other,
    }
}

fn documents(text: &str, at: &At) -> Result<Vec<Json>, Error> {
    let is_json = text.trim_start().starts_with(['{', '[', '"', '<']);
    let read = match is_json {
        true => parse_json_values(text.as_bytes()),
        false => parse_yaml_documents(text.as_bytes()),
    };
    match read.error {
        Some(error) if error.message().contains(TOO_DEEP) => {
            return Err(too_deep(text, error.offset(), at));
        }
        Some(error) if is_json => {
            let Position { line, column } = Position::of(text.as_bytes(), error.offset());
            let message = format!(
                "not JSON: line {line}, column {column}: {}",
                error.message()
            );
            return Err(Error::at(at, message).help(instead_of_json(text, error.offset())));
        }
        Some(error) => {
            let message = format!("neither JSON nor YAML: {}", error.message());
            return Err(Error::at(at, message).help(HELP));
        }
        None => {}
    }
    if read.documents.is_empty() {
        let message = "the text does not contain a document";
        return Err(Error::at(at, message).help(HELP));
    }
    let mut budget = MAX_VALUES;
    let documents = read.documents.iter().map(|document| {
        if let Some(duplicate) = document.duplicates.first() {
            return Err(twice(&duplicate.to_string(), at));
        }
        value(document.tree.root(), MAX_DEPTH, &mut budget).map_err(|fault| match fault {
            Fault::Duplicate(name) => twice(
                &format!("the field `{name}` appears twice in one object"),
                at,
            ),
            Fault::TooDeep(offset) => too_deep(text, offset, at),
        })
    });
    documents.collect()
}

fn twice(message: &str, at: &At) -> Error {
    Error::at(at, message).help("remove one of the two")
}

fn too_deep(text: &str, offset: usize, at: &At) -> Error {
    let line = Position::of(text.as_bytes(), offset).line;
    let message = format!("nested too deeply to be a schema document: line {line}");
    Error::at(at, message).help("give a document with at most 128 levels")
}

fn instead_of_json(text: &str, offset: usize) -> &'static str {
    if text.trim_start().starts_with('<') {
        "this looks like HTML from a proxy or a login page: ask the API server itself"
    } else if offset >= text.len() {
        "the text ends in the middle of the document: get it again"
    } else {
        "give an OpenAPI v3, Swagger 2 or JSON Schema document, or a CustomResourceDefinition"
    }
}

enum Fault<'a> {
    Duplicate(&'a str),
    /// At this offset the text has too many levels, or too many values.
    TooDeep(usize),
}

fn value<'a>(node: Node<'a>, depth: usize, budget: &mut usize) -> Result<Json, Fault<'a>> {
    let too_deep = || Fault::TooDeep(node.span().start);
    let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
    *budget = budget.checked_sub(1).ok_or_else(too_deep)?;
    Ok(match node.content() {
        Content::Null => Json::Null,
        Content::Bool(value) => Json::Bool(value),
        Content::Number(text) => Json::Number(text.to_owned()),
        Content::String(text) => Json::String(text.to_owned()),
        Content::Array(elements) => {
            let elements = elements.iter();
            let elements = elements.map(|element| value(element, depth, budget));
            Json::Array(elements.collect::<Result<_, _>>()?)
        }
        Content::Object(fields) => {
            let mut names = HashSet::new();
            let fields = fields.iter().map(|field| match names.insert(field.name) {
                true => Ok((field.name.to_owned(), value(field.value, depth, budget)?)),
                false => Err(Fault::Duplicate(field.name)),
            });
            Json::Object(fields.collect::<Result<_, _>>()?)
        }
    })
}
