//! The fields of an object that a field manager has applied.
//!
//! A program that applies only some fields uses this module to find the fields that it applied before:
//!
//! ```
//! use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
//! use k8s_flowcontrol_types::ownership::extract;
//!
//! let live: PriorityLevelConfiguration = serde_json::from_str(r#"{
//!     "metadata": {"name": "batch", "managedFields": [{"manager": "me", "operation": "Apply",
//!         "fieldsV1": {"f:spec": {"f:limited": {"f:nominalConcurrencyShares": {}}}}}]},
//!     "spec": {"type": "Limited", "limited": {
//!         "nominalConcurrencyShares": 20, "limitResponse": {"type": "Reject"}}}}"#)?;
//! let mut mine = extract(&live, "me")?.unwrap();
//! assert_eq!(
//!     serde_json::to_value(&mine.spec)?,
//!     serde_json::json!({"limited": {"nominalConcurrencyShares": 20}}),
//! );
//! // Change it and apply it: other fields stay with their owners.
//! mine.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(30);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod applied;
mod takeover;

pub use crate::meta::LAST_APPLIED_ANNOTATION;
pub use applied::is_applied;
pub use takeover::{CLIENT_SIDE_APPLY, Takeover};

use crate::convert::shares_name;
use crate::meta::ManagedFieldsOperation;
use crate::schema::{ListKind, Shape};
use crate::{ApiVersion, Resource, json, order};
use serde::de::Error as _;
use serde_json::{Error, Map, Value};

/// The fields of `live` that `field_manager` owns by server-side apply, as a [partial](Resource::partial) object;
/// `None` if it does not own any.
///
/// The values come from `live`. Fields that were applied through another version of this API group are included.
///
/// ```
/// use k8s_flowcontrol_types::Resource;
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
/// use k8s_flowcontrol_types::ownership::extract;
///
/// let live: FlowSchema = serde_json::from_str(r#"{
///     "metadata": {"name": "a", "managedFields": [{"manager": "me", "operation": "Apply",
///         "fieldsV1": {"f:spec": {"f:matchingPrecedence": {}}}}]},
///     "spec": {"matchingPrecedence": 500, "priorityLevelConfiguration": {"name": "exempt"}}}"#)?;
/// let mine = extract(&live, "me")?.unwrap_or_else(|| FlowSchema::partial("a"));
/// assert_eq!(serde_json::to_value(&mine.spec)?, serde_json::json!({"matchingPrecedence": 500}));
/// assert!(extract(&live, "nobody")?.is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// The managed fields are malformed, or an unknown field of `live` has a value that a tree cannot represent, such as
/// `1e400`.
///
/// See [field management](https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management).
pub fn extract<K: Resource>(live: &K, field_manager: &str) -> Result<Option<K>, Error> {
    extract_from(live, field_manager, "")
}

/// The fields that `field_manager` owns by server-side apply to the subresource `status`, see [`extract`].
///
/// # Errors
/// The same as for [`extract`].
pub fn extract_status<K: Resource>(live: &K, field_manager: &str) -> Result<Option<K>, Error> {
    extract_from(live, field_manager, "status")
}

fn extract_from<K: Resource>(
    live: &K,
    field_manager: &str,
    subresource: &str,
) -> Result<Option<K>, Error> {
    let entries = applied_fields(live, field_manager, subresource)?;
    let Some(fields) = entries.into_iter().next() else {
        return Ok(None);
    };
    let tree = owned(&fields, &json::to_value(live)?, &K::SHAPE);
    let mut object = K::partial_from(&tree)?;
    object.metadata_mut().name = live.metadata().name.clone();
    object.metadata_mut().namespace = live.metadata().namespace.clone();
    Ok(Some(object))
}

