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
    let mut fields = plan.items[index].fields().iter();
    fields.any(|field| is_float(plan, &field.shape))
}

fn is_float(plan: &Plan, shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(scalar) => *scalar == Scalar::Float,
        Shape::List(inner, _) | Shape::Map(inner, _) | Shape::Nullable(inner) => {
            is_float(plan, inner)
        }
        Shape::Item(item) => {
            let body = plan.items[*item].structure();
            body.is_some_and(|body| body.has_floats)
        }
        Shape::Runtime(_) | Shape::ManagedFields => false,
    }
}
