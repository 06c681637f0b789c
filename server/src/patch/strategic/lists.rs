//! Lists in a strategic merge patch, and their order.

use super::super::json::rejected;
use super::{
    DIRECTIVE, Merge, SET_ELEMENT_ORDER, go_map, go_value, list_name, unknown_directive,
    without_directives,
};
use crate::status::{Failure, internal};
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_types::schema::{FieldSchema, PatchStrategy, Shape, TypeSchema};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::mem::{discriminant, take};

impl Merge {
    /// Merges the list that the directive `directive` of `patch` orders, and sorts it. Elements that the directive does not name keep their
    /// relative order.
    pub(super) fn set_order(
        &self,
        object: &mut Map<String, Value>,
        patch: &mut Map<String, Value>,
        directive: &str,
        schema: Option<&TypeSchema>,
    ) -> Result<(), Failure> {
        let order = elements(patch.remove(directive).as_ref())?.unwrap_or_default();
        let rest = directive
            .strip_prefix(SET_ELEMENT_ORDER)
            .unwrap_or_default();
        let name = list_name(rest, "setElementOrder")?;
        let (old, new) = (elements(object.get(name))?, elements(patch.get(name))?);
        let field = list_field(schema, name)?;
        let key = field.patch_merge_key;
        if let Some(new) = &new {
            check_order(new, &order, key)?;
        }
        let before = old.clone().unwrap_or_default();
        let is_empty = before.is_empty() && new.as_ref().is_none_or(Vec::is_empty);
        let merged = match (old, new) {
            (None, None) => return Ok(()),
            (Some(old), None) => old,
            (None, Some(new)) if self.removes_directives => {
                new.into_iter().filter_map(without_directives).collect()
            }
            (None, Some(new)) => new,
            (Some(old), Some(new)) => self.list(old, new, Some(field), false)?,
        };
        if is_empty {
            return Err(internal("no elements in any of the given slices"));
        }
        let (order, before) = (identities(&order, key)?, identities(&before, key)?);
        let merged = in_order(merged, &order, &before, key)?;
        object.insert(name.to_owned(), Value::Array(merged));
        patch.remove(name);
        Ok(())
    }

    /// The list after a patch; with `deletes`, after a patch that names elements to delete.
    pub(super) fn list(
        &self,
        old: Vec<Value>,
        patch: Vec<Value>,
        field: Option<&FieldSchema>,
        deletes: bool,
    ) -> Result<Vec<Value>, Failure> {
        let merges = field.is_some_and(|field| {
            use PatchStrategy::{Merge, MergeRetainKeys};
            matches!(field.patch_strategy, Some(Merge | MergeRetainKeys))
        });
        if !merges && !deletes {
            return Ok(patch);
        }
        let Some(first) = old.iter().chain(&patch).next() else {
            return Ok(old);
        };
        if first.is_array() {
            return Err(rejected());
        }
        let other = |element: &Value| discriminant(element) != discriminant(first);
        if old.iter().chain(&patch).any(other) {
            let lists = go_value(&Value::from(vec![old, patch]));
            return Err(internal(format!(
                "list element types are not identical: {lists}"
            )));
        }
        if first.is_object() {
            return self.maps(old, patch, field);
        }
        let gone = places(if deletes { &patch } else { &[] });
        let mut seen: HashMap<_, usize> = HashMap::new();
        let merged = old.iter().chain(&patch);
        let merged: Vec<_> = merged
            .filter(|element| !gone.contains_key(element) && seen.insert(*element, 0).is_none())
            .cloned()
            .collect();
        if deletes {
            return Ok(merged);
        }
        in_order(merged, &patch, &old, None)
    }

    /// Merges elements with the same merge key, in the order of the patch.
    fn maps(
        &self,
        mut old: Vec<Value>,
        patch: Vec<Value>,
        field: Option<&FieldSchema>,
    ) -> Result<Vec<Value>, Failure> {
        let Some(key) = field.and_then(|field| field.patch_merge_key) else {
            let message = "cannot merge lists without merge key for struct";
            return Err(internal(message));
        };
        let (mut plain, mut deleted, mut replaces) = (Vec::new(), Vec::new(), false);
        for element in patch {
            match element.get(DIRECTIVE).map(Value::as_str) {
                None => plain.push(element),
                Some(Some("replace")) => replaces = true,
                Some(Some("delete")) => deleted.push(identity(&element, Some(key))?.clone()),
                Some(Some("merge")) => {
                    let message = "merging lists cannot yet be specified in the patch";
                    return Err(internal(message));
                }
                Some(_) => {
                    let fields = element.as_object().cloned().unwrap_or_default();
                    return Err(unknown_directive(&element[DIRECTIVE], &fields));
                }
            }
        }
        if replaces {
            (old, plain) = (plain, Vec::new());
        } else {
            let deleted = places(&deleted);
            old.retain(|element| {
                element
                    .get(key)
                    .is_none_or(|value| !deleted.contains_key(value))
            });
        }
        let (order, before) = (identities(&plain, Some(key))?, identities(&old, Some(key))?);
        let schema = field.and_then(|field| match &field.shape {
            Shape::List {
                element: Shape::Object(schema),
                ..
            } => Some(*schema),
            _ => None,
        });
        let mut places = places(&before);
        for (element, identity) in plain.into_iter().zip(&order) {
            let place = places.get(identity).copied();
            match (place.and_then(|place| old.get_mut(place)), element) {
                (Some(Value::Object(fields)), Value::Object(patch)) => {
                    *fields = self.map(take(fields), patch, schema)?;
                }
                (_, element) => {
                    places.insert(identity, old.len());
                    old.push(element);
                }
            }
        }
        in_order(old, &order, &before, Some(key))
    }
}

