//! The server's own conversion, on JSON trees.

use super::PRESERVE_ZERO_ANNOTATION;
use crate::schema::{FieldSchema, ResourceSchema, Shape, TypeSchema};
use crate::{ApiVersion, Release, api};
use serde_json::{Map, Value};

const ASSURED: &str = "assuredConcurrencyShares";
const NOMINAL: &str = "nominalConcurrencyShares";

/// Turns `object`, a `kind` in version `from`, into version `to` the way a server of `release` does.
///
/// The defaults of `from` are expected to be applied already, as a server applies them before it
/// converts. v1 is the hub: what it holds is what a server holds in memory. Members that `to` does not
/// know, in this release, are dropped.
///
/// ```
/// use k8s_flowcontrol::{ApiVersion, Release, convert};
/// use serde_json::json;
///
/// let level = json!({"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0}}});
/// let old = convert::server_tree(
///     level, "PriorityLevelConfiguration", ApiVersion::V1, ApiVersion::V1Beta3, "1.30".parse()?,
/// );
/// assert_eq!(old["metadata"]["annotations"][convert::PRESERVE_ZERO_ANNOTATION], "");
/// # Ok::<(), k8s_flowcontrol::release::UnknownRelease>(())
/// ```
pub fn server_tree(
    mut object: Value,
    kind: &str,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Value {
    if kind == "PriorityLevelConfiguration" && from != to {
        to_hub(&mut object, from, release);
        from_hub(&mut object, to, release);
    }
    if let Some(api_version) = object.get_mut("apiVersion") {
        *api_version = to.api_version().into();
    }
    prune(&mut object, kind, to, release);
    object
}

fn to_hub(level: &mut Value, from: ApiVersion, release: Release) {
    match from {
        ApiVersion::V1Beta1 | ApiVersion::V1Beta2 => rename_shares(level, ASSURED, NOMINAL),
        ApiVersion::V1Beta3 if release.minor() >= 29 => remove_annotation(level),
        ApiVersion::V1Beta3 | ApiVersion::V1 => {}
    }
    // The hub holds a plain integer: what defaulting left out is zero.
    if let Some(limited) = limited(level)
        && limited.get(NOMINAL).is_none_or(Value::is_null)
    {
        limited.insert(NOMINAL.into(), 0.into());
    }
}

fn from_hub(level: &mut Value, to: ApiVersion, release: Release) {
    match to {
        ApiVersion::V1Beta1 | ApiVersion::V1Beta2 => rename_shares(level, NOMINAL, ASSURED),
        ApiVersion::V1Beta3 if release.minor() >= 29 => {
            if limited(level).is_some_and(|limited| limited.get(NOMINAL) == Some(&0.into())) {
                add_annotation(level);
            }
        }
        ApiVersion::V1Beta3 | ApiVersion::V1 => {}
    }
}

fn limited(level: &mut Value) -> Option<&mut Map<String, Value>> {
    level.pointer_mut("/spec/limited")?.as_object_mut()
}

fn rename_shares(level: &mut Value, from: &str, to: &str) {
    if let Some(limited) = limited(level) {
        // A member of the target's name is unknown in the source.
        limited.remove(to);
        if let Some(shares) = limited.remove(from) {
            limited.insert(to.into(), shares);
        }
    }
}

fn remove_annotation(level: &mut Value) {
    let Some(metadata) = level.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(annotations) = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.remove(PRESERVE_ZERO_ANNOTATION);
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
}

fn add_annotation(level: &mut Value) {
    let annotations = level
        .as_object_mut()
        .map(|object| object.entry("metadata").or_insert_with(empty))
        .and_then(Value::as_object_mut)
        .map(|metadata| metadata.entry("annotations").or_insert_with(empty));
    if let Some(annotations) = annotations {
        if annotations.is_null() {
            *annotations = empty();
        }
        if let Some(annotations) = annotations.as_object_mut() {
            annotations
                .entry(PRESERVE_ZERO_ANNOTATION)
                .or_insert_with(|| "".into());
        }
    }
}

fn empty() -> Value {
    Value::Object(Map::new())
}

/// Drops the members that a server of `release` does not know in `version` of `kind`, at every depth.
pub fn prune(object: &mut Value, kind: &str, version: ApiVersion, release: Release) {
    if let Some(resource) = resources(version)
        .iter()
        .find(|resource| resource.kind == kind)
    {
        prune_type(object, resource.schema, release);
    }
}

fn resources(version: ApiVersion) -> &'static [ResourceSchema] {
    match version {
        ApiVersion::V1Beta1 => api::v1beta1::RESOURCES,
        ApiVersion::V1Beta2 => api::v1beta2::RESOURCES,
        ApiVersion::V1Beta3 => api::v1beta3::RESOURCES,
        ApiVersion::V1 => api::v1::RESOURCES,
    }
}

