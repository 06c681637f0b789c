//! What each version of each release knows, from the documents' schemas.

use crate::schema::{FieldSchema, ResourceSchema, Shape, TypeSchema};
use crate::{ApiVersion, Release, api};

/// The shape of `kind` in `version`, if it is a kind of this API group.
pub fn schema(kind: &str, version: ApiVersion) -> Option<&'static TypeSchema> {
    resources(version)
        .iter()
        .find(|resource| resource.kind == kind)
        .map(|resource| resource.schema)
}

fn resources(version: ApiVersion) -> &'static [ResourceSchema] {
    match version {
        ApiVersion::V1Beta1 => api::v1beta1::RESOURCES,
        ApiVersion::V1Beta2 => api::v1beta2::RESOURCES,
        ApiVersion::V1Beta3 => api::v1beta3::RESOURCES,
        ApiVersion::V1 => api::v1::RESOURCES,
    }
}

/// Whether a server of `release` knows the member at `names` in `version`.
pub(super) fn knows(kind: &str, names: &[&str], version: ApiVersion, release: Release) -> bool {
    field(kind, names, version).is_some_and(|field| field.is_known_to(release))
}

/// Why a server of `release` drops the member at `names` in `version`.
pub fn why_unknown(kind: &str, names: &[&str], version: ApiVersion, release: Release) -> String {
    if let Some(introduced) = field(kind, names, version).and_then(|field| field.introduced_in) {
        return format!(
            "dropped: {version} has it since Kubernetes {introduced}, not in {release}"
        );
    }
    // The oldest version that has the member tells the release.
    let mut versions = ApiVersion::ALL;
    versions.sort_unstable();
    let first = versions
        .into_iter()
        .find_map(|other| Some((other, field(kind, names, other)?)));
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

/// The member at `names`, which have no indexes.
fn field(kind: &str, names: &[&str], version: ApiVersion) -> Option<&'static FieldSchema> {
    let (last, parents) = names.split_last()?;
    let mut schema = schema(kind, version)?;
    for name in parents {
        schema = object_in(&schema.field(name)?.shape)?;
    }
    schema.field(last)
}

fn object_in(shape: &'static Shape) -> Option<&'static TypeSchema> {
    match shape {
        Shape::Object(schema) => Some(schema),
        Shape::List { element, .. } => object_in(element),
        Shape::Map { value, .. } => object_in(value),
        _ => None,
    }
}
