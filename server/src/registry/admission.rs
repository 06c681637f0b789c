//! The one place where an object is judged before it is stored.

use super::Write;
use crate::names;
use crate::status::{Cause, Failure, invalid};
use crate::store::meta_str;
use serde_json::Value;

/// Judges an object that is to be created or to replace `old`.
///
/// # Errors
/// A 422 with all that is wrong.
pub(crate) fn admit(write: &Write<'_>, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
    let mut causes = match old {
        None => new_metadata(object),
        Some(old) => changed_metadata(object, old),
    };
    causes.extend(conditions(object));
    if causes.is_empty() {
        return Ok(());
    }
    let name = meta_str(object, "name");
    Err(invalid(write.kind.name(), write.kind.group(), name, causes))
}

fn new_metadata(object: &Value) -> Vec<Cause> {
    let name = meta_str(object, "name");
    if name.is_empty() {
        return vec![Cause::required(
            "metadata.name",
            "name or generateName is required",
        )];
    }
    names::subdomain_problems(name)
        .iter()
        .map(|problem| Cause::invalid("metadata.name", &format!("{name:?}"), problem))
        .collect()
}

fn changed_metadata(object: &Value, old: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let finalizers = |object: &Value| -> Vec<String> {
        object
            .pointer("/metadata/finalizers")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let kept = finalizers(old);
    let added: Vec<_> = finalizers(object)
        .into_iter()
        .filter(|finalizer| !kept.contains(finalizer))
        .collect();
    if !meta_str(old, "deletionTimestamp").is_empty() && !added.is_empty() {
        let added: Vec<_> = added
            .iter()
            .map(|finalizer| format!("{finalizer:?}"))
            .collect();
        causes.push(Cause::forbidden(
            "metadata.finalizers",
            &format!(
                "no new finalizers can be added if the object is being deleted, found new \
                 finalizers []string{{{}}}",
                added.join(", ")
            ),
        ));
    }
    for member in ["uid", "deletionTimestamp"] {
        let (new, old) = (meta_str(object, member), meta_str(old, member));
        if new != old {
            let shown = match member {
                "deletionTimestamp" => {
                    format!("{} +0000 UTC", new.replace('T', " ").replace('Z', ""))
                }
                _ => format!("{new:?}"),
            };
            causes.push(Cause::invalid(
                format!("metadata.{member}"),
                &shown,
                "field is immutable",
            ));
        }
    }
    causes
}

/// Conditions are told apart by their type.
fn conditions(object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut seen = Vec::new();
    let conditions = object
        .pointer("/status/conditions")
        .and_then(Value::as_array);
    for (index, condition) in conditions.into_iter().flatten().enumerate() {
        let field = format!("status.conditions[{index}].type");
        let kind = condition
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if seen.contains(&kind) {
            let message = format!("Duplicate value: {kind:?}");
            causes.push(Cause::new("FieldValueDuplicate", field.as_str(), message));
        }
        if kind.is_empty() {
            causes.push(Cause::required(field, "must not be empty"));
        }
        seen.push(kind);
    }
    causes
}