fn prune_type(value: &mut Value, schema: &TypeSchema, release: Release) {
    let Some(object) = value.as_object_mut() else {
        return;
    };
    object.retain(|name, value| match schema.field(name) {
        Some(field) if is_known(field, release) => {
            prune_shape(value, &field.shape, release);
            true
        }
        _ => false,
    });
}

fn is_known(field: &FieldSchema, release: Release) -> bool {
    let introduced = field
        .introduced_in
        .and_then(|release| release.strip_prefix("1."));
    introduced
        .and_then(|minor| minor.parse::<u32>().ok())
        .is_none_or(|minor| release.minor() >= minor)
}

fn prune_shape(value: &mut Value, shape: &Shape, release: Release) {
    match (shape, value) {
        (Shape::Object(schema), value) => prune_type(value, schema, release),
        (Shape::List { element, .. }, Value::Array(elements)) => {
            for value in elements {
                prune_shape(value, element, release);
            }
        }
        (Shape::Map { value: shape, .. }, Value::Object(entries)) => {
            for value in entries.values_mut() {
                prune_shape(value, shape, release);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ApiVersion::{V1, V1Beta2, V1Beta3};
    use serde_json::json;

    fn converted(level: Value, from: ApiVersion, to: ApiVersion, minor: u32) -> Value {
        let release = Release::new(minor).unwrap();
        server_tree(level, "PriorityLevelConfiguration", from, to, release)
    }

    fn zero(annotations: Value) -> Value {
        json!({
            "metadata": {"annotations": annotations},
            "spec": {"limited": {"nominalConcurrencyShares": 0}},
        })
    }

    #[test]
    fn shares_change_their_name() {
        let old = json!({"spec": {"limited": {"assuredConcurrencyShares": 7}}});
        let new = json!({"spec": {"limited": {"nominalConcurrencyShares": 7}}});
        assert_eq!(converted(old.clone(), V1Beta2, V1, 28), new);
        assert_eq!(converted(new, V1, V1Beta2, 28), old);
    }

    #[test]
    fn the_annotation_stands_for_zero_from_1_29_on() {
        let marked = zero(json!({PRESERVE_ZERO_ANNOTATION: "", "a": "b"}));
        let plain = zero(json!({"a": "b"}));
        assert_eq!(converted(marked.clone(), V1Beta3, V1, 29), plain);
        assert_eq!(converted(plain.clone(), V1, V1Beta3, 29), marked);
        assert_eq!(converted(marked.clone(), V1Beta3, V1, 28), marked);
        assert_eq!(converted(plain.clone(), V1, V1Beta3, 28), plain);
        // v1beta2 has no such annotation, and what is sent in v1 stays for validation to refuse.
        let spec = json!({"spec": {"limited": {"assuredConcurrencyShares": 0}}});
        assert_eq!(converted(plain, V1, V1Beta2, 36)["spec"], spec["spec"]);
        assert_eq!(converted(marked.clone(), V1, V1, 36), marked);
    }

    #[test]
    fn what_a_release_does_not_know_is_dropped() {
        let level = json!({
            "spec": {"type": "Exempt", "exempt": {"lendablePercent": 0}, "bogus": 1},
        });
        assert_eq!(
            converted(level.clone(), V1Beta3, V1Beta3, 27),
            json!({"spec": {"type": "Exempt"}})
        );
        assert_eq!(
            converted(level, V1Beta3, V1Beta3, 28),
            json!({"spec": {"type": "Exempt", "exempt": {"lendablePercent": 0}}})
        );
    }
}
