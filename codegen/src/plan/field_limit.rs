//! Objects with more fields than a struct can have.

use super::types::{Body, Plan, PlannedField};

/// The runtime marks fields in a set of 128 bits.
const MAX_FIELDS: usize = 128;

/// Moves the last fields that no document requires to `unknown`, from the 129th on.
pub(super) fn apply(plan: &mut Plan) {
    for item in &mut plan.items {
        let Body::Struct(body) = &mut item.body else {
            continue;
        };
        let mut fields: Vec<&mut PlannedField> =
            body.fields.iter_mut().filter(|f| !f.is_type_meta).collect();
        if fields.len() > MAX_FIELDS {
            fields.sort_by_key(|field| (field.name != "metadata", !field.required));
            for field in fields.into_iter().skip(MAX_FIELDS) {
                field.is_kept_unknown = true;
            }
        }
    }
}
