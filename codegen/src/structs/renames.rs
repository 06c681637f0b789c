//! Names of types that the user chooses, and the names that want one.

use crate::error::Error;
use crate::names;
use crate::plan::{Item, Origin, Plan};
use std::collections::BTreeMap;

/// The longest name, in characters, that no note mentions.
const LONG: usize = 60;

/// Renames types, in all modules that have a type of the name.
pub(super) fn apply(plan: &mut Plan, renames: &BTreeMap<String, String>) -> Result<(), Error> {
    for (from, to) in renames {
        if names::type_name(to) != *to {
            return Err(Error::new(format!("`{to}` is not the name of a Rust type"))
                .help(format!("write it as `{}`", names::type_name(to))));
        }
        let renamed: Vec<usize> = (0..plan.items.len())
            // typify spells names its way.
            .filter(|&item| names::type_name(&plan.items[item].ident) == *from)
            .collect();
        if renamed.is_empty() {
            return Err(Error::new(format!(
                "no type has the name `{from}`, so that it cannot become `{to}`"
            ))
            .help("take the name from the generated code"));
        }
        for item in renamed {
            let module = plan.items[item].module;
            let taken = |other: &&Item| {
                other.module == module && names::constant(&other.ident) == names::constant(to)
            };
            if let Some(other) = plan.items.iter().find(taken) {
                return Err(Error::new(format!(
                    "`{from}` cannot become `{to}`, which is the type of {}",
                    other.at
                ))
                .help("choose another name"));
            }
            to.clone_into(&mut plan.items[item].ident);
        }
    }
    Ok(())
}

/// A note for each name that is long, or that has a number because another type has the name.
pub(crate) fn unwieldy(plan: &Plan) -> Vec<String> {
    let note = |item: &Item| {
        let ident = &item.ident;
        let length = ident.chars().count();
        let reason = if length > LONG {
            format!("has {length} characters")
        } else if is_numbered(plan, item) {
            "has a number because another type has its name".to_owned()
        } else {
            return None;
        };
        Some(format!(
            "{}: the type `{ident}` {reason}; choose one with `--rename {ident}=NAME` or `rename()`",
            item.at
        ))
    };
    plan.items.iter().filter_map(note).collect()
}

/// Whether the name without its number is that of another type of the module.
fn is_numbered(plan: &Plan, item: &Item) -> bool {
    let name = item.ident.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_own = match &item.origin {
        Origin::Schema(key) => names::type_name(&key.name) == item.ident,
        Origin::Inline(_) => false,
    };
    name != item.ident
        && !is_own
        && plan
            .items
            .iter()
            .any(|other| other.module == item.module && other.ident == name)
}
