//! Kinds: the `Resource` implementation, the list's alias and the table of what a module serves.

use super::{Emitter, docs, ident};
use crate::error::Error;
use crate::names;
use crate::plan::{Item, ListAlias, PlannedField, Served};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Emitter<'_> {
    pub(super) fn resource(
        &self,
        module: usize,
        index: usize,
        served: &Served,
    ) -> Result<TokenStream, Error> {
        let runtime = &self.runtime;
        let name = ident(&self.plan.items[index].ident);
        let Served {
            kind,
            plural,
            namespaced,
            ..
        } = served;
        let (group, version, kind_name) = (&kind.group, &kind.version, &kind.kind);
        let api_version = kind.api_version();
        let spec = self.part(index, "spec");
        let status = self.part(index, "status");
        let position = self
            .served(module)
            .position(|(other, _, _)| other == index)
            .unwrap_or(0);
        let position = Literal::usize_unsuffixed(position);
        Ok(quote! {
            impl #runtime::Resource for #name {
                const GROUP: &'static str = #group;
                const VERSION: &'static str = #version;
                const API_VERSION: &'static str = #api_version;
                const KIND: &'static str = #kind_name;
                const PLURAL: &'static str = #plural;
                const NAMESPACED: bool = #namespaced;
                type Spec = #spec;
                type Status = #status;
                fn schema() -> &'static #runtime::schema::ResourceSchema {
                    &RESOURCES[#position]
                }
                fn metadata(&self) -> &#runtime::meta::ObjectMeta {
                    &self.metadata
                }
                fn metadata_mut(&mut self) -> &mut #runtime::meta::ObjectMeta {
                    &mut self.metadata
                }
            }
        })
    }

    /// The type of `spec` or `status`, `()` without one.
    fn part(&self, index: usize, name: &str) -> TokenStream {
        let crate::plan::Body::Struct(body) = &self.plan.items[index].body else {
            return quote!(());
        };
        let is_it = |field: &&PlannedField| field.name == name;
        match body.fields.iter().find(is_it) {
            Some(field) => field.value_type.clone(),
            None => quote!(()),
        }
    }

    /// The kinds of a module.
    fn served(&self, module: usize) -> impl Iterator<Item = (usize, &Item, &Served)> {
        self.plan
            .structs_of(module)
            .filter_map(|(index, item, body)| Some((index, item, body.served.as_ref()?)))
    }

    pub(super) fn list(&self, list: &ListAlias) -> TokenStream {
        let runtime = &self.runtime;
        let item = ident(&self.plan.items[list.item].ident);
        let name = ident(&list.name);
        let doc = docs::lines(&docs::of_list(list, &item.to_string()));
        quote!(#doc pub type #name = #runtime::List<#item>;)
    }

    /// The table of kinds.
    pub(super) fn resources(&self, module: usize) -> TokenStream {
        let runtime = &self.runtime;
        let entries = self.served(module).map(|(_, item, served)| {
            let Served {
                kind,
                plural,
                namespaced,
                subresources,
            } = served;
            let (group, version, kind) = (&kind.group, &kind.version, &kind.kind);
            let schema = ident(&names::constant(&item.ident));
            quote! {
                #runtime::schema::ResourceSchema {
                    group: #group,
                    version: #version,
                    kind: #kind,
                    plural: #plural,
                    namespaced: #namespaced,
                    subresources: &[#(#subresources),*],
                    schema: &schema::#schema,
                }
            }
        });
        quote! {
            /// The kinds that are served.
            pub static RESOURCES: &[#runtime::schema::ResourceSchema] = &[#(#entries),*];
        }
    }
}
