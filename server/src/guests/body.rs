//! Bodies that are objects of guests.

use crate::scheme::{HUB, Kind};
use k8s_flowcontrol_rules::decode;
use k8s_flowcontrol_rules::decode::{DecodeAs, Format};
use k8s_flowcontrol_text::{Node, parse_json, parse_yaml};
use k8s_flowcontrol_types::FieldValidation;
use serde_json::Value;

/// Reads a body as an object of `kind`. Where it says nothing of its type, the path does.
///
/// # Errors
/// What the server says of text that is no such object.
pub(crate) fn read(
    body: &[u8],
    format: Format,
    kind: &Kind,
    validation: FieldValidation,
) -> Result<(Value, Vec<String>), String> {
    let json;
    let yaml;
    let (root, repeated): (Node<'_>, Vec<String>) = match format {
        Format::Json => {
            json = parse_json(body).map_err(|error| refused(kind, error.message()))?;
            (json.root(), Vec::new())
        }
        Format::Yaml => {
            yaml = parse_yaml(body).map_err(|error| refused(kind, error.message()))?;
            let repeated = yaml.duplicates.iter().map(ToString::to_string);
            (yaml.tree.root(), repeated.collect())
        }
    };
    let target = DecodeAs {
        schema: kind.schema(HUB),
        package: kind.version_name(HUB),
        release: kind.release(),
        sorted: format == Format::Yaml,
    };
    let decoded = decode::decode(root, target).map_err(|error| refused(kind, &error.message))?;
    check_type(kind, &decoded.value)?;
    let problems: Vec<String> = repeated
        .into_iter()
        .chain(decoded.problems.into_iter().map(|problem| problem.message))
        .collect();
    match validation {
        FieldValidation::Strict if !problems.is_empty() => {
            let why = format!("strict decoding error: {}", problems.join(", "));
            Err(refused(kind, &why))
        }
        FieldValidation::Warn => Ok((decoded.value, problems)),
        _ => Ok((decoded.value, Vec::new())),
    }
}

fn refused(kind: &Kind, why: &str) -> String {
    format!(
        "{} in version {:?} cannot be handled as a {}: {why}",
        kind.name(),
        kind.version_name(HUB),
        kind.name()
    )
}

fn check_type(kind: &Kind, object: &Value) -> Result<(), String> {
    let text = |member: &str| {
        object
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (api_version, name) = (text("apiVersion"), text("kind"));
    let same = |found: &str, wanted: &str| found.is_empty() || found == wanted;
    if same(api_version, kind.api_version(HUB)) && same(name, kind.name()) {
        return Ok(());
    }
    Err(format!(
        "the object provided is unrecognized (must be of type {}): it says apiVersion {api_version:?}, \
         kind {name:?}, and the path is of {:?}",
        kind.name(),
        kind.api_version(HUB)
    ))
}
