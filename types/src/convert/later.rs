//! Fields that newer servers know.

use super::Loss;
use super::known::{object_in, why_unknown};
use super::level::LevelField;
use crate::Release;
use crate::kind::VersionedKind;
use crate::schema::TypeSchema;
use serde_json::Value;

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