/// The field of a list that a directive orders.
fn list_field(schema: Option<&TypeSchema>, name: &str) -> Result<&'static FieldSchema, Failure> {
    let Some(schema) = schema else {
        return Err(internal(
            "merging an object in json but data type is not struct, instead is: map",
        ));
    };
    match schema.field(name) {
        Some(field) if matches!(field.shape, Shape::List { .. }) => Ok(field),
        Some(_) => Err(internal("expected slice or array type, but got: struct")),
        None => Err(internal(format!(
            "unable to find api field in struct {} for the json field {}",
            schema.name,
            quote(name)
        ))),
    }
}

fn elements(list: Option<&Value>) -> Result<Option<Vec<Value>>, Failure> {
    match list {
        None => Ok(None),
        Some(Value::Array(elements)) => Ok(Some(elements.clone())),
        Some(other) => Err(bad_type("[]interface {}", other)),
    }
}

fn bad_type(expected: &str, found: &Value) -> Failure {
    let found = match found {
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    };
    internal(format!("expected a {expected}, but received a {found}"))
}

/// The value of the merge key, or an element without one.
fn identity<'a>(element: &'a Value, key: Option<&str>) -> Result<&'a Value, Failure> {
    let Some(key) = key else {
        return Ok(element);
    };
    let fields = element
        .as_object()
        .ok_or_else(|| bad_type("map[string]interface {}", element))?;
    fields.get(key).ok_or_else(|| {
        internal(format!(
            "map: {} does not contain declared merge key: {key}",
            go_map(fields)
        ))
    })
}

fn identities(elements: &[Value], key: Option<&str>) -> Result<Vec<Value>, Failure> {
    elements
        .iter()
        .map(|element| identity(element, key).cloned())
        .collect()
}

/// Compares the order of a patch with that of its directive, which names the elements that the patch does not delete.
fn check_order(patch: &[Value], order: &[Value], key: Option<&str>) -> Result<(), Failure> {
    if order.is_empty() {
        return Ok(());
    }
    let mut rest = order.iter();
    for element in patch {
        let directive = element.get(DIRECTIVE);
        if key.is_some() && directive.is_some_and(|directive| directive == "delete") {
            continue;
        }
        let mut found = directive.is_some() && !rest.as_slice().is_empty();
        while !found && let Some(next) = rest.next() {
            found = identity(element, key)? == identity(next, key)?;
        }
        if !found {
            let list = |elements: &[Value]| go_value(&Value::from(elements));
            return Err(internal(format!(
                "The order in patch list:\n{}\n doesn't match {SET_ELEMENT_ORDER} list:\n{}\n",
                list(patch),
                list(order)
            )));
        }
    }
    Ok(())
}

/// The first position of each value.
pub(super) fn places(values: &[Value]) -> HashMap<&Value, usize> {
    let mut places = HashMap::with_capacity(values.len());
    for (place, value) in values.iter().enumerate() {
        places.entry(value).or_insert(place);
    }
    places
}

/// Sorts the elements in `order` by it and the others by the list `before` the patch. Then merges the two: an element of the others comes
/// before the first one in `order` that followed it.
fn in_order(
    merged: Vec<Value>,
    order: &[Value],
    before: &[Value],
    key: Option<&str>,
) -> Result<Vec<Value>, Failure> {
    let (ranks, places) = (places(order), places(before));
    let place = |element: &Value| -> Result<Option<usize>, Failure> {
        Ok(places.get(identity(element, key)?).copied())
    };
    let mut ordered = vec![Vec::new(); order.len()];
    let mut others = vec![Vec::new(); before.len() + 1];
    for element in merged {
        let list = match ranks.get(identity(&element, key)?) {
            Some(rank) => &mut ordered[*rank],
            None => &mut others[place(&element)?.unwrap_or(before.len())],
        };
        list.push(element);
    }
    let (mut merged, mut next) = (Vec::new(), 0);
    for element in ordered.into_iter().flatten() {
        while next < place(&element)?.unwrap_or_default() {
            merged.append(&mut others[next]);
            next += 1;
        }
        merged.push(element);
    }
    merged.extend(others.into_iter().flatten());
    Ok(merged)
}
