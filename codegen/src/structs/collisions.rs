//! Types of a module that would have the same name.

use crate::error::Error;
use crate::names;
use crate::plan::{Origin, Plan};
use heck::ToUpperCamelCase;
use std::collections::HashSet;

/// Fails if two items or lists of a module have the same name, as types or as constants.
pub(super) fn check(plan: &Plan, module: usize) -> Result<(), Error> {
    let module = &plan.modules[module];
    let mut constants: HashSet<String> = HashSet::new();
    for &item in &module.items {
        let ident = &plan.items[item].ident;
        if ident.is_empty() || !constants.insert(names::constant(ident)) {
            return Err(collision(plan, item));
        }
    }
    for list in &module.lists {
        let taken = |&&other: &&usize| plan.items[other].ident == list.name;
        if let Some(&other) = module.items.iter().find(taken) {
            return Err(collision(plan, other));
        }
    }
    Ok(())
}

/// The error for an item whose name another item has.
pub(super) fn collision(plan: &Plan, index: usize) -> Error {
    let item = &plan.items[index];
    let wanted = match (&item.origin, &item.title) {
        (Origin::Schema(key), _) => key.name.to_upper_camel_case(),
        (_, Some(title)) => title.to_upper_camel_case(),
        (Origin::Inline { parent, field }, None) => {
            format!("{}_{field}", plan.items[*parent].ident).to_upper_camel_case()
        }
    };
    let other = plan.modules[item.module]
        .items
        .iter()
        .find(|&&other| other != index && plan.items[other].ident.starts_with(&wanted));
    let place = other.map_or(String::new(), |&other| {
        format!(", like {}", plan.items[other].at)
    });
    Error::at(
        &item.at,
        format!("the type would be named `{wanted}`{place}"),
    )
    .help("rename the schema, or give an inline schema a `title` of its own")
}
