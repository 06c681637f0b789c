//! Structs from typify: the names of types and fields, the fields' types, and which are `Option`.
//!
//! typify reads a reduced copy of each module's schemas ([`copy`]); its Rust is read back
//! ([`output`]). The generator adds open enums, the field `unknown`, reading and writing, merge rules
//! and documentation.

mod collisions;
mod copy;
mod inline_names;
mod output;

use crate::error::Error;
use crate::names;
use crate::plan::{Body, Item, Origin, Plan, Shape};
use collisions::collision;
use copy::Copy;
use output::{Output, RustStruct};
use quote::quote;
use std::collections::HashSet;

/// Fills in the plan's Rust names and types. `runtime` is the path of the runtime crate.
pub(crate) fn complete(plan: &mut Plan, runtime: &syn::Path) -> Result<(), Error> {
    for module in 0..plan.modules.len() {
        inline_names::disambiguate(plan, module);
        let output = typify(plan, module, runtime)?;
        for item in plan.modules[module].items.clone() {
            if matches!(plan.items[item].origin, Origin::Schema(_)) {
                let ident = output.definition(&copy::definition(&plan.items[item]));
                name(plan, &output, item, ident)?;
            }
        }
        collisions::check(plan, module)?;
        let idents: HashSet<String> = plan.modules[module]
            .items
            .iter()
            .map(|&item| plan.items[item].ident.clone())
            .collect();
        for item in plan.modules[module].items.clone() {
            fill(&mut plan.items[item], &output, &idents)?;
        }
    }
    Ok(())
}

fn typify(plan: &Plan, module: usize, runtime: &syn::Path) -> Result<Output, Error> {
    let copy = Copy::of(plan, module, runtime)?;
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
        .add_ref_types(copy.definitions())
        .map_err(|error| failed(error.to_string()))?;
    Output::read(&mut space, &names).map_err(failed)
}

/// Takes over the names of an item and of the inline items inside it.
fn name(plan: &mut Plan, output: &Output, item: usize, ident: Option<&str>) -> Result<(), Error> {
    let Some(ident) = ident else {
        return Err(collision(plan, item));
    };
    plan.items[item].ident = ident.to_owned();
    let Body::Struct(body) = &plan.items[item].body else {
        return Ok(());
    };
    let Some(found) = output.structs.get(ident) else {
        return Err(collision(plan, item));
    };
    let mut inside: Vec<(usize, Option<String>)> = Vec::new();
    for (field, property) in body.fields.iter().zip(copy::properties(body)) {
        if let Some(inner) = field.shape.item()
            && matches!(plan.items[inner].origin, Origin::Inline { .. })
            && plan.items[inner].ident.is_empty()
        {
            let ident = found
                .field(&property)
                .and_then(|field| output::innermost(&field.value));
            inside.push((inner, ident));
        }
    }
    for (inner, ident) in inside {
        name(plan, output, inner, ident.as_deref())?;
    }
    Ok(())
}

/// Takes over the names and types of an item's fields.
fn fill(item: &mut Item, output: &Output, idents: &HashSet<String>) -> Result<(), Error> {
    let Body::Struct(body) = &mut item.body else {
        return Ok(());
    };
    let properties = copy::properties(body);
    let found = output.structs.get(&item.ident);
    let mut taken: HashSet<String> = HashSet::new();
    for (field, property) in body.fields.iter_mut().zip(properties) {
        let Some(rust) = found.and_then(|found: &RustStruct| found.field(&property)) else {
            return Err(Error::at(
                &field.at,
                format!("typify makes no field of `{}`", field.name),
            )
            .help("rename the field, or leave it out: objects keep it in `unknown`"));
        };
        field.ident = names::field(&rust.ident);
        // Two names such as `fooBar` and `foo_bar` become one: the later ones get a number.
        let mut number = 2;
        while !taken.insert(field.ident.clone()) {
            field.ident = format!("{}_{number}", rust.ident.trim_end_matches('_'));
            number += 1;
        }
        field.value_type = output::short(&rust.value, idents);
        // typify does not see circles through other modules, and boxes only one field of a circle.
        field.boxed |= rust.boxed;
        field.rust_type = field.value_type.clone();
        for (wraps, name) in [(field.boxed, "Box"), (rust.optional, "Option")] {
            if wraps {
                let (outer, inner) = (output::prelude(name, idents), &field.rust_type);
                field.rust_type = quote!(#outer<#inner>);
            }
        }
    }
    Ok(())
}

impl Shape {
    /// The item that the shape refers to, however many lists and maps lie around it.
    fn item(&self) -> Option<usize> {
        match self {
            Self::Item(item) => Some(*item),
            Self::List(inner, _) | Self::Map(inner, _) => inner.item(),
            Self::Scalar(_) | Self::Runtime(_) | Self::ManagedFields => None,
        }
    }
}
