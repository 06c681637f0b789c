//! Structs, and open enums. The runtime's macros write all but the names, and nothing lays out a macro's input, so this is text.

use super::docs;
use super::emitter::{Emitter, ident};
use crate::names;
use crate::plan::{Origin, Shape, Struct};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    pub(super) fn structure(&self, index: usize, body: &Struct) -> TokenStream {
        let runtime = &self.runtime;
        let item = &self.plan.items[index];
        let name = ident(&item.ident);
        let doc = docs::lines(&docs::of_struct(item, body));
        let fields = body.fields.iter().filter(|field| field.has_field());
        let fields = fields.map(|field| {
            let doc = docs::lines(&docs::of_field(field, &item.ident));
            let (name, value) = (ident(&field.ident), &field.rust_type);
            quote!(#doc pub #name: #value)
        });
        let mut traits = vec!["Clone"];
        traits.extend((!body.has_secrets).then_some("Debug"));
        traits.extend(["Default", "PartialEq"]);
        traits.extend(
            (!body.has_floats)
                .then_some(["Eq", "Hash"])
                .into_iter()
                .flatten(),
        );
        let traits = traits.into_iter().map(ident);
        quote! {
            #doc
            #[derive(#(#traits),*)]
            pub struct #name {
                #(#fields,)*
                /// Fields that this type does not know, kept and written back.
                pub unknown: #runtime::meta::Unknown,
            }
        }
    }

    /// `Debug` for a struct with secret fields.
    pub(super) fn hidden(&self, index: usize, body: &Struct) -> String {
        let runtime = self.runtime_text();
        let mut text = format!(
            "{runtime}::rt::v1::hidden! {{\n    {} {{\n",
            self.plan.items[index].ident
        );
        for field in body.fields.iter().filter(|field| field.has_field()) {
            let how = match field.shape {
                _ if field.facts.secret => ": secret",
                Shape::Runtime("ObjectMeta") => ": metadata",
                _ => "",
            };
            text.push_str(&format!("        {}{how},\n", field.ident));
        }
        text.push_str("    }\n}\n");
        text
    }
}

impl Emitter<'_> {
    pub(super) fn enumeration(&self, index: usize, values: &[String]) -> String {
        let item = &self.plan.items[index];
        let variants = names::variants(&item.ident, values);
        let runtime = self.runtime_text();
        let mut text = format!("{runtime}::rt::v1::open_enum! {{\n");
        for line in docs::of_enum(item, self.owner(index)) {
            text.push_str(&comment(4, &line));
        }
        text.push_str(&format!("    pub enum {} {{\n", item.ident));
        for (value, variant) in values.iter().zip(&variants) {
            for line in docs::of_value(item, value) {
                text.push_str(&comment(8, &line));
            }
            text.push_str(&format!("        {variant} = {value:?},\n"));
        }
        text.push_str("    }\n}\n");
        text
    }

    /// The Rust name of the type whose field an inline enum is the value of, if there is only one such type.
    fn owner(&self, index: usize) -> Option<&str> {
        let item = &self.plan.items[index];
        match &item.origin {
            Origin::Inline(places) if places.len() == 1 => {}
            _ => return None,
        }
        let items = self.plan.modules[item.module].items.iter();
        let mut items = items.map(|&other| &self.plan.items[other]);
        let owner = items.find(|other| {
            let mut fields = other.fields().iter();
            fields.any(|field| field.shape.item() == Some(index))
        });
        owner.map(|owner| owner.ident.as_str())
    }
}

fn comment(indent: usize, line: &str) -> String {
    let space = if line.is_empty() { "" } else { " " };
    format!("{:indent$}///{space}{line}\n", "")
}
