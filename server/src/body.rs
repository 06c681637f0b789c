//! Bodies of requests: objects, and the texts of patches and options.

use crate::guests;
use crate::kinds::Kind;
use crate::status::{Failure, bad_request};
use k8s_flowcontrol_rules::decode;
use k8s_flowcontrol_rules::decode::{Expected, Format, Kind as Named};
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_text::{Content, Node};
use k8s_flowcontrol_types::{ApiVersion, FieldValidation};
use serde_json::Value;

/// An object as a client sent it.
#[derive(Debug)]
pub(crate) struct Read {
    /// In hub form, defaults filled in.
    pub(crate) object: Value,
    pub(crate) warnings: Vec<String>,
}

/// Reads a body as a `kind` of `version`. What it leaves out of its type is taken from the path.
///
/// # Errors
/// 400 for text that is no such object.
pub(crate) fn read_object(
    body: &[u8],
    format: Format,
    kind: &Kind,
    version: ApiVersion,
    validation: FieldValidation,
) -> Result<Read, Failure> {
    if kind.is_guest() {
        let (value, warnings) =
            guests::read(body, format, kind, validation).map_err(bad_request)?;
        return Ok(Read {
            object: kind.to_hub(value, version),
            warnings,
        });
    }
    let expected = expected(kind, version)
        .ok_or_else(|| bad_request(format!("bodies of kind {} cannot be read", kind.name())))?;
    let object = decode::read_body(body, format, expected, validation)
        .map_err(|error| bad_request(error.message))?;
    Ok(Read {
        object: kind.to_hub(object.value, version),
        warnings: object.warnings,
    })
}

fn expected(kind: &Kind, version: ApiVersion) -> Option<Expected> {
    let named = Named::ALL
        .into_iter()
        .find(|named| !kind.is_guest() && named.as_str() == kind.name())?;
    Some(Expected {
        kind: named,
        version,
        release: kind.release(),
    })
}

/// What the server says of an object in JSON that is of another type than `kind`.
pub(crate) fn other_type(body: &[u8], kind: &Kind, version: ApiVersion) -> String {
    if kind.is_guest() {
        return guests::read(body, Format::Json, kind, FieldValidation::Ignore)
            .err()
            .unwrap_or_else(|| "the object says nothing of its type".to_owned());
    }
    expected(kind, version)
        .and_then(|expected| {
            decode::read_body(body, Format::Json, expected, FieldValidation::Ignore).err()
        })
        .map_or_else(|| "unknown conversion".into(), |error| error.cause)
}

/// A text that is no object of a kind.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) value: Value,
    /// The members that stand more than once: their paths, or in YAML what the reader says of them.
    pub(crate) repeated: Vec<String>,
}

impl Document {
    /// # Errors
    /// What the server says of the text.
    pub(crate) fn from_json(body: &[u8]) -> Result<Self, String> {
        let tree = text::parse_json(body).map_err(|error| error.message().to_owned())?;
        // What lies too deep ends here, so that the walk below has an end.
        let value = text::to_value(tree.root())?;
        let mut repeated = Vec::new();
        find_repeated(tree.root(), "", &mut repeated);
        Ok(Self { value, repeated })
    }

    /// # Errors
    /// What the server says of the text.
    pub(crate) fn from_yaml(body: &[u8]) -> Result<Self, String> {
        let yaml = text::parse_yaml(body).map_err(|error| error.message().to_owned())?;
        Ok(Self {
            value: text::to_value(yaml.tree.root())?,
            repeated: yaml.duplicates.iter().map(ToString::to_string).collect(),
        })
    }
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self {
            value,
            repeated: Vec::new(),
        }
    }
}

fn find_repeated(node: Node<'_>, path: &str, repeated: &mut Vec<String>) {
    match node.content() {
        Content::Object(members) => {
            let mut seen: Vec<&str> = Vec::new();
            for member in members.iter() {
                let path = match path {
                    "" => member.name.to_owned(),
                    path => format!("{path}.{}", member.name),
                };
                if seen.iter().filter(|seen| **seen == member.name).count() == 1 {
                    repeated.push(path.clone());
                }
                seen.push(member.name);
                find_repeated(member.value, &path, repeated);
            }
        }
        Content::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                find_repeated(element, &format!("{path}[{index}]"), repeated);
            }
        }
        _ => {}
    }
}
