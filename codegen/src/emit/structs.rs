//! Structs.

use super::docs;
use super::emitter::{Emitter, ident};
use crate::plan::Struct;
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
        quote! {
            #doc
            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct #name {
                #(#fields,)*
                /// Fields that this type does not know, kept and written back.
                pub unknown: #runtime::meta::Unknown,
            }
        }
    }
}
