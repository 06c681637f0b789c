//! A Go value while it is decoded into: what a second member of the same name finds there.

use crate::schema::{Shape, TypeSchema};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A Go value. Its shape says which of the parts is the value.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// Whether there is a value: false for a zero, and for a pointer, list or map that is nil.
    is_set: bool,
    /// A scalar, or a value that is not interpreted.
    value: Value,
    /// The members of a struct by their index in the schema.
    members: BTreeMap<usize, Slot>,
    /// The entries of a map.
    entries: BTreeMap<String, Slot>,
    /// The elements of a list, and behind them its spare capacity: Go brings back what lies there when the
    /// list grows again.
    elements: Vec<Slot>,
    length: usize,
}

impl Slot {
    /// Makes the value a scalar.
    pub(super) fn set(&mut self, value: Value) {
        self.is_set = true;
        self.value = value;
    }

    /// The members of the struct, which there is from now on.
    pub(super) fn members(&mut self) -> &mut BTreeMap<usize, Self> {
        self.is_set = true;
        &mut self.members
    }

    /// The entries of the map, which there is from now on.
    pub(super) fn entries(&mut self) -> &mut BTreeMap<String, Self> {
        self.is_set = true;
        &mut self.entries
    }

    /// The element at `index` of the list, which is at least that long from now on.
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
            Shape::Map { value, .. } => Value::Object(
                self.entries
                    .into_iter()
                    .map(|(key, slot)| (key, slot.into_zero_or(value)))
                    .collect(),
            ),
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

    /// The struct as JSON, its members in the schema's order.
    pub(super) fn into_object(self, schema: &TypeSchema) -> Value {
        let mut object = Map::new();
        for (index, slot) in self.members {
            if let Some(field) = schema.fields.get(index)
                && let Some(value) = slot.into_value(&field.shape)
            {
                object.insert(field.name.into(), value);
            }
        }
        Value::Object(object)
    }

    fn into_zero_or(self, shape: &Shape) -> Value {
        self.into_value(shape).unwrap_or_else(|| match shape {
            Shape::String | Shape::Quantity => "".into(),
            Shape::Int32 | Shape::Int64 | Shape::Number | Shape::IntOrString => 0.into(),
            Shape::Boolean => false.into(),
            Shape::Object(_) | Shape::Map { .. } => Value::Object(Map::new()),
            Shape::List { .. } => Value::Array(Vec::new()),
            Shape::Time | Shape::MicroTime | Shape::Any => Value::Null,
        })
    }
}
