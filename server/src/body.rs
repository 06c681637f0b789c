//! Bodies of requests: objects, patches and options.

use crate::kinds::{Kind, Version};
use crate::patch::OPERATION_FIELDS;
use crate::status::{Failure, bad_request};
use k8s_flowcontrol_rules::decode::Format;
use k8s_flowcontrol_rules::validate::dedup_owner_references;
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_text::{Content, Node};
use k8s_flowcontrol_types::FieldValidation;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;

/// The maximum number of reported problems, as in the server's library.
const MOST_PROBLEMS: usize = 100;

/// An object from a client.
#[derive(Debug)]
pub(crate) struct Read {
    /// In hub form, with defaults.
    pub(crate) object: Value,
    pub(crate) warnings: Vec<String>,
}

/// Reads a body as a `kind` of `version`. An absent type is that of the path.
/// Errors: 400 for text that is not such an object.
pub(crate) fn read_object(
    body: &[u8],
    format: Format,
    kind: &Kind,
    version: Version,
    validation: FieldValidation,
) -> Result<Read, Failure> {
    let (object, mut warnings) = kind
        .read(body, format, version, validation)
        .map_err(|error| bad_request(error.message))?;
    let mut object = kind.to_hub(object, version);
    warnings.extend(dedup_owner_references(&mut object, false));
    Ok(Read { object, warnings })
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
    /// The problems that strict field validation rejects: duplicate fields, and unknown fields of operations.
    pub(crate) problems: Vec<String>,
    /// The error of a number that is not a 64-bit one.
    number_error: Option<String>,
}

impl Document {
    /// Errors: the server's message for text that is not JSON.
    pub(crate) fn from_json(body: &[u8]) -> Result<Self, String> {
        let tree = text::parse_json(body).map_err(|error| error.message().to_owned())?;
        // Fails for text that is nested too deeply, which bounds the recursion below.
        let value = text::to_value(tree.root()).map_err(|error| error.to_string())?;
        let mut problems = Vec::new();
        find_problems(tree.root(), None, &mut String::new(), &mut problems);
        // A server does not read the content of another value than an object.
        let is_object = matches!(tree.root().content(), Content::Object(_));
        let error = || number_error(tree.root(), "value");
        Ok(Self {
            value,
            problems,
            number_error: is_object.then(error).flatten(),
        })
    }

    /// The operations of a JSON patch.
    /// Errors: as of [`from_json`](Self::from_json).
    pub(crate) fn from_operations(body: &[u8]) -> Result<Self, String> {
        let tree = text::parse_json(body).map_err(|error| error.message().to_owned())?;
        let value = text::to_value(tree.root()).map_err(|error| error.to_string())?;
        let (mut problems, mut error) = (Vec::new(), None);
        if let Content::Array(operations) = tree.root().content() {
            for (index, operation) in operations.iter().enumerate() {
                if let Content::Object(fields) = operation.content() {
                    // A server reads each of several values, and keeps the last.
                    let mut values = fields.iter().filter(|field| field.name == "value");
                    let place = "struct field jsonPatchOp.value";
                    let first = || values.find_map(|field| number_error(field.value, place));
                    error = error.or_else(first);
                }
                let path = &mut format!("[{index}]");
                find_problems(operation, Some(OPERATION_FIELDS), path, &mut problems);
            }
        }
        for problem in &mut problems {
            problem.insert_str(0, "json patch ");
        }
        Ok(Self {
            value,
            problems,
            number_error: error,
        })
    }

    /// The patch, of which a server reads the numbers as 64-bit integers or floats.
    /// Errors: the server's message for a number that is neither.
    pub(crate) fn in_64_bits(self) -> Result<Self, String> {
        match self.number_error {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// Errors: the server's message for text that is not YAML.
    pub(crate) fn from_yaml(body: &[u8]) -> Result<Self, String> {
        let yaml = text::parse_yaml(body).map_err(|error| error.message().to_owned())?;
        Ok(Self {
            value: text::to_value(yaml.tree.root()).map_err(|error| error.to_string())?,
            problems: yaml.duplicates.iter().map(ToString::to_string).collect(),
            number_error: None,
        })
    }
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self {
            value,
            problems: Vec::new(),
            number_error: None,
        }
    }
}

/// The error of a server for the first number beyond the range of a 64-bit float.
fn number_error(node: Node<'_>, place: &str) -> Option<String> {
    match node.content() {
        Content::Number(text) => {
            let is_float = text.parse::<f64>().is_ok_and(f64::is_finite);
            (!is_float).then(|| {
                format!("json: cannot unmarshal number {text} into Go {place} of type float64")
            })
        }
        Content::Array(elements) => elements.iter().find_map(|node| number_error(node, place)),
        Content::Object(fields) => fields
            .iter()
            .find_map(|field| number_error(field.value, place)),
        _ => None,
    }
}

/// Collects the messages about duplicate fields below `path`, and about fields that are not `known`. The path is changed and restored:
/// copies of a long path for each of many fields would grow with the square of the text.
fn find_problems(
    node: Node<'_>,
    known: Option<&[&str]>,
    path: &mut String,
    problems: &mut Vec<String>,
) {
    let length = path.len();
    match node.content() {
        Content::Object(fields) => {
            let mut counts: HashMap<&str, usize> = HashMap::new();
            for field in fields.iter() {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(field.name);
                let is_known = known.is_none_or(|known| known.contains(&field.name));
                let count = counts.entry(field.name).or_default();
                *count += 1;
                let problem = match (is_known, *count) {
                    (false, 1) => Some("unknown"),
                    (true, 2) => Some("duplicate"),
                    _ => None,
                };
                if let Some(problem) = problem.filter(|_| problems.len() < MOST_PROBLEMS) {
                    problems.push(format!("{problem} field {}", quote(path)));
                }
                if is_known {
                    find_problems(field.value, None, path, problems);
                }
                path.truncate(length);
            }
        }
        Content::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                // Writing to a string does not fail.
                let _ = write!(path, "[{index}]");
                find_problems(element, None, path, problems);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
