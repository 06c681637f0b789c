//! What each version of each release knows, from the documents' schemas.

use super::Loss;
use crate::schema::{FieldSchema, ResourceSchema, Shape, TypeSchema};
use crate::{ApiVersion, Release, api};
use serde_json::Value;
use std::fmt;

/// Drops the members that a server of `release` does not know in `version` of `kind`, at every depth.
///
/// A kind that is not of this API group is left alone.
pub fn prune(object: &mut Value, kind: &str, version: ApiVersion, release: Release) {
    if let Some(schema) = schema(kind, version) {
        prune_to(schema, object, release, &mut |_, _| {});
    }
}

/// Drops what `version` of `kind` does not know, and says so.
pub(super) fn prune_reporting(
    object: &mut Value,
    kind: &str,
    version: ApiVersion,
    release: Release,
    losses: &mut Vec<Loss>,
) {
    if let Some(schema) = schema(kind, version) {
        prune_to(schema, object, release, &mut |path, value| {
            if !value.is_null() {
                let why = why_unknown(kind, &path.names(), version, release);
                losses.push(Loss::new(path.to_string(), why));
            }
        });
    }
}

/// Drops what `schema` does not know, and reports each member with its value.
pub(super) fn prune_to(
    schema: &TypeSchema,
    object: &mut Value,
    release: Release,
    report: &mut dyn FnMut(&Path<'_>, &Value),
) {
    prune_object(object, schema, release, None, report);
}

pub(super) fn schema(kind: &str, version: ApiVersion) -> Option<&'static TypeSchema> {
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
    field(kind, names, version).is_some_and(|field| is_known(field, release))
}

/// Why a server of `release` drops the member at `names` in `version`.
pub(super) fn why_unknown(
    kind: &str,
    names: &[&str],
    version: ApiVersion,
    release: Release,
) -> String {
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

fn is_known(field: &FieldSchema, release: Release) -> bool {
    let introduced = field
        .introduced_in
        .and_then(|release| release.strip_prefix("1."));
    introduced
        .and_then(|minor| minor.parse::<u32>().ok())
        .is_none_or(|minor| release.minor() >= minor)
}

fn prune_object(
    value: &mut Value,
    schema: &TypeSchema,
    release: Release,
    path: Option<&Path<'_>>,
    report: &mut dyn FnMut(&Path<'_>, &Value),
) {
    let Some(object) = value.as_object_mut() else {
        return;
    };
    object.retain(|name, value| {
        let path = Path {
            parent: path,
            segment: Segment::Member(name),
        };
        match schema.field(name) {
            Some(field) if is_known(field, release) => {
                prune_shape(value, &field.shape, release, &path, report);
                true
            }
            _ => {
                report(&path, value);
                false
            }
        }
    });
}

fn prune_shape(
    value: &mut Value,
    shape: &Shape,
    release: Release,
    path: &Path<'_>,
    report: &mut dyn FnMut(&Path<'_>, &Value),
) {
    match (shape, value) {
        (Shape::Object(schema), value) => prune_object(value, schema, release, Some(path), report),
        (Shape::List { element, .. }, Value::Array(elements)) => {
            for (index, value) in elements.iter_mut().enumerate() {
                let path = path.below(Segment::Index(index));
                prune_shape(value, element, release, &path, report);
            }
        }
        (Shape::Map { value: shape, .. }, Value::Object(entries)) => {
            for (key, value) in entries.iter_mut() {
                prune_shape(
                    value,
                    shape,
                    release,
                    &path.below(Segment::Key(key)),
                    report,
                );
            }
        }
        _ => {}
    }
}

/// Where a member stands; made into text only when there is something to say about it.
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

enum Segment<'a> {
    Member(&'a str),
    Index(usize),
    Key(&'a str),
}

impl Path<'_> {
    fn below<'a>(&'a self, segment: Segment<'a>) -> Path<'a> {
        Path {
            parent: Some(self),
            segment,
        }
    }

    /// The members' names, without indexes and keys.
    fn names(&self) -> Vec<&str> {
        let mut names = self.parent.map(Path::names).unwrap_or_default();
        if let Segment::Member(name) = self.segment {
            names.push(name);
        }
        names
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.segment {
            Segment::Member(name) if self.parent.is_some() => write!(f, ".{name}"),
            Segment::Member(name) => f.write_str(name),
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) => write!(f, "[{key}]"),
        }
    }
}
