//! Large structs: their optional objects move into boxes, so that an absent object costs the size of a pointer.
//!
//! A pod's volume has thirty sources, of which one is set. Without boxes every volume takes 3,496 bytes.

use super::cycles::components;
use super::types::{Body, Item, Plan, PlannedField, Shape, Struct};
use crate::model::Scalar;

/// The size in bytes above which a struct boxes its optional objects, the largest first.
const LIMIT: usize = 256;

/// The size of a pointer, and of the `unknown` field.
const POINTER: usize = 8;

/// The size of a string, a list or a map.
const COLLECTION: usize = 24;

pub(super) fn add(plan: &mut Plan) {
    let items = plan.items.iter().enumerate();
    let edges = items.flat_map(|(from, item)| held(item).map(move |to| (from, to)));
    // A struct is decided after the structs in it, which have lower numbers. Circles have boxes already.
    let component = components(plan.items.len(), edges);
    let mut order: Vec<usize> = (0..plan.items.len()).collect();
    order.sort_unstable_by_key(|item| component[*item]);
    let mut sizes = vec![0; plan.items.len()];
    for index in order {
        if let Body::Struct(body) = &mut plan.items[index].body {
            sizes[index] = decide(body, &sizes);
        } else {
            sizes[index] = COLLECTION;
        }
    }
}

/// The items whose size counts for that of the item.
fn held(item: &Item) -> impl Iterator<Item = usize> {
    item.fields().iter().filter_map(|field| match field.shape {
        Shape::Item(item) if field.has_field() && !field.boxed => Some(item),
        _ => None,
    })
}

/// The size of a field, by the sizes of the items that it may hold.
fn field_size(field: &PlannedField, sizes: &[usize]) -> usize {
    match (&field.shape, field.boxed) {
        _ if !field.has_field() => 0,
        (_, true) => POINTER,
        (Shape::Item(item), false) => sizes[*item],
        (shape, false) => size_of(shape),
    }
}

/// An estimate, which is exact for most types.
fn size_of(shape: &Shape) -> usize {
    match shape {
        Shape::Scalar(Scalar::Boolean) => 1,
        Shape::Scalar(Scalar::Int32) => 8,
        Shape::Scalar(Scalar::Int64) => 16,
        Shape::Runtime("ObjectMeta") => 360,
        Shape::Runtime("ObjectReference") => 176,
        Shape::Runtime("LabelSelector") => 56,
        Shape::Runtime("LocalObjectReference") => 32,
        _ => COLLECTION,
    }
}

/// Boxes fields of a large struct, and returns its size. The fields `spec` and `status` of an object with metadata are
/// not boxed.
fn decide(body: &mut Struct, sizes: &[usize]) -> usize {
    let planned = &mut body.fields;
    let fields: Vec<usize> = planned
        .iter()
        .map(|field| field_size(field, sizes))
        .collect();
    let mut total = POINTER + fields.iter().sum::<usize>();
    if planned.iter().any(is_metadata) {
        return total;
    }
    let mut objects: Vec<usize> = (0..fields.len())
        .filter(|at| {
            let field = &planned[*at];
            matches!(field.shape, Shape::Item(_)) && !field.is_plain() && !field.boxed
        })
        .filter(|at| fields[*at] > COLLECTION)
        .collect();
    objects.sort_by_key(|at| std::cmp::Reverse(fields[*at]));
    for at in objects {
        if total <= LIMIT {
            break;
        }
        planned[at].boxed = true;
        total -= fields[at] - POINTER;
    }
    total
}

fn is_metadata(field: &PlannedField) -> bool {
    field.name == "metadata" && matches!(field.shape, Shape::Runtime(_) | Shape::Item(_))
}
