//! The fields that each version knows in each release, from the documents' schemas, and those that newer servers know.

use super::Loss;
use super::level::LevelField;
use crate::kind::VersionedKind;
use crate::schema::{FieldSchema, Shape, TypeSchema};
use crate::{ApiVersion, Release};
use serde_json::Value;

/// Whether servers know the field at `names`.
pub(super) fn knows(kind: VersionedKind, names: &[&str]) -> bool {
    field(kind, names).is_some_and(|field| field.is_known_to(kind.release))
}

/// Why servers drop the field at `names`.
pub fn why_unknown(kind: VersionedKind, names: &[&str]) -> String {
    let VersionedKind {
        version, release, ..
    } = kind;
    if let Some(introduced) = field(kind, names).and_then(|field| field.introduced_in) {
        return format!(
            "dropped: {version} has it since Kubernetes {introduced}, not in {release}"
        );
    }
    // The document of the oldest version with the field names the release that introduced it.
    let first = ApiVersion::ALL
        .iter()
        .rev()
        .copied()
        .find_map(|other| Some((other, field(kind.in_version(other), names)?)));
    match first {
        Some((other, _)) if other < version => {
            format!("dropped: {version} does not know it, only older versions do")
        }
        Some((other, field)) => {
            let introduced = match field.introduced_in {
                Some(introduced) => introduced.to_owned(),
                None => format!("1.{}", other.lifecycle().introduced),
            };
            format!("dropped: {version} does not know it, which Kubernetes {introduced} introduced")
        }
        None => format!("dropped: {version} does not know it"),
    }
}

/// The field at `names`, a path without indexes.
fn field(kind: VersionedKind, names: &[&str]) -> Option<&'static FieldSchema> {
    let (last, parents) = names.split_last()?;
    let mut schema = kind.schema();
    for name in parents {
        schema = object_in(&schema.field(name)?.shape)?;
    }
    schema.field(last)
}

pub(super) fn object_in(shape: &'static Shape) -> Option<&'static TypeSchema> {
    match shape {
        Shape::Object(schema) => Some(schema),
        Shape::List { element, .. } => object_in(element),
        Shape::Map { value, .. } => object_in(value),
        _ => None,
    }
}

/// The fields of the spec that newer servers know and that the servers of `kind` drop, except fields with a separate rule.
///
/// `spec` is the spec of an object in the version of `kind`; it is asked for only if the version has such fields.
pub(super) fn later_fields(kind: VersionedKind, spec: impl FnOnce() -> Value) -> Vec<Loss> {
    let mut losses = Vec::new();
    if let Some(schema) = kind
        .schema()
        .field("spec")
        .and_then(|spec| object_in(&spec.shape))
        && has_later(schema, kind.release)
    {
        find_later(&spec(), schema, kind, &mut vec!["spec"], &mut losses);
    }
    losses
}

fn has_later(schema: &TypeSchema, release: Release) -> bool {
    schema.fields().iter().any(|field| {
        !field.is_known_to(release)
            || object_in(&field.shape).is_some_and(|inner| has_later(inner, release))
    })
}

fn find_later(
    value: &Value,
    schema: &'static TypeSchema,
    kind: VersionedKind,
    path: &mut Vec<&'static str>,
    losses: &mut Vec<Loss>,
) {
    for element in value.as_array().into_iter().flatten() {
        find_later(element, schema, kind, path, losses);
    }
    for field in schema.fields() {
        let Some(value) = value.get(field.name).filter(|value| !value.is_null()) else {
            continue;
        };
        path.push(field.name);
        if !field.is_known_to(kind.release) {
            if LevelField::ALL
                .iter()
                .all(|own| own.path() != path.as_slice())
            {
                losses.push(Loss::new(path.join("."), why_unknown(kind, path)));
            }
        } else if let Some(schema) = object_in(&field.shape) {
            find_later(value, schema, kind, path, losses);
        }
        path.pop();
    }
}
