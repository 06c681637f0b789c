//! Strategic merge patch: a merge patch that merges lists by the keys of the schema.
//!
//! Directives: `$patch` (`replace`, `merge`, `delete`), `$retainKeys`, `$deleteFromPrimitiveList/…`,
//! `$setElementOrder/…`. Own code, because the order of lists and the messages are part of the server's responses.

use crate::status::{Failure, internal};
use k8s_flowcontrol_types::schema::{FieldSchema, PatchStrategy, Shape, TypeSchema};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_PRIMITIVE_LIST: &str = "$deleteFromPrimitiveList/";
const SET_ELEMENT_ORDER: &str = "$setElementOrder/";

/// Applies `patch` to `object` of type `schema`.
///
/// # Errors
/// 500, as from a real server, for an unknown directive or an element without its merge key.
pub(crate) fn strategic_merge_patch(
    object: &Value,
    patch: &Map<String, Value>,
    schema: &TypeSchema,
) -> Result<Value, Failure> {
    let object = object.as_object().cloned().unwrap_or_default();
    merge_map(object, patch, Some(schema)).map(Value::Object)
}

fn merge_map(
    mut object: Map<String, Value>,
    patch: &Map<String, Value>,
    schema: Option<&TypeSchema>,
) -> Result<Map<String, Value>, Failure> {
    match patch.get(DIRECTIVE) {
        None => {}
        Some(found) if found == "replace" => return Ok(without_directives(patch)),
        Some(found) if found == "delete" => return Ok(Map::new()),
        Some(other) => return Err(unknown_directive(other, patch)),
    }
    if let Some(kept) = patch.get(RETAIN_KEYS).and_then(Value::as_array) {
        let kept: HashSet<_> = kept.iter().filter_map(Value::as_str).collect();
        object.retain(|name, _| kept.contains(name.as_str()));
    }
    for (name, value) in patch {
        if let Some(list) = name.strip_prefix(DELETE_FROM_PRIMITIVE_LIST) {
            delete_elements(&mut object, list, value);
            continue;
        }
        if name == DIRECTIVE || name == RETAIN_KEYS || name.starts_with(SET_ELEMENT_ORDER) {
            continue;
        }
        if value.is_null() {
            object.remove(name);
            continue;
        }
        let old = object.remove(name);
        let field = schema.and_then(|schema| schema.field(name));
        let merged = merge_field(old, value, field)?;
        object.insert(name.clone(), merged);
    }
    Ok(object)
}

fn unknown_directive(directive: &Value, patch: &Map<String, Value>) -> Failure {
    internal(format!(
        "unknown patch type: {} in map: {}",
        go_value(directive),
        go_map(patch)
    ))
}

fn merge_field(
    old: Option<Value>,
    patch: &Value,
    field: Option<&FieldSchema>,
) -> Result<Value, Failure> {
    let replaced = field.is_some_and(|field| field.patch_strategy == Some(PatchStrategy::Replace));
    match (old, patch) {
        (old, Value::Object(patch)) if !replaced => {
            let old = match old {
                Some(Value::Object(old)) => old,
                _ => Map::new(),
            };
            let schema = field.and_then(|field| match &field.shape {
                Shape::Object(schema) => Some(*schema),
                _ => None,
            });
            merge_map(old, patch, schema).map(Value::Object)
        }
        (Some(Value::Array(old)), Value::Array(patch)) if merges(field) => {
            merge_list(old, patch, field).map(Value::Array)
        }
        (_, patch) => Ok(patch.clone()),
    }
}

fn merges(field: Option<&FieldSchema>) -> bool {
    field.is_some_and(|field| {
        matches!(
            field.patch_strategy,
            Some(PatchStrategy::Merge | PatchStrategy::MergeRetainKeys)
        )
    })
}

