//! Fields without a Rust field: too many for a struct, or with a name that the runtime does not find in JSON text.

use super::types::{Body, Item, Plan, PlannedField};
use crate::unexpressed::{Outcome, Unexpressed};

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

impl Plan {
    /// The fields without a Rust field, which objects keep in `unknown`.
    pub(crate) fn kept_unknown(&self) -> impl Iterator<Item = Unexpressed> {
        let fields = self.items.iter().flat_map(Item::fields);
        fields.filter(|field| field.is_kept_unknown).map(|field| {
            let reason = match field.name.contains(is_escaped) {
                true => "its name has a character that JSON escapes",
                false => "a struct has at most 128 fields",
            };
            Unexpressed::new(&field.at, Outcome::KeptUnknown).because(reason)
        })
    }
}

/// Whether JSON writes the character with a backslash.
fn is_escaped(character: char) -> bool {
    matches!(character, '"' | '\\' | ..' ')
}
