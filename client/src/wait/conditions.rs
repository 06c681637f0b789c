//! Conditions to wait for.

use crate::Resource;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The object exists.
pub fn exists<K: Resource>() -> impl FnMut(Option<&K>) -> bool + Send + 'static {
    |object| object.is_some()
}

/// The object does not exist any more, or another object with the same name has replaced it.
///
/// An object with finalizers still exists after its deletion was requested, until the finalizers are removed.
pub fn is_deleted<K: Resource>() -> impl FnMut(Option<&K>) -> bool + Send + 'static {
    let mut first = None;
    move |object: Option<&K>| {
        let Some(object) = object else {
            return true;
        };
        let uid = object.metadata().uid.clone();
        *first.get_or_insert_with(|| uid.clone()) != uid
    }
}

/// The object's status has the condition `kind` with this status: `True`, `False` or `Unknown`.
///
/// It does not hold for an object without status.
pub fn has_condition<K: Resource>(
    kind: impl Into<String>,
    status: impl Into<String>,
) -> impl FnMut(Option<&K>) -> bool + Send + 'static {
    let (kind, status) = (kind.into(), status.into());
    move |object: Option<&K>| {
        let Some(text) = object.and_then(|object| serde_json::to_string(object).ok()) else {
            return false;
        };
        conditions(&text).is_some_and(|conditions| {
            conditions.iter().any(|condition| {
                let has = |name: &str, value: &str| {
                    let text = field(condition.get(), name);
                    text.is_some_and(|text| {
                        serde_json::from_str(text).is_ok_and(|found: String| found == value)
                    })
                };
                has("type", &kind) && has("status", &status)
            })
        })
    }
}

/// The conditions in the JSON of an object, where all kinds have them in the same place.
///
/// All other fields stay text, since unknown ones may hold numbers that no Rust number can.
fn conditions(object: &str) -> Option<Vec<&RawValue>> {
    let conditions = field(field(object, "status")?, "conditions")?;
    serde_json::from_str(conditions).ok()
}

/// The text of a field of a JSON object.
fn field<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut fields: HashMap<String, &RawValue> = serde_json::from_str(object).ok()?;
    fields.remove(name).map(RawValue::get)
}

/// The priority level that the FlowSchema names exists: the condition
/// [`Dangling`](https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#troubleshooting) is `False`.
pub fn is_not_dangling<K: Resource>() -> impl FnMut(Option<&K>) -> bool + Send + 'static {
    has_condition("Dangling", "False")
}
