//! The formats of documents, and good guesses at other JSON.

use crate::error::Error;
use crate::json::{Json, Node};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    OpenApi3,
    Swagger2,
    JsonSchema,
    CustomResourceDefinition,
}

/// The remedy for text that is not a schema document.
pub(crate) const HELP: &str = "give an OpenAPI v3, Swagger 2 or JSON Schema document, such as a server's answer to \
                               `kubectl get --raw /openapi/v3/apis/GROUP/VERSION`";

/// Recognizes the format of a document. The error for other JSON names its likely content.
pub(crate) fn recognize(root: &Node<'_>) -> Result<Format, Error> {
    let other = |guess: &str| {
        Err(root
            .error(format!("{guess}, not a schema document"))
            .help(HELP))
    };
    if !root.is_object() {
        return Err(root
            .error("expected a schema document, which is a JSON object")
            .help(HELP));
    }
    // As a schema, `{}` allows any JSON.
    if root.is_empty() {
        return Ok(Format::JsonSchema);
    }
    if let Some(version) = root.get("openapi") {
        return if version.string()?.starts_with("3.") {
            Ok(Format::OpenApi3)
        } else {
            Err(version
                .error(format!(
                    "OpenAPI version `{}` is not supported",
                    version.string()?
                ))
                .help("give a document with `openapi: 3.0.x` or `3.1.x`, or with `swagger: 2.0`"))
        };
    }
    if let Some(version) = root.get("swagger") {
        return if version.string()? == "2.0" {
            Ok(Format::Swagger2)
        } else {
            Err(version
                .error(format!(
                    "Swagger version `{}` is not supported",
                    version.string()?
                ))
                .help("give a document with `swagger: 2.0`, or with `openapi: 3.x`"))
        };
    }
    let kind = root.json.get("kind").and_then(Json::as_str);
    let api_version = root.json.get("apiVersion").and_then(Json::as_str);
    match (kind, api_version) {
        (Some(kind), Some(_)) if kind.starts_with("API") => {
            return other(&format!(
                "this looks like a discovery document (`kind: {kind}`)"
            ));
        }
        (Some("CustomResourceDefinition"), Some(_)) => {
            return Ok(Format::CustomResourceDefinition);
        }
        (Some("Status"), Some(_)) => {
            let message = root.json.get("message").and_then(Json::as_str);
            return other(&format!(
                "this is an error response of a server ({})",
                message.unwrap_or("without a message")
            ));
        }
        (Some(kind), Some(_)) => {
            return other(&format!(
                "this looks like a Kubernetes object (`kind: {kind}`)"
            ));
        }
        _ => {}
    }
    const SCHEMA_WORDS: [&str; 13] = [
        "$schema",
        "$ref",
        "$defs",
        "definitions",
        "type",
        "properties",
        "items",
        "enum",
        "allOf",
        "anyOf",
        "oneOf",
        "additionalProperties",
        "x-kubernetes-preserve-unknown-fields",
    ];
    if SCHEMA_WORDS
        .iter()
        .any(|word| root.json.get(word).is_some())
    {
        return Ok(Format::JsonSchema);
    }
    if root.json.get("components").is_some() {
        return other("this looks like an OpenAPI document without its `openapi` version");
    }
    if root.json.get("paths").is_some() {
        return other("this looks like an index of OpenAPI documents");
    }
    other("this is other JSON")
}
