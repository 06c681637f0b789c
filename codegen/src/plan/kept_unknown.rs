//! Fields without a Rust field: too many for a struct, or with a name that the runtime does not find in JSON text.

use super::types::{Body, Plan, PlannedField};

/// The runtime marks fields in a set of 128 bits.
const MAX_FIELDS: usize = 128;

/// Moves to `unknown` the fields whose names JSON escapes, and from the 129th on the last fields that no document requires.
pub(super) fn apply(plan: &mut Plan) {
    for item in &mut plan.items {
        let Body::Struct(body) = &mut item.body else {
            continue;
        };
        let mut fields: Vec<&mut PlannedField> = Vec::new();
        for field in body.fields.iter_mut().filter(|f| !f.is_type_meta) {
            match field.name.contains(is_escaped) {
                true => field.is_kept_unknown = true,
                false => fields.push(field),
            }
        }
        if fields.len() > MAX_FIELDS {
            fields.sort_by_key(|field| (field.name != "metadata", !field.required));
            for field in fields.into_iter().skip(MAX_FIELDS) {
                field.is_kept_unknown = true;
            }
        }
    }
}

/// Whether JSON writes the character with a backslash.
fn is_escaped(character: char) -> bool {
    matches!(character, '"' | '\\' | ..' ')
}
