//! Structs from typify: the names of types and fields, the fields' types, and which are `Option`.
//!
//! typify reads a reduced copy of each module's schemas ([`copy`]), some at a time; its Rust is read back
//! ([`output`]). The generator adds open enums, the field `unknown`, reading and writing, merge rules
//! and documentation.

mod copy;
mod output;
mod renames;
mod type_names;

use crate::error::Error;
use crate::names;
use crate::plan::{Body, Item, Plan};
use copy::Copy;
use output::{Output, RustStruct};
use quote::quote;
pub(crate) use renames::unwieldy;
use std::collections::{BTreeMap, HashSet};

/// The items that typify reads at once. It takes twenty kilobytes and more for each.
const MAX_TYPES: usize = 500;

/// Fills in the plan's Rust names and types. `runtime` is the path of the runtime crate.
pub(crate) fn complete(
    plan: &mut Plan,
    runtime: &syn::Path,
    renames: &BTreeMap<String, String>,
) -> Result<(), Error> {
    for module in 0..plan.modules.len() {
        type_names::choose(plan, module);
    }
    renames::apply(plan, renames)?;
    for module in 0..plan.modules.len() {
        let items = plan.modules[module].items.clone();
        let mut constants: HashSet<String> = HashSet::new();
        let idents: HashSet<String> = items
            .iter()
            .map(|&item| plan.items[item].ident.clone())
            .collect();
        for part in items.chunks(MAX_TYPES) {
            let output = typify(plan, module, part, runtime)?;
            for &item in part {
                let item = &mut plan.items[item];
                check_name(item, &output, &mut constants)?;
                fill(item, &output, &idents)?;
            }
        }
    }
    Ok(())
}

/// Makes sure that the type has its name, which others use too.
fn check_name(item: &Item, output: &Output, constants: &mut HashSet<String>) -> Result<(), Error> {
    let is_same = output.definition(&item.ident) == Some(&*item.ident);
    match is_same && constants.insert(names::constant(&item.ident)) {
        true => Ok(()),
        false => Err(Error::at(
            &item.at,
            format!("typify does not generate the type `{}`", item.ident),
        )
        .help("rename the schema, or give the inline schema its own `title`")),
    }
}

/// The Rust of some of a module's items.
fn typify(
    plan: &Plan,
    module: usize,
    items: &[usize],
    runtime: &syn::Path,
) -> Result<Output, Error> {
    let copy = Copy::of(plan, module, items, runtime);
    let failed = |error: String| {
        Error::new(format!(
            "typify cannot make the structs of the module `{}`: {error}",
            plan.modules[module].name
        ))
        .help("this is a mistake in the generator: report it with the document")
    };
    let names: Vec<String> = copy.own.keys().cloned().collect();
    let mut space = typify::TypeSpace::new(&copy.settings());
    space
        .add_ref_types(copy.into_definitions())
        .map_err(|error| failed(error.to_string()))?;
    Output::read(space, names).map_err(failed)
}

/// Takes over the names and types of an item's fields.
fn fill(item: &mut Item, output: &Output, idents: &HashSet<String>) -> Result<(), Error> {
    let Body::Struct(body) = &mut item.body else {
        return Ok(());
    };
    let properties = copy::properties(body);
    let found = output.structs.get(&item.ident);
    let mut rust = Vec::with_capacity(properties.len());
    for (field, property) in body.fields.iter().zip(properties) {
        let Some(made) = found.and_then(|found: &RustStruct| found.field(&property)) else {
            return Err(Error::at(
                &field.at,
                format!("typify does not generate the field `{}`", field.name),
            )
            .help("rename the field, or leave it out: objects keep it in `unknown`"));
        };
        rust.push(made);
    }
    let names: Vec<&str> = body.fields.iter().map(|f| f.name.as_str()).collect();
    let words: Vec<&str> = rust.iter().map(|made| made.ident.as_str()).collect();
    let field_names = names::fields(&names, &words);
    for ((field, made), ident) in body.fields.iter_mut().zip(rust).zip(field_names) {
        field.ident = ident;
        field.value_type = output::short(&made.value, idents);
        // typify does not see cycles through other modules, and boxes only one field of a cycle.
        field.boxed |= made.boxed;
        field.rust_type = field.value_type.clone();
        for (wraps, name) in [(field.boxed, "Box"), (made.optional, "Option")] {
            if wraps {
                let (outer, inner) = (output::prelude(name, idents), &field.rust_type);
                field.rust_type = quote!(#outer<#inner>);
            }
        }
    }
    Ok(())
}
