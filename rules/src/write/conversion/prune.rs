//! Dropping the fields that a server does not know.

use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::convert::Loss;
use k8s_flowcontrol_types::convert::parts::why_unknown;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde_json::Value;
use std::fmt;

/// Drops the fields that servers do not know in the kind's version, at every depth.
pub fn prune(object: &mut Value, kind: VersionedKind) {
    prune_to(kind.schema(), object, kind.release, &mut |_, _| {});
}

/// [`prune`], with a loss for every field that is dropped and not `null`.
pub(super) fn prune_reporting(object: &mut Value, kind: VersionedKind, losses: &mut Vec<Loss>) {
    prune_to(kind.schema(), object, kind.release, &mut |path, value| {
        if !value.is_null() {
            let why = why_unknown(kind, &path.names());
            losses.push(Loss::new(path.to_string(), why));
        }
    });
}

/// Drops the fields that `schema` does not have, and reports each with its value.
pub(super) fn prune_to(
    schema: &TypeSchema,
    object: &mut Value,
    release: Release,
    report: &mut dyn FnMut(&Path<'_>, &Value),
) {
    prune_object(object, schema, release, None, report);
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
            segment: Segment::Field(name),
        };
        match schema.field(name) {
            Some(field) if field.is_known_to(release) => {
                prune_shape(value, &field.shape, release, &path, report);
                true
            }
            None if schema.preserves_unknown_fields => true,
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

/// The path of a field, which becomes text only for a report.
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

enum Segment<'a> {
    Field(&'a str),
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

    /// The names of the fields, without indexes and keys.
    fn names(&self) -> Vec<&str> {
        let mut names = self.parent.map(Path::names).unwrap_or_default();
        if let Segment::Field(name) = self.segment {
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
            Segment::Field(name) if self.parent.is_some() => write!(f, ".{name}"),
            Segment::Field(name) => f.write_str(name),
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) => write!(f, "[{key}]"),
        }
    }
}
