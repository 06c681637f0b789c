//! The table of documented operations.

use super::{Emitter, ident};
use crate::model::{Content, Operation, Parameter};
use crate::names;
use crate::plan::Module;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

/// What several operations have in common, by the name of its constant.
#[derive(Default)]
struct Constants<'a> {
    parameters: BTreeMap<&'a Parameter, String>,
    media_types: Vec<&'a [String]>,
}

impl Emitter<'_> {
    pub(super) fn operations(&self, module: &Module<'_>) -> TokenStream {
        let runtime = &self.runtime;
        let constants = Constants::of(module);
        let parameters = constants.parameters.iter().map(|(parameter, name)| {
            let constant = ident(name);
            let Parameter {
                name,
                location,
                value_type,
            } = parameter;
            quote! {
                const #constant: Parameter =
                    Parameter { name: #name, location: #location, value_type: #value_type };
            }
        });
        let media_types = constants
            .media_types
            .iter()
            .enumerate()
            .map(|(index, types)| {
                let constant = media_name(index);
                quote!(const #constant: &[&str] = &[#(#types),*];)
            });
        let entries = module
            .operations
            .iter()
            .map(|operation| constants.operation(operation));
        quote! {
            mod operations {
                use #runtime::schema::{Body, Operation, Parameter, Response};

                #(#parameters)*
                #(#media_types)*
                /// The documented operations, in the document's order.
                pub static OPERATIONS: &[Operation] = &[#(#entries),*];
            }
            pub use operations::OPERATIONS;
        }
    }
}

impl<'a> Constants<'a> {
    fn of(module: &Module<'a>) -> Self {
        let mut constants = Self::default();
        let mut all: Vec<&Parameter> = module
            .operations
            .iter()
            .flat_map(|o| &o.parameters)
            .collect();
        all.sort_unstable();
        all.dedup();
        let name_of = |parameter: &Parameter| names::constant(&names::module(&parameter.name));
        for (index, parameter) in all.iter().enumerate() {
            let name = name_of(parameter);
            let several = all.iter().filter(|other| name_of(other) == name).count() > 1
                || name == "OPERATIONS"
                || name.starts_with("MEDIA_TYPES");
            let constant = if several {
                format!("{name}_{index}")
            } else {
                name
            };
            constants.parameters.insert(parameter, constant);
        }
        for content in module
            .operations
            .iter()
            .flat_map(|operation| contents(operation))
        {
            let types = content.media_types.as_slice();
            if !types.is_empty() && !constants.media_types.contains(&types) {
                constants.media_types.push(types);
            }
        }
        constants
    }

    fn operation(&self, operation: &Operation) -> TokenStream {
        let Operation {
            id,
            method,
            path,
            action,
            deprecated,
            ..
        } = operation;
        let kind = operation.kind.as_ref().map_or("", |kind| &kind.kind);
        let parameters = operation
            .parameters
            .iter()
            .filter_map(|p| self.parameters.get(p));
        let parameters = parameters.map(|name| ident(name));
        let body = match &operation.body {
            Some(content) => {
                // A schema in place has no name.
                let schema = content.schema.as_ref().map_or("", |key| &key.name);
                let media_types = self.media_types(content);
                quote!(Some(Body { schema: #schema, media_types: #media_types }))
            }
            None => quote!(None),
        };
        let responses = operation.responses.iter().map(|(code, content)| {
            let schema = match &content.schema {
                Some(key) => {
                    let name = &key.name;
                    quote!(Some(#name))
                }
                None => quote!(None),
            };
            let code = proc_macro2::Literal::u16_unsuffixed(*code);
            let media_types = self.media_types(content);
            quote!(Response { code: #code, schema: #schema, media_types: #media_types })
        });
        quote! {
            Operation {
                id: #id,
                method: #method,
                path: #path,
                action: #action,
                kind: #kind,
                deprecated: #deprecated,
                parameters: &[#(#parameters),*],
                body: #body,
                responses: &[#(#responses),*],
            }
        }
    }

    fn media_types(&self, content: &Content) -> TokenStream {
        match self
            .media_types
            .iter()
            .position(|types| *types == content.media_types.as_slice())
        {
            Some(index) => {
                let name = media_name(index);
                quote!(#name)
            }
            None => quote!(&[]),
        }
    }
}

fn contents(operation: &Operation) -> impl Iterator<Item = &Content> {
    operation
        .body
        .iter()
        .chain(operation.responses.iter().map(|(_, content)| content))
}

fn media_name(index: usize) -> proc_macro2::Ident {
    ident(&format!("MEDIA_TYPES_{index}"))
}
