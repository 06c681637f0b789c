//! Structs.

use super::docs;
use super::emitter::{Emitter, ident};
use crate::plan::{Shape, Struct};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    /// A struct with its documentation.
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
