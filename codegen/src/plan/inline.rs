//! Equal inline schemas: one item for all of a module, or a type that the runtime has.

use super::types::{Body, Item, Shape, Struct};
use crate::model::{ListKind, Scalar};
use crate::runtime::{self, RuntimeField, RuntimeShape};
use std::collections::HashMap;
use std::fmt::Write;

/// The items of inline schemas, by module and everything that makes them equal.
#[derive(Debug, Default)]
pub(super) struct Inline {
    known: HashMap<(usize, String), usize>,
}

impl Inline {
    /// The item of an equal schema of the module, or else `new`, which becomes the item of this one.
    pub(super) fn item(
        &mut self,
        module: usize,
        title: Option<&str>,
        body: &Body,
        new: usize,
    ) -> usize {
        let content = format!("{title:?} {}", signature(body));
        *self.known.entry((module, content)).or_insert(new)
    }
}

/// All facts about a schema except its descriptions. The items inside it are unique already.
fn signature(body: &Body) -> String {
    let body = match body {
        Body::Enum(values) => {
            let mut values = values.clone();
            values.sort_unstable();
            return format!("{values:?}");
        }
        Body::Struct(body) => body,
    };
    let mut fields: Vec<String> = Vec::with_capacity(body.fields.len());
    for field in &body.fields {
        let (required, nullable) = (field.required, field.nullable);
        let (name, shape, facts) = (&field.name, &field.shape, &field.facts);
        fields.push(format!("{name} {required} {nullable} {shape:?} {facts:?}"));
    }
    fields.sort_unstable();
    let mut text = format!("{} {} {}", body.atomic, body.preserving, body.has_secrets);
    for field in fields {
        let _ = write!(text, "; {field}");
    }
    text
}

/// The runtime's type that an inline object equals.
pub(super) fn runtime_type(items: &[Item], body: &Struct) -> Option<&'static str> {
    let types = runtime::RUNTIME_SHAPES.iter();
    types
        .filter(|shape| shape.is_replacement)
        .find(|shape| is_equal(items, body, shape))
        .map(|shape| shape.name)
}

pub(super) fn is_equal(items: &[Item], body: &Struct, shape: &RuntimeShape) -> bool {
    body.atomic == shape.atomic
        && !body.preserving
        && body.fields.len() == shape.fields.len()
        && body.fields.iter().all(|field| {
            let known = shape.fields.iter().find(|known| known.name == field.name);
            let is_plain = field.facts.patch_strategy.is_none() && !field.nullable;
            known.is_some_and(|known| {
                is_plain
                    && field.required == known.required
                    && has_shape(items, &field.shape, &known.shape)
            })
        })
}

fn has_shape(items: &[Item], shape: &Shape, known: &RuntimeField) -> bool {
    match (shape, known) {
        (Shape::Scalar(scalar), RuntimeField::Scalar(known)) => scalar == known,
        // The runtime's type keeps every string.
        (Shape::Item(item), RuntimeField::Scalar(Scalar::String)) => {
            matches!(items[*item].body, Body::Enum(_))
        }
        (Shape::List(element, ListKind::Atomic), RuntimeField::Strings) => {
            matches!(**element, Shape::Scalar(Scalar::String))
        }
        (Shape::List(element, ListKind::Atomic), RuntimeField::Objects(name)) => {
            is_named(items, element, name)
        }
        (Shape::Map(value, false), RuntimeField::StringMap) => {
            matches!(**value, Shape::Scalar(Scalar::String))
        }
        _ => false,
    }
}

/// Whether an object inside another one equals the runtime's type `name`.
fn is_named(items: &[Item], shape: &Shape, name: &str) -> bool {
    match shape {
        Shape::Runtime(found) => *found == name,
        Shape::Item(item) => {
            let known = runtime::RUNTIME_SHAPES.iter().find(|s| s.name == name);
            match (&items[*item].body, known) {
                (Body::Struct(body), Some(known)) => is_equal(items, body, known),
                _ => false,
            }
        }
        _ => false,
    }
}
