//! Whether an apply would change nothing.

use super::{applied_fields, is_key_of, shape_of, tracks_fields};
use crate::schema::{ListKind, Shape};
use crate::{Resource, json};
use serde_json::{Map, Value};

/// Fields that a server fills in, or that identify the object: an apply does not own them.
const UNOWNED: [&str; 9] = [
    "name",
    "namespace",
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
    "deletionTimestamp",
];

/// Whether an apply of `wanted` by `field_manager` would not change the object: the manager owns exactly the fields of
/// `wanted`, and `live` has their values.
///
/// It ignores the name, the namespace, other fields that identify an object or that a server fills in, `status`, and
/// defaults of fields that identify an element of a list, such as `protocol` of a port. A value in another notation (`1000m`
/// for `1`) counts as a change, and so does everything if `live` lacks managed fields, as after `drop_managed_fields`: the
/// apply is then unnecessary but correct. A manager with entries in several versions always counts as a change.
///
/// ```
/// use k8s_flowcontrol_types::Resource;
/// use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
/// use k8s_flowcontrol_types::ownership::is_applied;
///
/// let live: PriorityLevelConfiguration = serde_json::from_str(r#"{
///     "metadata": {"name": "batch", "managedFields": [{"manager": "me", "operation": "Apply",
///         "fieldsV1": {"f:spec": {"f:limited": {"f:nominalConcurrencyShares": {}}}}}]},
///     "spec": {"type": "Limited", "limited": {
///         "nominalConcurrencyShares": 20, "limitResponse": {"type": "Reject"}}}}"#)?;
/// let mut wanted = PriorityLevelConfiguration::partial("batch");
/// wanted.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(20);
/// assert!(is_applied(&live, "me", &wanted));
/// wanted.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(30);
/// assert!(!is_applied(&live, "me", &wanted));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn is_applied<K: Resource>(live: &K, field_manager: &str, wanted: &K) -> bool {
    let Ok(mut entries) = applied_fields(live, field_manager, "") else {
        return false;
    };
    let (Some(mut fields), true) = (entries.pop(), entries.is_empty()) else {
        return false;
    };
    let (Ok(live), Ok(mut wanted)) = (json::to_value(live), json::to_value(wanted)) else {
        return false;
    };
    fields.remove("f:status");
    if let Value::Object(wanted) = &mut wanted {
        for name in ["apiVersion", "kind", "status"] {
            wanted.remove(name);
        }
        if let Some(Value::Object(metadata)) = wanted.get_mut("metadata") {
            metadata.retain(|name, _| !UNOWNED.contains(&name.as_str()));
            if metadata.is_empty() && !fields.contains_key("f:metadata") {
                wanted.remove("metadata");
            }
        }
    }
    is_same(&fields, &live, &wanted, &K::SHAPE)
}

/// Whether the set `fields`, in the form `fieldsV1`, has exactly the fields of `wanted`, with equal values in `live`.
fn is_same(fields: &Map<String, Value>, live: &Value, wanted: &Value, shape: &Shape) -> bool {
    let none = Map::new();
    let below = |step: &str| {
        let below = fields.get(step)?;
        Some(below.as_object().unwrap_or(&none))
    };
    let count = |kind: &str| fields.keys().filter(|step| step.starts_with(kind)).count();
    match (shape, wanted) {
        (_, Value::Object(wanted)) if tracks_fields(shape, fields) => {
            count("f:") == wanted.len()
                && wanted.iter().all(|(name, wanted)| {
                    let inner = shape_of(shape, name);
                    below(&format!("f:{name}"))
                        .is_some_and(|below| is_same(below, &live[name], wanted, inner))
                })
        }
        (
            Shape::List {
                element,
                kind: ListKind::Map(keys),
            },
            Value::Array(wanted),
        ) => {
            let Some(live) = live.as_array() else {
                return false;
            };
            // An apply also restores the order of its elements.
            let mut rest = live.iter();
            count("k:") == wanted.len()
                && wanted.iter().all(|wanted| {
                    let is_meant = |live: &&Value| {
                        keys.iter()
                            .all(|key| wanted.get(key).is_none_or(|value| *value == live[*key]))
                    };
                    rest.find(is_meant).is_some_and(|live| {
                        let owned = fields.iter().find(|(step, _)| is_key_of(step, live, keys));
                        let owned = owned.map(|(_, below)| below.as_object().unwrap_or(&none));
                        owned.is_some_and(|owned| is_same(owned, live, wanted, element))
                    })
                })
        }
        (
            Shape::List {
                kind: ListKind::Set,
                ..
            },
            Value::Array(wanted),
        ) => {
            let Some(live) = live.as_array() else {
                return false;
            };
            let mut rest = live.iter();
            count("v:") == wanted.len()
                && wanted.iter().all(|value| {
                    fields.contains_key(&format!("v:{value}")) && rest.any(|live| live == value)
                })
        }
        _ => live == wanted,
    }
}
