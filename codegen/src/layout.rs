//! Names from typify.
//!
//! typify is given a reduced copy of each module's schemas: objects, members and references, but no
//! `required`, `enum`, bounds, patterns or defaults, out of which it would make closed enums and types
//! that refuse what a server must first read. From what it writes only the names are taken.

use crate::error::Error;
use crate::names;
use crate::plan::{Body, Item, Origin, Plan, Shape};
use crate::titles;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Names every type and member of the plan.
pub(crate) fn name(plan: &mut Plan<'_>) -> Result<(), Error> {
    for module in 0..plan.modules.len() {
        titles::disambiguate(plan, module);
        let named = typify_names(plan, module)?;
        for &item in &plan.modules[module].items {
            let Some(names) = named.get(&item) else {
                return Err(collision(plan, item));
            };
            let item = &mut plan.items[item];
            item.ident.clone_from(&names.ident);
            let Body::Struct(body) = &mut item.body else {
                continue;
            };
            let mut taken: HashSet<String> = HashSet::new();
            for field in &mut body.fields {
                let wire = names::plain_plurals(&field.name);
                let Some(ident) = names.fields.get(&wire) else {
                    return Err(Error::at(
                        &field.at,
                        format!("no Rust name can be made for the member `{}`", field.name),
                    ));
                };
                field.ident = names::field(ident);
                // `fooBar` and `foo_bar`: the later ones are counted.
                let mut number = 2;
                while !taken.insert(field.ident.clone()) {
                    field.ident = format!("{}_{number}", ident.trim_end_matches('_'));
                    number += 1;
                }
            }
        }
        let mut constants: HashSet<String> = HashSet::new();
        for &item in &plan.modules[module].items {
            if !constants.insert(names::constant(&plan.items[item].ident)) {
                return Err(collision(plan, item));
            }
        }
        for list in &plan.modules[module].lists {
            let taken = |&&other: &&usize| plan.items[other].ident == list.name;
            if let Some(&other) = plan.modules[module].items.iter().find(taken) {
                return Err(collision(plan, other));
            }
        }
    }
    Ok(())
}

/// What typify calls a type and its members.
#[derive(Debug)]
struct Names {
    ident: String,
    fields: HashMap<String, String>,
}

fn typify_names(plan: &Plan<'_>, module: usize) -> Result<HashMap<usize, Names>, Error> {
    let at = |error: String| {
        let module = &plan.modules[module];
        Error::new(format!(
            "typify cannot name the types of the module `{}`: {error}",
            module.name
        ))
    };
    let mut definitions: BTreeMap<String, schemars::schema::Schema> = BTreeMap::new();
    for &index in &plan.modules[module].items {
        let Origin::Schema(key) = &plan.items[index].origin else {
            continue;
        };
        let schema = serde_json::from_value(reduced(plan, index, None))
            .map_err(|error| at(error.to_string()))?;
        definitions.insert(definition(key), schema);
    }
    let mut space = typify::TypeSpace::new(&typify::TypeSpaceSettings::default());
    space
        .add_ref_types(definitions)
        .map_err(|error| at(error.to_string()))?;
    let file: syn::File = syn::parse2(space.to_stream()).map_err(|error| at(error.to_string()))?;
    Ok(file.items.iter().filter_map(read_struct).collect())
}

/// The reduced schema of an item. Its description is the item's number, which comes back as the
/// struct's documentation.
fn reduced(plan: &Plan<'_>, index: usize, title: Option<&str>) -> Value {
    let item = &plan.items[index];
    let mut properties = serde_json::Map::new();
    match &item.body {
        Body::Struct(body) => {
            for field in &body.fields {
                let name = names::plain_plurals(&field.name);
                properties.insert(name, reduced_shape(plan, item, &field.shape));
            }
        }
        // A struct as far as typify knows: an `enum` would have its values named too.
        Body::Enum(_) => {
            properties.insert("value".to_owned(), json!({ "type": "string" }));
        }
    }
    let mut schema =
        json!({ "type": "object", "description": tag(index), "properties": properties });
    if let Some(title) = title {
        schema["title"] = title.into();
    }
    schema
}

fn reduced_shape(plan: &Plan<'_>, owner: &Item, shape: &Shape) -> Value {
    match shape {
        Shape::Scalar(_) | Shape::Runtime(_) | Shape::ManagedFields(_) => {
            json!({ "type": "string" })
        }
        Shape::List(element, _) => {
            json!({ "type": "array", "items": reduced_shape(plan, owner, element) })
        }
        Shape::Map(value, _) => {
            json!({ "type": "object", "additionalProperties": reduced_shape(plan, owner, value) })
        }
        Shape::Item(index) => {
            let item = &plan.items[*index];
            match &item.origin {
                Origin::Inline { .. } => reduced(plan, *index, item.title.as_deref()),
                Origin::Schema(key) if item.module == owner.module => {
                    json!({ "$ref": format!("#/definitions/{}", definition(key)) })
                }
                // A type of another module has been named there.
                Origin::Schema(_) => json!({ "type": "string" }),
            }
        }
    }
}

/// The name of a definition without what means something in a reference.
fn definition(key: &crate::model::Key) -> String {
    key.name.replace(['/', '~', '%', '#'], "-")
}

fn tag(index: usize) -> String {
    format!("item-{index}")
}

/// The number of the item that a struct of typify's stands for, and its names.
fn read_struct(item: &syn::Item) -> Option<(usize, Names)> {
    let syn::Item::Struct(item) = item else {
        return None;
    };
    let number = item.attrs.iter().find_map(|attribute| {
        let syn::Meta::NameValue(meta) = &attribute.meta else {
            return None;
        };
        let text = string_literal(&meta.value)?;
        meta.path.is_ident("doc").then_some(())?;
        text.trim().strip_prefix("item-")?.parse::<usize>().ok()
    })?;
    let mut fields = HashMap::new();
    for field in &item.fields {
        let ident = field.ident.as_ref()?.to_string();
        fields.insert(wire_name(field).unwrap_or_else(|| ident.clone()), ident);
    }
    Some((
        number,
        Names {
            ident: item.ident.to_string(),
            fields,
        },
    ))
}

/// The name in `#[serde(rename = "…")]`.
fn wire_name(field: &syn::Field) -> Option<String> {
    let mut name = None;
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("serde")) {
        // What cannot be read is no rename.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.input.peek(syn::Token![=]) {
                let value: syn::Expr = meta.value()?.parse()?;
                if meta.path.is_ident("rename") {
                    name = string_literal(&value);
                }
            }
            Ok(())
        });
    }
    name
}

fn string_literal(expression: &syn::Expr) -> Option<String> {
    match expression {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

fn collision(plan: &Plan<'_>, index: usize) -> Error {
    use heck::ToUpperCamelCase;
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
    .help("give a schema that stands in place a `title` of its own, or rename the schema")
}
