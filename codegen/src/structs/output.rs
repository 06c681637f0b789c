//! typify's output: structs, fields and types.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use schemars::schema::Schema;
use std::collections::{HashMap, HashSet};
use syn::parse::{ParseStream, Parser};

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
        mut space: typify::TypeSpace,
        definitions: Vec<String>,
    ) -> Result<Self, String> {
        let mut named = HashMap::new();
        for definition in definitions {
            let reference = Schema::new_ref(format!("#/definitions/{definition}"));
            let name = space
                .add_type(&reference)
                .and_then(|id| Ok(space.get_type(&id)?.name()))
                .map_err(|error| error.to_string())?;
            named.insert(definition, name);
        }
        let stream = space.to_stream();
        // A type is a hundred times as large there as here.
        drop(space);
        let structs = read_structs.parse2(stream);
        Ok(Self {
            definitions: named,
            structs: structs.map_err(|error| error.to_string())?,
        })
    }

    pub(super) fn definition(&self, name: &str) -> Option<&str> {
        self.definitions.get(name).map(String::as_str)
    }
}

/// Reads one item after the other, since most of them are implementations that are not kept.
fn read_structs(input: ParseStream<'_>) -> syn::Result<HashMap<String, RustStruct>> {
    let mut structs = HashMap::new();
    while !input.is_empty() {
        if let syn::Item::Struct(item) = input.parse()? {
            structs.insert(item.ident.to_string(), read_struct(&item));
        }
    }
    Ok(structs)
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

/// The type with short names for types of the prelude.
pub(super) fn short(value: &syn::Type, idents: &HashSet<String>) -> TokenStream {
    if let Some(element) = argument(value, "Vec") {
        let (vec, element) = (prelude("Vec", idents), short(element, idents));
        quote!(#vec<#element>)
    } else if let Some(value) = argument(value, "Option") {
        let (option, value) = (prelude("Option", idents), short(value, idents));
        quote!(#option<#value>)
    } else if let Some(value) = argument(value, "BTreeMap") {
        let (string, value) = (prelude("String", idents), short(value, idents));
        quote!(::std::collections::BTreeMap<#string, #value>)
    } else if std_path(value).is_some_and(|path| {
        path.segments
            .last()
            .is_some_and(|last| last.ident == "String")
    }) {
        prelude("String", idents)
    } else {
        value.to_token_stream()
    }
}

/// A type of the prelude: its path if the module has a type of that name.
pub(super) fn prelude(name: &str, idents: &HashSet<String>) -> TokenStream {
    let path = match name {
        _ if !idents.contains(name) => name,
        "Box" => "::std::boxed::Box",
        "Option" => "::std::option::Option",
        "String" => "::std::string::String",
        _ => "::std::vec::Vec",
    };
    // All of these are paths.
    path.parse().unwrap_or_default()
}
