//! From JSON or YAML text to the documents in it.

use crate::error::{At, Error};
use crate::json::Json;
use k8s_flowcontrol_text::{Content, Node as YamlNode, parse_yaml_documents};

/// The maximum depth of a YAML document, with which serde_json's limit for JSON agrees.
const MAX_DEPTH: usize = 128;

/// The maximum number of values after YAML's aliases are expanded.
const MAX_VALUES: usize = 10_000_000;

const HELP: &str = "give an OpenAPI v3, Swagger 2 or JSON Schema document, or a CustomResourceDefinition, as JSON or YAML";

/// The documents of a text. Of a manifest with CustomResourceDefinitions, which may be in lists, only these.
pub(crate) fn read(text: &str, at: &At) -> Result<Vec<Json>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Error::at(at, "the text is empty").help("check the command that writes it"));
    }
    let documents = match text.trim_start().starts_with(['{', '[', '"', '<']) {
        false => yaml(text, at)?,
        true => vec![json(text, at)?],
    };
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

/// Whether the document is a CustomResourceDefinition.
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

fn json(text: &str, at: &At) -> Result<Json, Error> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        if message.starts_with("recursion limit") {
            Error::at(
                at,
                format!("nested too deeply to be a schema document: {message}"),
            )
            .help("give a document with at most 128 levels")
        } else if message.starts_with("the field ") {
            Error::at(at, message).help("remove one of the two")
        } else {
            Error::at(at, format!("not JSON: {message}")).help(instead_of_json(text, &error))
        }
    })
}

/// Advice for a text that is not JSON.
fn instead_of_json(text: &str, error: &serde_json::Error) -> &'static str {
    if text.trim_start().starts_with('<') {
        "this looks like HTML from a proxy or a login page: ask the API server itself"
    } else if error.is_eof() {
        "the text ends in the middle of the document: get it again"
    } else {
        "give an OpenAPI v3, Swagger 2 or JSON Schema document, or a CustomResourceDefinition"
    }
}

fn yaml(text: &str, at: &At) -> Result<Vec<Json>, Error> {
    let read = parse_yaml_documents(text.as_bytes());
    if let Some(error) = read.error {
        return Err(
            Error::at(at, format!("neither JSON nor YAML: {}", error.message())).help(HELP),
        );
    }
    let mut budget = MAX_VALUES;
    let mut documents = Vec::with_capacity(read.documents.len());
    for document in &read.documents {
        if let Some(duplicate) = document.duplicates.first() {
            return Err(Error::at(at, duplicate.to_string()).help("remove one of the two"));
        }
        let json = value(document.tree.root(), MAX_DEPTH, &mut budget);
        documents.push(json.ok_or_else(|| {
            Error::at(at, "nested too deeply to be a schema document")
                .help("give a document with at most 128 levels")
        })?);
    }
    if documents.is_empty() {
        let message = "the text does not contain a document";
        return Err(Error::at(at, message).help(HELP));
    }
    Ok(documents)
}

/// A YAML value as JSON; `None` if it is too deep or too large.
fn value(node: YamlNode<'_>, depth: usize, budget: &mut usize) -> Option<Json> {
    let depth = depth.checked_sub(1)?;
    *budget = budget.checked_sub(1)?;
    Some(match node.content() {
        Content::Null => Json::Null,
        Content::Bool(value) => Json::Bool(value),
        Content::Number(text) => Json::Number(text.to_owned()),
        Content::String(text) => Json::String(text.to_owned()),
        Content::Array(elements) => Json::Array(
            elements
                .iter()
                .map(|element| value(element, depth, budget))
                .collect::<Option<_>>()?,
        ),
        Content::Object(fields) => Json::Object(
            fields
                .iter()
                .map(|field| Some((field.name.to_owned(), value(field.value, depth, budget)?)))
                .collect::<Option<_>>()?,
        ),
    })
}
