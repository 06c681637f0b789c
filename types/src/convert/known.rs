//! The fields that each version knows in each release, from the documents' schemas.

use crate::ApiVersion;
use crate::kind::VersionedKind;
use crate::schema::{FieldSchema, Shape, TypeSchema};

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
