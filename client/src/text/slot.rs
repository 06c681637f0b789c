//! A Go value while it is decoded into: what a second member of the same name finds there.

use crate::schema::{Shape, TypeSchema};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A Go value.
#[derive(Debug, Default)]
pub(super) enum Slot {
    /// A zero, or a pointer, list or map that is nil.
    #[default]
    Unset,
    /// A scalar, or a value that is not interpreted.
    Value(Value),
    /// A struct; its members by their index in the schema.
    Struct(BTreeMap<usize, Slot>),
    /// A map with string keys.
    Map(BTreeMap<String, Slot>),
    /// A list. Elements from `len` on lie in its spare capacity: Go brings them back when it grows.
    List {
        /// The elements, the spare ones too.
        elements: Vec<Slot>,
        /// How many of them belong to the list.
        len: usize,
    },
}

impl Slot {
    /// The members of a struct; makes one of what is none.
    pub(super) fn members(&mut self) -> &mut BTreeMap<usize, Slot> {
        if !matches!(self, Self::Struct(_)) {
            *self = Self::Struct(BTreeMap::new());
        }
        match self {
            Self::Struct(members) => members,
            // Just made.
            _ => unreachable!("a struct was put here"),
        }
    }

    /// The entries of a map; makes one of what is none.
    pub(super) fn entries(&mut self) -> &mut BTreeMap<String, Slot> {
        if !matches!(self, Self::Map(_)) {
            *self = Self::Map(BTreeMap::new());
        }
        match self {
            Self::Map(entries) => entries,
            // Just made.
            _ => unreachable!("a map was put here"),
        }
    }

    /// The element at `index` of a list; makes a list of what is none, and an element where there is none.
    pub(super) fn element(&mut self, index: usize) -> &mut Slot {
        self.resize_to(|len| len.max(index + 1));
        match self {
            Self::List { elements, .. } => {
                while elements.len() <= index {
                    elements.push(Self::Unset);
                }
                &mut elements[index]
            }
            // Just made.
            _ => unreachable!("a list was put here"),
        }
    }

    /// Cuts a list to its first `length` elements; the rest becomes spare capacity.
    pub(super) fn truncate(&mut self, length: usize) {
        if length == 0 {
            *self = Self::List {
                elements: Vec::new(),
                len: 0,
            };
        } else {
            self.resize_to(|_| length);
        }
    }

    fn resize_to(&mut self, new: impl FnOnce(usize) -> usize) {
        match self {
            Self::List { len, .. } => *len = new(*len),
            _ => {
                *self = Self::List {
                    elements: Vec::new(),
                    len: new(0),
                }
            }
        }
    }

    /// The JSON value; nothing for what is unset.
    pub(super) fn into_value(self, shape: &Shape) -> Option<Value> {
        match (self, shape) {
            (Self::Unset, _) => None,
            (Self::Value(value), _) => Some(value),
            (Self::Struct(members), Shape::Object(schema)) => Some(object(members, schema)),
            (Self::Map(entries), Shape::Map { value, .. }) => Some(Value::Object(
                entries
                    .into_iter()
                    .map(|(key, slot)| (key, slot.into_zero_or(value)))
                    .collect(),
            )),
            (Self::List { elements, len }, Shape::List { element, .. }) => Some(Value::Array(
                elements
                    .into_iter()
                    .take(len)
                    .map(|slot| slot.into_zero_or(element))
                    .collect(),
            )),
            _ => None,
        }
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

/// A struct as JSON, its members in the schema's order.
pub(super) fn object(members: BTreeMap<usize, Slot>, schema: &TypeSchema) -> Value {
    let mut object = Map::new();
    for (index, slot) in members {
        if let Some(field) = schema.fields.get(index)
            && let Some(value) = slot.into_value(&field.shape)
        {
            object.insert(field.name.into(), value);
        }
    }
    Value::Object(object)
}
