//! Large structs: their optional objects move into boxes, so that an absent object costs the size of a pointer.
//!
//! A pod's volume has thirty sources, of which one is set. Without boxes every volume takes 3,496 bytes.

use super::types::{Body, Plan, PlannedField, Shape, Struct};
use crate::model::Scalar;

/// The size in bytes above which a struct boxes its optional objects, the largest first.
const LIMIT: usize = 256;

/// The size of a pointer, and of the `unknown` field.
const POINTER: usize = 8;

/// The size of a string, a list or a map.
const COLLECTION: usize = 24;

pub(super) fn add(plan: &mut Plan) {
    let mut sizes: Vec<Option<usize>> = vec![None; plan.items.len()];
    // A struct is decided after the structs that it holds. Circles have boxes already.
    loop {
        let mut changed = false;
        for index in 0..plan.items.len() {
            if sizes[index].is_none()
                && let Some(fields) = field_sizes(plan, index, &sizes)
            {
                sizes[index] = Some(decide(&mut plan.items[index].body, fields));
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// The sizes of an item's fields; `None` while the size of one is open.
fn field_sizes(plan: &Plan, index: usize, sizes: &[Option<usize>]) -> Option<Vec<usize>> {
    let Body::Struct(body) = &plan.items[index].body else {
        return Some(Vec::new());
    };
    let size = |field: &PlannedField| match (&field.shape, field.boxed) {
        _ if !field.has_field() => Some(0),
        (_, true) => Some(POINTER),
        (Shape::Item(item), false) => sizes[*item],
        (shape, false) => Some(size_of(shape)),
    };
    body.fields.iter().map(size).collect()
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
fn decide(body: &mut Body, fields: Vec<usize>) -> usize {
    let Body::Struct(Struct {
        fields: planned, ..
    }) = body
    else {
        return COLLECTION;
    };
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
