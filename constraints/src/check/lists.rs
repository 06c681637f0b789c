//! The uniqueness of elements of lists that are sets or maps.

use crate::go::{bad_value, integer, json};
use crate::schema::{ListType, Node, Nodes};
use crate::violation::{Reason, Violation};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The repeated elements in a value.
pub(super) fn violations(node: &Node, definitions: &Nodes, value: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    walk(node, definitions, "", value, &mut found);
    found
}

fn walk(node: &Node, definitions: &Nodes, path: &str, value: &Value, found: &mut Vec<Violation>) {
    let node = node.resolve(definitions);
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(schema) = node.of_field(name) {
                    walk(schema, definitions, &node.path_of(path, name), value, found);
                }
            }
        }
        Value::Array(elements) => {
            let path_of = |index: usize| format!("{path}[{index}]");
            let repeated = match &node.list_type {
                ListType::Atomic => Vec::new(),
                ListType::Set => repetitions(elements.iter().map(Identity::of)),
                ListType::Map(keys) => match elements.iter().position(is_scalar) {
                    Some(index) => {
                        let value = bad_value(&elements[index]);
                        let parts = [&*value, "must be an object for an array of list-type map"];
                        found.push(Violation::new(&path_of(index), Reason::Invalid, parts));
                        Vec::new()
                    }
                    None => repetitions(elements.iter().map(|one| Identity::of_keys(one, keys))),
                },
            };
            found.extend(repeated.into_iter().map(|index| {
                let shown = match &node.list_type {
                    ListType::Map(keys) => bad_value(&keys_of(&elements[index], keys)),
                    _ => bad_value(&elements[index]),
                };
                Violation::new(&path_of(index), Reason::Duplicate, [&*shown])
            }));
            if let Some(items) = &node.items {
                for (index, element) in elements.iter().enumerate() {
                    walk(items, definitions, &path_of(index), element, found);
                }
            }
        }
        _ => {}
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_null()
}

/// The keys of an element, as an object without the absent ones.
fn keys_of(element: &Value, keys: &[String]) -> Value {
    let present = keys.iter().filter_map(|key| {
        let value = element.get(key)?;
        Some((key.clone(), value.clone()))
    });
    Value::Object(present.collect::<Map<_, _>>())
}

/// The part in which elements must differ. Go compares scalars as it decodes them, so that 1 is not 1.0, and all else as JSON text.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Absent,
    Integer(i64),
    Float(u64),
    Json(String),
}

impl Identity {
    fn of(value: &Value) -> Self {
        match value {
            Value::Number(number) => match integer(number) {
                Some(integer) => Self::Integer(integer),
                // The sign of zero does not count.
                None => Self::Float((number.as_f64().unwrap_or_default() + 0.0).to_bits()),
            },
            value => Self::Json(json(value)),
        }
    }

    /// The identity by keys: of one key its value, of several the object of the present keys.
    fn of_keys(element: &Value, keys: &[String]) -> Self {
        match keys {
            [key] => element.get(key).map_or(Self::Absent, Self::of),
            keys => Self::of(&keys_of(element, keys)),
        }
    }
}

/// The second occurrence of each identity that occurs several times.
fn repetitions(all: impl Iterator<Item = Identity>) -> Vec<usize> {
    let mut seen: HashMap<Identity, usize> = HashMap::new();
    let mut found = Vec::new();
    for (index, identity) in all.enumerate() {
        let count = seen.entry(identity).or_default();
        *count += 1;
        if *count == 2 {
            found.push(index);
        }
    }
    found
}