/// The sets of fields, in the form `fieldsV1`, that a manager owns by server-side apply, under their names in `K`.
fn applied_fields<K: Resource>(
    live: &K,
    field_manager: &str,
    subresource: &str,
) -> Result<Vec<Map<String, Value>>, Error> {
    let entries = live.metadata().managed_fields.entries();
    let own = entries.map_err(Error::custom)?.into_iter().filter(|entry| {
        entry.manager.as_deref() == Some(field_manager)
            && entry.operation == Some(ManagedFieldsOperation::Apply)
            && entry.subresource.as_deref().unwrap_or_default() == subresource
    });
    let fields = own.filter_map(|entry| entry.fields_v1).map(|fields| {
        let mut fields = serde_json::from_str(fields.as_str())?;
        rename_fields(&mut fields, K::API_VERSION);
        Ok(fields)
    });
    fields.collect()
}

/// Gives the fields of a set, in the form `fieldsV1`, their names in a version of this API group. Only the shares of a level have
/// two names.
fn rename_fields(fields: &mut Map<String, Value>, api_version: &str) {
    let mut versions = ApiVersion::ALL.iter().copied();
    let version = versions.find(|version| version.api_version() == api_version);
    let limited = fields
        .get_mut("f:spec")
        .and_then(|spec| spec.get_mut("f:limited"));
    if let (Some(version), Some(Value::Object(limited))) = (version, limited) {
        for other in ApiVersion::ALL.iter().copied() {
            if let Some(shares) = limited.remove(&format!("f:{}", shares_name(other))) {
                limited.insert(format!("f:{}", shares_name(version)), shares);
            }
        }
    }
}

/// The part of `live` that the set `fields`, in the form `fieldsV1`, contains.
fn owned(fields: &Map<String, Value>, live: &Value, shape: &Shape) -> Value {
    let none = Map::new();
    let below = |step: &str| {
        fields
            .get(step)
            .map(|below| below.as_object().unwrap_or(&none))
    };
    match (shape, live) {
        (_, Value::Object(live)) if tracks_fields(shape, fields) => {
            let mut fields = live.iter().filter_map(|(name, value)| {
                let below = below(&format!("f:{name}"))?;
                Some((name.clone(), owned(below, value, shape_of(shape, name))))
            });
            order::object(&mut fields)
        }
        (
            Shape::List {
                element,
                kind: ListKind::Map(keys),
            },
            Value::Array(live),
        ) => {
            let elements = live.iter().filter_map(|value| {
                let (_, below) = fields
                    .iter()
                    .find(|(step, _)| is_key_of(step, value, keys))?;
                let mut part = owned(below.as_object().unwrap_or(&none), value, element);
                // An element with the key fields is an object, and so is its part: this cannot fail.
                for key in *keys {
                    part[*key] = value[*key].clone();
                }
                Some(part)
            });
            Value::Array(elements.collect())
        }
        (
            Shape::List {
                kind: ListKind::Set,
                ..
            },
            Value::Array(live),
        ) => {
            let elements = live
                .iter()
                .filter(|value| below(&format!("v:{value}")).is_some());
            Value::Array(elements.cloned().collect())
        }
        _ => live.clone(),
    }
}

/// Whether a server tracks the owners of each field of an object, and not only of the whole.
fn tracks_fields(shape: &Shape, fields: &Map<String, Value>) -> bool {
    match shape {
        Shape::Object(schema) => !schema.map_type_atomic,
        Shape::Map { atomic, .. } => !atomic,
        // Free-form JSON, which may be owned as a whole.
        Shape::Any => !fields.is_empty(),
        _ => false,
    }
}

/// The shape of a field of an object.
fn shape_of<'a>(object: &'a Shape, name: &str) -> &'a Shape {
    match object {
        Shape::Object(schema) => schema.field(name).map_or(&Shape::Any, |field| &field.shape),
        Shape::Map { value, .. } => value,
        _ => object,
    }
}

/// Whether a step such as `k:{"type":"Dangling"}` means this element of a list.
fn is_key_of(step: &str, element: &Value, keys: &[&str]) -> bool {
    let key = step.strip_prefix("k:").map(str::parse::<Value>);
    let Some(Ok(key)) = key else {
        return false;
    };
    element.is_object() && keys.iter().all(|name| element[*name] == key[*name])
}
