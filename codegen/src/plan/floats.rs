//! Structs that hold an `f64`, at any depth.

use super::types::{Body, Plan, Shape};
use crate::model::Scalar;

pub(super) fn mark(plan: &mut Plan) {
    loop {
        let mut changed = false;
        for index in 0..plan.items.len() {
            if holds_float(plan, index)
                && let Body::Struct(body) = &mut plan.items[index].body
            {
                changed |= !body.has_floats;
                body.has_floats = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn holds_float(plan: &Plan, index: usize) -> bool {
    let Body::Struct(body) = &plan.items[index].body else {
        return false;
    };
    body.fields.iter().any(|field| is_float(plan, &field.shape))
}

fn is_float(plan: &Plan, shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(scalar) => *scalar == Scalar::Float,
        Shape::List(inner, _) | Shape::Map(inner, _) | Shape::Nullable(inner) => {
            is_float(plan, inner)
        }
        Shape::Item(item) => match &plan.items[*item].body {
            Body::Struct(body) => body.has_floats,
            Body::Enum(_) => false,
        },
        Shape::Runtime(_) | Shape::ManagedFields => false,
    }
}
