//! The runtime schema: one static for each struct, which refer to each other.

use super::{Emitter, ident};
use crate::model::{ListKind, Scalar};
use crate::names;
use crate::plan::{Body, PlannedField, Shape};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

impl Emitter<'_> {
    /// The module `schema` inside a module.
    pub(super) fn schemas(&self, index: usize) -> Option<TokenStream> {
        let mut owners: BTreeMap<usize, Vec<proc_macro2::Ident>> = BTreeMap::new();
        let mut statics = Vec::new();
        for (item, planned, body) in self.plan.structs_of(index) {
            let name = ident(&names::constant(&planned.ident));
            if let Some(owner) = self.sharing.schemas.get(&item) {
                owners
                    .entry(self.plan.items[*owner].module)
                    .or_default()
                    .push(name);
                continue;
            }
            let title = match &planned.origin {
                crate::plan::Origin::Schema(key) => &key.name,
                crate::plan::Origin::Inline { .. } => &planned.ident,
            };
            let atomic = body.atomic;
            let doc = format!(" The members of [`{0}`](super::{0}).", planned.ident);
            let fields = body
                .fields
                .iter()
                .map(|field| self.field_schema(index, field));
            statics.push(quote! {
                #[doc = #doc]
                pub static #name: TypeSchema = TypeSchema {
                    name: #title,
                    fields: &[#(#fields),*],
                    map_type_atomic: #atomic,
                };
            });
        }
        if statics.is_empty() && owners.is_empty() {
            return None;
        }
        let uses = owners.into_iter().map(|(owner, names)| {
            let module = ident(&self.plan.modules[owner].name);
            quote!(pub use super::super::#module::schema::{#(#names),*};)
        });
        let parts = self.uses(&statics);
        Some(quote! {
            /// What the documents say of each type's members, at run time.
            pub mod schema {
                #parts
                #(#uses)*
                #(#statics)*
            }
        })
    }

    /// The imports, and the field that all others are variations of. No type has a name that makes a
    /// constant with an underscore in front.
    fn uses(&self, statics: &[TokenStream]) -> TokenStream {
        let runtime = &self.runtime;
        if statics.is_empty() {
            return TokenStream::new();
        }
        let all: String = statics.iter().map(|s| s.to_string()).collect();
        let optional = ["ListKind", "PatchStrategy"];
        let optional = optional
            .iter()
            .filter(|name| all.contains(&format!("{name} ::")))
            .map(|n| ident(n));
        quote! {
            use #runtime::schema::{FieldSchema, #(#optional,)* Shape, TypeSchema};

            const _FIELD: FieldSchema = FieldSchema {
                name: "",
                shape: Shape::Any,
                required: false,
                always_emitted: false,
                patch_strategy: None,
                patch_merge_key: None,
                introduced_in: None,
            };
        }
    }

    fn field_schema(&self, module: usize, field: &PlannedField) -> TokenStream {
        let name = &field.name;
        let shape = self.shape(module, &field.shape);
        let mut rest = Vec::new();
        if field.required {
            rest.push(quote!(required: true));
        }
        if field.facts.always_emitted {
            rest.push(quote!(always_emitted: true));
        }
        if let Some(strategy) = field.facts.patch_strategy {
            let strategy = ident(strategy);
            rest.push(quote!(patch_strategy: Some(PatchStrategy::#strategy)));
        }
        if let Some(key) = &field.facts.patch_merge_key {
            rest.push(quote!(patch_merge_key: Some(#key)));
        }
        if let Some(release) = &field.facts.introduced_in {
            rest.push(quote!(introduced_in: Some(#release)));
        }
        quote!(FieldSchema { name: #name, shape: #shape, #(#rest,)* .._FIELD })
    }

    fn shape(&self, module: usize, shape: &Shape) -> TokenStream {
        let runtime = &self.runtime;
        match shape {
            Shape::Scalar(scalar) => {
                let name = ident(match scalar {
                    Scalar::String => "String",
                    Scalar::Int32 => "Int32",
                    Scalar::Int64 => "Int64",
                    Scalar::Number => "Number",
                    Scalar::Boolean => "Boolean",
                    Scalar::Time => "Time",
                    Scalar::MicroTime => "MicroTime",
                    Scalar::IntOrString => "IntOrString",
                    Scalar::Quantity => "Quantity",
                    Scalar::Any => "Any",
                });
                quote!(Shape::#name)
            }
            Shape::Runtime(name) => {
                let name = ident(&names::constant(name));
                quote!(Shape::Object(&#runtime::meta::schema::#name))
            }
            Shape::Item(index) => {
                let item = &self.plan.items[*index];
                if matches!(item.body, Body::Enum(_)) {
                    return quote!(Shape::String);
                }
                let name = ident(&names::constant(&item.ident));
                let other = &self.plan.modules[item.module];
                if item.module == module {
                    quote!(Shape::Object(&#name))
                } else if other.is_meta {
                    quote!(Shape::Object(&#runtime::meta::schema::#name))
                } else {
                    let other = ident(&other.name);
                    quote!(Shape::Object(&super::super::#other::schema::#name))
                }
            }
            Shape::List(element, kind) => {
                let element = self.shape(module, element);
                let kind = match kind {
                    ListKind::Atomic => quote!(Atomic),
                    ListKind::Set => quote!(Set),
                    ListKind::Map(keys) => quote!(Map(&[#(#keys),*])),
                };
                quote!(Shape::List { element: &#element, kind: ListKind::#kind })
            }
            Shape::ManagedFields(element) => {
                let element = self.shape(module, element);
                quote!(Shape::List { element: &#element, kind: ListKind::Atomic })
            }
            Shape::Map(value, atomic) => {
                let value = self.shape(module, value);
                quote!(Shape::Map { value: &#value, atomic: #atomic })
            }
        }
    }
}