fn merge_list(
    old: Vec<Value>,
    patch: &[Value],
    field: Option<&FieldSchema>,
) -> Result<Vec<Value>, Failure> {
    let Some(key) = field.and_then(|field| field.patch_merge_key) else {
        let places = places(&old, Some);
        let patched: HashSet<_> = patch.iter().collect();
        let (kept, named): (Vec<_>, Vec<_>) = old
            .iter()
            .cloned()
            .partition(|element| !patched.contains(element));
        let new = patch
            .iter()
            .filter(|element| !places.contains_key(&Some(*element)))
            .cloned();
        let set: Vec<_> = named.into_iter().chain(new).collect();
        return Ok(in_order(kept, set, |element| {
            places.get(&Some(element)).copied()
        }));
    };
    let no_key = |fields: &Map<String, Value>| {
        internal(format!(
            "map: {} does not contain declared merge key: {key}",
            go_map(fields)
        ))
    };
    let (mut plain, mut deleted, mut replaces) = (Vec::new(), HashSet::new(), false);
    for fields in patch.iter().filter_map(Value::as_object) {
        match fields.get(DIRECTIVE) {
            None => plain.push(fields),
            Some(found) if found == "replace" => replaces = true,
            Some(found) if found == "delete" => {
                deleted.insert(fields.get(key).ok_or_else(|| no_key(fields))?);
            }
            Some(found) if found == "merge" => {
                let message = "merging lists cannot yet be specified in the patch";
                return Err(internal(message));
            }
            Some(other) => return Err(unknown_directive(other, fields)),
        }
    }
    if replaces {
        return Ok(plain.into_iter().cloned().map(Value::Object).collect());
    }
    let schema = field.and_then(|field| match &field.shape {
        Shape::List {
            element: Shape::Object(schema),
            ..
        } => Some(*schema),
        _ => None,
    });
    let is_in = |set: &HashSet<&Value>, element: &Value| {
        let value = element.get(key);
        value.is_some_and(|value| set.contains(value))
    };
    let mut old = old;
    old.retain(|element| !is_in(&deleted, element));
    let places = places(&old, |element| element.get(key));
    // Elements with the same key are merged one after the other.
    let mut patched = HashMap::new();
    let mut set: Vec<Map<String, Value>> = Vec::new();
    for fields in plain {
        let value = fields.get(key).ok_or_else(|| no_key(fields))?;
        let at = *patched.entry(value).or_insert_with(|| {
            let before = places.get(&Some(value));
            let before = before.and_then(|place| old.get(*place)?.as_object());
            set.push(before.cloned().unwrap_or_default());
            set.len() - 1
        });
        set[at] = merge_map(std::mem::take(&mut set[at]), fields, schema)?;
    }
    let patched: HashSet<_> = patched.into_keys().collect();
    let kept = old.iter().filter(|element| !is_in(&patched, element));
    let set = set.into_iter().map(Value::Object).collect();
    Ok(in_order(kept.cloned().collect(), set, |element| {
        places.get(&element.get(key)).copied()
    }))
}

/// The position of the first element with each identity.
fn places<'a>(
    elements: &'a [Value],
    identity: impl Fn(&'a Value) -> Option<&'a Value>,
) -> HashMap<Option<&'a Value>, usize> {
    let mut places = HashMap::with_capacity(elements.len());
    for (place, element) in elements.iter().enumerate() {
        places.entry(identity(element)).or_insert(place);
    }
    places
}

/// Merges the elements outside a patch with those in it: old elements keep their relative order, new ones come as
/// early as possible.
fn in_order(
    kept: Vec<Value>,
    set: Vec<Value>,
    place: impl Fn(&Value) -> Option<usize>,
) -> Vec<Value> {
    let mut merged = Vec::with_capacity(kept.len() + set.len());
    let (mut kept, mut set) = (kept.into_iter().peekable(), set.into_iter().peekable());
    while let (Some(left), Some(right)) = (kept.peek(), set.peek()) {
        let left_first = matches!((place(left), place(right)), (Some(l), Some(r)) if l < r);
        merged.extend(if left_first { kept.next() } else { set.next() });
    }
    merged.extend(kept);
    merged.extend(set);
    merged
}

fn delete_elements(object: &mut Map<String, Value>, list: &str, gone: &Value) {
    let gone: HashSet<_> = gone.as_array().into_iter().flatten().collect();
    if let Some(Value::Array(elements)) = object.get_mut(list) {
        elements.retain(|element| !gone.contains(element));
    }
}

fn without_directives(patch: &Map<String, Value>) -> Map<String, Value> {
    patch
        .iter()
        .filter(|(name, _)| !name.starts_with('$'))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// A map in Go's format: `map[a:1 b:map[c:2]]`.
pub(crate) fn go_map(map: &Map<String, Value>) -> String {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(name, _)| *name);
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
