//! Bodies of kinds of which only the document is known.

use super::version::Version;
use k8s_flowcontrol_rules::decode::{self, DecodeAs, Format};
use k8s_flowcontrol_text::{self as text, Node, parse_json, parse_yaml};
use k8s_flowcontrol_types::schema::Shape;
use k8s_flowcontrol_types::{FieldValidation, Release};
use serde_json::Value;

/// Reads a body as an object of `version`. An absent type is that of the path.
/// Errors: the server's message for text that is not such an object.
pub(super) fn read(
    body: &[u8],
    format: Format,
    version: Version,
    release: Release,
    validation: FieldValidation,
) -> Result<(Value, Vec<String>), String> {
    let invalid = |why: &str| {
        let (kind, name) = (version.resource.kind, version.name());
        format!("{kind} in version {name:?} cannot be handled as a {kind}: {why}")
    };
    let json;
    let yaml;
    let (root, duplicates): (Node<'_>, Vec<String>) = match format {
        Format::Json => {
            json = parse_json(body).map_err(|error| invalid(error.message()))?;
            (json.root(), Vec::new())
        }
        Format::Yaml => {
            yaml = parse_yaml(body).map_err(|error| invalid(error.message()))?;
            let duplicates = yaml.duplicates.iter().map(ToString::to_string);
            (yaml.tree.root(), duplicates.collect())
        }
    };
    let target = DecodeAs {
        schema: version.schema(),
        package: version.name(),
        release,
        sorted: format == Format::Yaml,
    };
    let mut decoded = decode::decode(root, target).map_err(|error| invalid(&error.message))?;
    let sent = text::to_value(root).map_err(|error| invalid(&error.to_string()))?;
    keep_nulls(&mut decoded.value, &sent, &Shape::Object(version.schema()));
    check_type(version, &decoded.value)?;
    let problems: Vec<String> = duplicates
        .into_iter()
        .chain(decoded.problems.into_iter().map(|problem| problem.message))
        .collect();
    match validation {
        FieldValidation::Strict if !problems.is_empty() => {
            let problems = problems.join(", ");
            Err(invalid(&format!("strict decoding error: {problems}")))
        }
        FieldValidation::Warn => Ok((decoded.value, problems)),
        _ => Ok((decoded.value, Vec::new())),
    }
}

/// Puts back `null` where a field is nullable: the decoder reads it as an absence, as Go does for fields of structs.
fn keep_nulls(decoded: &mut Value, sent: &Value, shape: &Shape) {
    match (shape, decoded, sent) {
        (Shape::Object(schema), Value::Object(decoded), Value::Object(sent)) => {
            for (name, sent) in sent {
                let Some(field) = schema.field(name) else {
                    continue;
                };
                match decoded.get_mut(name) {
                    Some(decoded) => keep_nulls(decoded, sent, &field.shape),
                    None if field.nullable && sent.is_null() => {
                        decoded.insert(name.clone(), Value::Null);
                    }
                    None => {}
                }
            }
        }
        (Shape::List { element, .. }, Value::Array(decoded), Value::Array(sent)) => {
            for (decoded, sent) in decoded.iter_mut().zip(sent) {
                keep_nulls(decoded, sent, element);
            }
        }
        (Shape::Map { value, .. }, Value::Object(decoded), Value::Object(sent)) => {
            for (key, sent) in sent {
                if let Some(decoded) = decoded.get_mut(key) {
                    keep_nulls(decoded, sent, value);
                }
            }
        }
        _ => {}
    }
}

fn check_type(version: Version, object: &Value) -> Result<(), String> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let (expected_version, expected_kind) = (version.api_version(), version.resource.kind);
    let fits = |found: &str, expected: &str| found.is_empty() || found == expected;
    if fits(api_version, &expected_version) && fits(kind, expected_kind) {
        return Ok(());
    }
    Err(format!(
        "the object provided is unrecognized (must be of type {expected_kind}): its apiVersion is \
         {api_version:?} and its kind {kind:?}, but the path expects apiVersion {expected_version:?}"
    ))
}
