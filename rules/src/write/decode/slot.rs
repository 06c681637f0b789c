//! A Go value during decoding. A duplicate field is decoded into the value that the first one left.

use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde_json::{Map, Value};

/// A Go value. Its shape determines the part that holds the value.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// Whether there is a value: false for a zero, and for a pointer, list or map that is nil.
    is_set: bool,
    /// A scalar, or a value that is not interpreted.
    value: Value,
    /// The fields of a struct by their index in the schema. Or the elements of a list, followed by its spare capacity:
    /// Go reuses the old elements when the list grows again.
    elements: Vec<Slot>,
    /// How many elements the list has.
    length: usize,
    /// The entries of a map; of several with one key the last counts.
    entries: Vec<(String, Slot)>,
}

impl Slot {
    /// Makes the value a scalar.
    pub(super) fn set(&mut self, value: Value) {
        self.is_set = true;
        self.value = value;
    }

    /// Makes the value a struct or a map, with what it had before or nothing in it.
    pub(super) fn open(&mut self) {
        self.is_set = true;
    }

    /// Sets an entry of the map.
    pub(super) fn insert(&mut self, key: String, value: Self) {
        self.is_set = true;
        self.entries.push((key, value));
    }

    /// The field of the struct with `index` in the schema, or the element at `index` of the list, which
    /// is at least that long from now on.
    pub(super) fn element(&mut self, index: usize) -> &mut Self {
        self.is_set = true;
        if self.elements.len() <= index {
            self.elements.resize_with(index + 1, Self::default);
        }
        self.length = self.length.max(index + 1);
        &mut self.elements[index]
    }

    /// Cuts the list, which there is from now on, to its first `length` elements.
    pub(super) fn truncate(&mut self, length: usize) {
        self.is_set = true;
        self.length = length;
        // Go makes a new list for an empty one.
        if length == 0 {
            self.elements.clear();
        }
    }

    /// The JSON value; nothing for what is not set.
    pub(super) fn into_value(self, shape: &Shape) -> Option<Value> {
        if !self.is_set {
            return None;
        }
        Some(match shape {
            Shape::Object(schema) => self.into_object(schema),
            Shape::Map { value, .. } => {
                let mut object = Map::new();
                for (key, slot) in self.entries {
                    object.insert(key, slot.into_zero_or(value));
                }
                Value::Object(object)
            }
            Shape::List { element, .. } => Value::Array(
                self.elements
                    .into_iter()
                    .take(self.length)
                    .map(|slot| slot.into_zero_or(element))
                    .collect(),
            ),
            _ => self.value,
        })
    }

    /// The struct as JSON, its fields in the schema's order.
    pub(super) fn into_object(self, schema: &TypeSchema) -> Value {
        let mut object = Map::new();
        for (field, slot) in schema.fields().iter().zip(self.elements) {
            if let Some(value) = slot.into_value(&field.shape) {
                object.insert(field.name.into(), value);
            }
        }
        // Fields that the schema does not have, where a server preserves them.
        for (name, slot) in self.entries {
            object.insert(name, slot.into_zero_or(&Shape::Any));
        }
        Value::Object(object)
    }

    fn into_zero_or(self, shape: &Shape) -> Value {
        self.into_value(shape).unwrap_or_else(|| match shape {
            Shape::String | Shape::Bytes | Shape::Quantity => "".into(),
            Shape::Int32 | Shape::Int64 | Shape::Number | Shape::IntOrString => 0.into(),
            Shape::Boolean => false.into(),
            Shape::Object(_) | Shape::Map { .. } => Value::Object(Map::new()),
            Shape::List { .. } => Value::Array(Vec::new()),
            Shape::Time | Shape::MicroTime | Shape::Any => Value::Null,
        })
    }
}
