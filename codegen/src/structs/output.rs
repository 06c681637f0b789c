//! typify's output: structs, fields and types.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use schemars::schema::Schema;
use std::collections::{HashMap, HashSet};

/// typify's types.
pub(super) struct Output {
    /// The Rust names of the definitions.
    definitions: HashMap<String, String>,
    pub(super) structs: HashMap<String, RustStruct>,
}

pub(super) struct RustStruct {
    /// The fields by the names of their properties.
    fields: HashMap<String, RustField>,
}

impl RustStruct {
    pub(super) fn field(&self, property: &str) -> Option<&RustField> {
        self.fields.get(property)
    }
}

pub(super) struct RustField {
    pub(super) ident: String,
    /// The type without `Option` and `Box`.
    pub(super) value: syn::Type,
    pub(super) optional: bool,
    pub(super) boxed: bool,
}

impl Output {
    pub(super) fn read(
        space: &mut typify::TypeSpace,
        definitions: &[String],
    ) -> Result<Self, String> {
        let mut named = HashMap::new();
        for definition in definitions {
            let reference = Schema::new_ref(format!("#/definitions/{definition}"));
            let name = space
                .add_type(&reference)
                .and_then(|id| Ok(space.get_type(&id)?.name()))
                .map_err(|error| error.to_string())?;
            named.insert(definition.clone(), name);
        }
        let file: syn::File = syn::parse2(space.to_stream()).map_err(|error| error.to_string())?;
        let structs = file.items.iter().filter_map(|item| match item {
            syn::Item::Struct(item) => Some((item.ident.to_string(), read_struct(item))),
            _ => None,
        });
        Ok(Self {
            definitions: named,
            structs: structs.collect(),
        })
    }

    pub(super) fn definition(&self, name: &str) -> Option<&str> {
        self.definitions.get(name).map(String::as_str)
    }
}

fn read_struct(item: &syn::ItemStruct) -> RustStruct {
    let fields = item.fields.iter().filter_map(|field| {
        let ident = field.ident.as_ref()?.to_string();
        let mut rust = RustField {
            ident: ident.clone(),
            value: field.ty.clone(),
            optional: false,
            boxed: false,
        };
        loop {
            if let Some(inner) = argument(&rust.value, "Option") {
                rust.optional = true;
                rust.value = inner.clone();
            } else if let Some(inner) = argument(&rust.value, "Box") {
                rust.boxed = true;
                rust.value = inner.clone();
            } else {
                break;
            }
        }
        Some((renamed(field).unwrap_or(ident), rust))
    });
    RustStruct {
        fields: fields.collect(),
    }
}

/// The name in `#[serde(rename = "…")]`.
fn renamed(field: &syn::Field) -> Option<String> {
    let mut name = None;
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("serde")) {
        // An attribute that cannot be read renames nothing.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.input.peek(syn::Token![=]) {
                let value: syn::Lit = meta.value()?.parse()?;
                if let (true, syn::Lit::Str(text)) = (meta.path.is_ident("rename"), value) {
                    name = Some(text.value());
                }
            }
            Ok(())
        });
    }
    name
}

/// The last argument of a type of `std`, such as `T` of `::std::vec::Vec<T>`.
fn argument<'t>(value: &'t syn::Type, name: &str) -> Option<&'t syn::Type> {
    let path = std_path(value)?;
    let last = path.segments.last().filter(|last| last.ident == name)?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.last()? {
        syn::GenericArgument::Type(argument) => Some(argument),
        _ => None,
    }
}

fn std_path(value: &syn::Type) -> Option<&syn::Path> {
    match value {
        syn::Type::Path(syn::TypePath { path, .. })
            if path.leading_colon.is_some() && path.segments.first()?.ident == "std" =>
        {
            Some(path)
        }
        _ => None,
    }
}

/// The name of the type inside all lists and maps, when it is a type of the module.
pub(super) fn innermost(value: &syn::Type) -> Option<String> {
    match argument(value, "Vec").or_else(|| argument(value, "BTreeMap")) {
        Some(inner) => innermost(inner),
        None => match value {
            syn::Type::Path(syn::TypePath { path, .. }) => Some(path.get_ident()?.to_string()),
            _ => None,
        },
    }
}

/// The type with names of the prelude for their paths, unless the module has types of these names.
pub(super) fn short(value: &syn::Type, idents: &HashSet<String>) -> TokenStream {
    const PRELUDE: [&str; 2] = ["Vec", "String"];
    let Some(path) = std_path(value) else {
        return value.to_token_stream();
    };
    let names: Vec<&syn::Ident> = path.segments.iter().map(|segment| &segment.ident).collect();
    let path = match names.last() {
        Some(last)
            if PRELUDE.iter().any(|name| *last == name) && !idents.contains(&last.to_string()) =>
        {
            quote!(#last)
        }
        _ => quote!(#(::#names)*),
    };
    if let Some(element) = argument(value, "Vec") {
        let element = short(element, idents);
        quote!(#path<#element>)
    } else if let Some(inner) = argument(value, "BTreeMap") {
        let inner = short(inner, idents);
        let key = match idents.contains("String") {
            true => quote!(::std::string::String),
            false => quote!(String),
        };
        quote!(#path<#key, #inner>)
    } else {
        path
    }
}
