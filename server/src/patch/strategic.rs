//! Strategic merge patch: a merge patch that merges lists by the keys of the schema.
//!
//! Directives: `$patch` (`replace`, `merge`, `delete`), `$retainKeys`, `$deleteFromPrimitiveList/…`,
//! `$setElementOrder/…`. Own code, because the order of lists and the messages are part of the server's responses.

mod lists;

use super::without_nulls;
use crate::status::{Failure, bad_request, internal};
use k8s_flowcontrol_types::schema::{PatchStrategy, Shape, TypeSchema};
use k8s_flowcontrol_types::{Fact, Release};
use lists::places;
use serde_json::{Map, Value};
use std::mem::{discriminant, take};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_PRIMITIVE_LIST: &str = "$deleteFromPrimitiveList";
const SET_ELEMENT_ORDER: &str = "$setElementOrder";

/// Applies `patch` to `object` of type `schema`, as a server of `release` does.
/// Errors: 400 for a malformed directive; 500, as from a real server, for an unknown one, for an element without its merge key, and for
/// an order that does not match the patch.
pub(crate) fn strategic_merge_patch(
    object: &Value,
    patch: &Map<String, Value>,
    schema: &TypeSchema,
    release: Release,
) -> Result<Value, Failure> {
    let object = object.as_object().cloned().unwrap_or_default();
    let merge = Merge {
        removes_directives: release.has(Fact::RemovesPatchDirectives),
    };
    merge
        .map(object, patch.clone(), Some(schema))
        .map(Value::Object)
}

struct Merge {
    /// Whether directives in new values are removed, with the map that has them.
    removes_directives: bool,
}

impl Merge {
    fn map(
        &self,
        mut object: Map<String, Value>,
        mut patch: Map<String, Value>,
        schema: Option<&TypeSchema>,
    ) -> Result<Map<String, Value>, Failure> {
        match patch.get(DIRECTIVE) {
            None => {}
            Some(found) if found == "replace" => {
                patch.remove(DIRECTIVE);
                return Ok(patch);
            }
            Some(found) if found == "delete" => return Ok(Map::new()),
            Some(other) => return Err(unknown_directive(other, &patch)),
        }
        retain_keys(&mut object, &mut patch)?;
        let orders = patch
            .keys()
            .filter(|name| name.starts_with(SET_ELEMENT_ORDER));
        for name in orders.cloned().collect::<Vec<_>>() {
            self.set_order(&mut object, &mut patch, &name, schema)?;
        }
        for (name, value) in patch {
            let (name, deletes) = match name.strip_prefix(DELETE_FROM_PRIMITIVE_LIST) {
                None => (name.as_str(), false),
                Some(list) => (list_name(list, "primitive")?, true),
            };
            let field = schema.and_then(|schema| schema.field(name));
            match (object.get_mut(name), value) {
                (_, Value::Null) => drop(object.remove(name)),
                (Some(Value::Object(old)), Value::Object(new)) => {
                    let strategy = field.and_then(|field| field.patch_strategy);
                    let schema = field.and_then(|field| match &field.shape {
                        Shape::Object(schema) => Some(*schema),
                        _ => None,
                    });
                    *old = match strategy {
                        Some(PatchStrategy::Replace) => new,
                        _ => self.map(take(old), new, schema)?,
                    };
                }
                (Some(Value::Array(old)), Value::Array(new)) => {
                    *old = self.list(take(old), new, field, deletes)?;
                }
                (old, new) => {
                    if deletes && old.is_none_or(|old| discriminant(old) != discriminant(&new)) {
                        continue;
                    }
                    match self.stored(new) {
                        Some(new) => drop(object.insert(name.to_owned(), new)),
                        None => drop(object.remove(name)),
                    }
                }
            }
        }
        Ok(object)
    }

    /// The stored form of a new value: without the fields that are `null`.
    fn stored(&self, value: Value) -> Option<Value> {
        let value = without_nulls(&value);
        if self.removes_directives {
            without_directives(value)
        } else {
            Some(value)
        }
    }
}

fn list_name<'a>(directive: &'a str, format: &str) -> Result<&'a str, Failure> {
    directive
        .strip_prefix('/')
        .ok_or_else(|| bad_request(format!("invalid patch format of {format} list")))
}

/// A value that Go prints with `%s`.
fn go_text(value: &Value) -> String {
    let mismatch = |r#type: &str| format!("%!s({type}={value})");
    match value {
        Value::Null => "%!s(<nil>)".into(),
        Value::Bool(_) => mismatch("bool"),
        Value::Number(number) if number.is_f64() => mismatch("float64"),
        Value::Number(_) => mismatch("int64"),
        _ => go_value(value),
    }
}

fn unknown_directive(directive: &Value, patch: &Map<String, Value>) -> Failure {
    internal(format!(
        "unknown patch type: {} in map: {}",
        go_text(directive),
        go_map(patch)
    ))
}

/// Removes the fields that `$retainKeys` does not name. It has to name the fields of the patch.
fn retain_keys(
    object: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<(), Failure> {
    let Some(keys) = patch.remove(RETAIN_KEYS) else {
        return Ok(());
    };
    let invalid = || bad_request("invalid patch format of retainKeys");
    let keys = places(keys.as_array().ok_or_else(invalid)?);
    let is_kept = |name: &str| keys.contains_key(&Value::from(name));
    let named = |(name, value): (&String, &Value)| {
        is_kept(name)
            || value.is_null()
            || name.starts_with(DELETE_FROM_PRIMITIVE_LIST)
            || name.starts_with(SET_ELEMENT_ORDER)
    };
    if !patch.iter().all(named) {
        return Err(invalid());
    }
    object.retain(|name, _| is_kept(name));
    Ok(())
}

/// A value without the maps that have a directive.
fn without_directives(value: Value) -> Option<Value> {
    Some(match value {
        Value::Object(fields) if fields.contains_key(DIRECTIVE) => return None,
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(
                fields
                    .filter_map(|(name, value)| Some((name, without_directives(value)?)))
                    .collect(),
            )
        }
        Value::Array(elements) => elements
            .into_iter()
            .filter_map(without_directives)
            .collect(),
        other => other,
    })
}

/// A map in Go's format: `map[a:1 b:map[c:2]]`.
pub(crate) fn go_map(map: &Map<String, Value>) -> String {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    let entries: Vec<_> = entries
        .into_iter()
        .map(|(name, value)| format!("{name}:{}", go_value(value)))
        .collect();
    format!("map[{}]", entries.join(" "))
}

/// A value in Go's format.
pub(crate) fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::String(text) => text.clone(),
        Value::Object(map) => go_map(map),
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(go_value).collect();
            format!("[{}]", elements.join(" "))
        }
        Value::Number(number) => match number.as_f64() {
            // Go prints other numbers than integers without a fraction of zero.
            Some(float) if !number.is_i64() && float.abs() < 1e21 => float.to_string(),
            _ => number.to_string(),
        },
        Value::Bool(value) => value.to_string(),
    }
}
