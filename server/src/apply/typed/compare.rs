//! The fields in which two trees differ.

use super::parts::{Parts, elements, entries, is_empty, parts};
use crate::apply::field_set::{FieldSet, Step};
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The differences between an old and a new tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) added: FieldSet,
    pub(crate) modified: FieldSet,
    pub(crate) removed: FieldSet,
}

impl Comparison {
    /// The added and modified fields.
    pub(crate) fn set(&self) -> FieldSet {
        self.added.union(&self.modified)
    }

    /// The comparison without the given subtrees.
    pub(crate) fn without(&self, ignored: &FieldSet) -> Self {
        Self {
            added: self.added.without_subtrees(ignored),
            modified: self.modified.without_subtrees(ignored),
            removed: self.removed.without_subtrees(ignored),
        }
    }
}

/// Compares two objects of one type. An object that is added counts itself, besides its fields.
pub(crate) fn compare(old: &Value, new: &Value, schema: &TypeSchema) -> Comparison {
    let mut comparison = Comparison::default();
    compare_fields(
        Some(old),
        Some(new),
        schema,
        &mut Vec::new(),
        &mut comparison,
    );
    comparison
}

fn compare_fields(
    old: Option<&Value>,
    new: Option<&Value>,
    schema: &TypeSchema,
    path: &mut Vec<Step>,
    out: &mut Comparison,
) {
    for field in schema.fields() {
        let (old, new) = (value_of(old, field.name), value_of(new, field.name));
        path.push(Step::field(field.name));
        compare_values(old, new, &field.shape, path, out);
        path.pop();
    }
    if schema.preserves_unknown_fields {
        let names = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
        let mut names: Vec<_> = names(old).into_iter().chain(names(new)).flatten().collect();
        names.retain(|(name, _)| schema.field(name).is_none());
        for (name, _) in names {
            path.push(Step::field(&name));
            compare_values(
                value_of(old, &name),
                value_of(new, &name),
                &Shape::Any,
                path,
                out,
            );
            path.pop();
        }
    }
}

fn value_of<'a>(value: Option<&'a Value>, name: &str) -> Option<&'a Value> {
    value?.get(name)
}

fn compare_values(
    old: Option<&Value>,
    new: Option<&Value>,
    shape: &Shape,
    path: &mut Vec<Step>,
    out: &mut Comparison,
) {
    if old.is_none() && new.is_none() {
        return;
    }
    if let (Shape::Any, Some(before), Some(after)) = (shape, old, new)
        && before.is_object() != after.is_object()
        && !before.is_null()
        && !after.is_null()
    {
        // Free-form JSON got another form: the fields of the old one are gone.
        compare_values(old, None, shape, path, out);
        compare_values(None, new, shape, path, out);
        return;
    }
    let parts = parts(shape, new.filter(|new| !new.is_null()).or(old));
    if matches!(parts, Parts::Leaf) || (is_empty(old) && is_empty(new)) {
        match (old, new) {
            (None, _) => out.added.insert(path),
            (_, None) => out.removed.insert(path),
            (old, new) if old != new => out.modified.insert(path),
            _ => {}
        }
        return;
    }
    match parts {
        Parts::Leaf => {}
        Parts::Fields(schema) => compare_fields(old, new, schema, path, out),
        Parts::Entries(shape) => {
            let keys: BTreeSet<&String> = entries(old)
                .into_iter()
                .chain(entries(new))
                .flat_map(|map| map.keys())
                .collect();
            for key in keys {
                path.push(Step::field(key));
                compare_values(value_of(old, key), value_of(new, key), shape, path, out);
                path.pop();
            }
        }
        Parts::Elements(shape, kind) => {
            let (old, new) = (elements(old, kind), elements(new, kind));
            let by_step: HashMap<_, _> = new.iter().map(|(step, new)| (step, *new)).collect();
            let known: HashSet<_> = old.iter().map(|(step, _)| step).collect();
            for (step, element) in &old {
                path.push(step.clone());
                compare_values(Some(element), by_step.get(step).copied(), shape, path, out);
                path.pop();
            }
            for (step, element) in new.iter().filter(|(step, _)| !known.contains(step)) {
                path.push(step.clone());
                compare_values(None, Some(element), shape, path, out);
                path.pop();
            }
        }
    }
    if old.is_none() {
        out.added.insert(path);
    } else if new.is_none() {
        out.removed.insert(path);
    }
}
