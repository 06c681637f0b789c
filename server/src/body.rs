//! Bodies of requests: objects, patches and options.

use crate::kinds::{Kind, Version};
use crate::status::{Failure, bad_request};
use k8s_flowcontrol_rules::decode::Format;
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_text::{Content, Node};
use k8s_flowcontrol_types::FieldValidation;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;

/// The maximum number of reported duplicate fields, as in the server's library.
const MOST_DUPLICATES: usize = 100;

/// An object from a client.
#[derive(Debug)]
pub(crate) struct Read {
    /// In hub form, with defaults.
    pub(crate) object: Value,
    pub(crate) warnings: Vec<String>,
}

/// Reads a body as a `kind` of `version`. An absent type is that of the path.
///
/// # Errors
/// 400 for text that is not such an object.
pub(crate) fn read_object(
    body: &[u8],
    format: Format,
    kind: &Kind,
    version: Version,
    validation: FieldValidation,
) -> Result<Read, Failure> {
    let (object, warnings) = kind
        .read(body, format, version, validation)
        .map_err(|error| bad_request(error.message))?;
    Ok(Read {
        object: kind.to_hub(object, version),
        warnings,
    })
}

/// The server's message for a JSON object of another type than `kind` in `version`.
pub(crate) fn other_type(body: &[u8], kind: &Kind, version: Version) -> String {
    kind.read(body, Format::Json, version, FieldValidation::Ignore)
        .map_or_else(|error| error.cause, |_| "unknown conversion".into())
}

/// A text that is not an object of a kind: a patch, an applied configuration or options.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) value: Value,
    /// The duplicate fields: their paths, or the messages of the YAML reader.
    pub(crate) duplicates: Vec<String>,
}

impl Document {
    /// # Errors
    /// The server's message for text that is not JSON.
    pub(crate) fn from_json(body: &[u8]) -> Result<Self, String> {
        let tree = text::parse_json(body).map_err(|error| error.message().to_owned())?;
        // Fails for text that is nested too deeply, which bounds the recursion below.
        let value = text::to_value(tree.root()).map_err(|error| error.to_string())?;
        let mut duplicates = Vec::new();
        find_duplicates(tree.root(), &mut String::new(), &mut duplicates);
        Ok(Self { value, duplicates })
    }

    /// # Errors
    /// The server's message for text that is not YAML.
    pub(crate) fn from_yaml(body: &[u8]) -> Result<Self, String> {
        let yaml = text::parse_yaml(body).map_err(|error| error.message().to_owned())?;
        Ok(Self {
            value: text::to_value(yaml.tree.root()).map_err(|error| error.to_string())?,
            duplicates: yaml.duplicates.iter().map(ToString::to_string).collect(),
        })
    }
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self {
            value,
            duplicates: Vec::new(),
        }
    }
}

/// Collects the paths of duplicate fields below `path`, which is changed and restored: copies of a long path for each
/// of many fields would grow with the square of the text.
fn find_duplicates(node: Node<'_>, path: &mut String, duplicates: &mut Vec<String>) {
    let length = path.len();
    match node.content() {
        Content::Object(fields) => {
            let mut counts: HashMap<&str, usize> = HashMap::new();
            for field in fields.iter() {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(field.name);
                let count = counts.entry(field.name).or_default();
                *count += 1;
                if *count == 2 && duplicates.len() < MOST_DUPLICATES {
                    duplicates.push(path.clone());
                }
                find_duplicates(field.value, path, duplicates);
                path.truncate(length);
            }
        }
        Content::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                // Writing to a string does not fail.
                let _ = write!(path, "[{index}]");
                find_duplicates(element, path, duplicates);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
