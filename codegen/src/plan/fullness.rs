//! Objects with more members than a struct can have fields.

use super::{Body, Plan, PlannedField};

/// As many fields as a set of bits in the runtime has.
const MAX_FIELDS: usize = 128;

/// Leaves the members that come last, and that no document requires, without a field: they are kept
/// among those that the type does not know.
pub(super) fn limit(plan: &mut Plan) {
    for item in &mut plan.items {
        let Body::Struct(body) = &mut item.body else {
            continue;
        };
        let mut members: Vec<&mut PlannedField> =
            body.fields.iter_mut().filter(|f| !f.is_type_meta).collect();
        if members.len() > MAX_FIELDS {
            members.sort_by_key(|field| (field.name != "metadata", !field.required));
            for field in members.into_iter().skip(MAX_FIELDS) {
                field.is_kept_unknown = true;
            }
        }
    }
}
