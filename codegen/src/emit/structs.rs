//! Structs and their reading and writing.

use super::{Emitter, docs, ident};
use crate::plan::{PlannedField, Shape, Struct};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Emitter<'_> {
    /// A struct, its `Members` and its serde implementations.
    pub(super) fn structure(&self, index: usize, body: &Struct) -> TokenStream {
        let runtime = &self.runtime;
        let item = &self.plan.items[index];
        let name = ident(&item.ident);
        let doc = docs::lines(&docs::of_struct(item, body));
        let members: Vec<&PlannedField> = body.fields.iter().filter(|f| f.has_field()).collect();
        let fields = members.iter().map(|field| {
            let doc = docs::lines(&docs::of_field(field, &item.ident));
            let (name, value) = (ident(&field.ident), self.field_type(item.module, field));
            quote!(#doc pub #name: #value)
        });
        let implementation = self.members(item.module, &item.ident, body, &members);
        quote! {
            #doc
            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct #name {
                #(#fields,)*
                /// Members that this type does not know, kept and written back.
                pub unknown: #runtime::meta::Unknown,
            }
            #implementation
            #runtime::rt::serde_impls!(#name);
        }
    }

    fn field_type(&self, module: usize, field: &PlannedField) -> TokenStream {
        let value = field.value_type.clone();
        if !field.optional {
            return value;
        }
        let option = self.std(module, "Option");
        if field.boxed {
            let boxed = self.std(module, "Box");
            quote!(#option<#boxed<#value>>)
        } else {
            quote!(#option<#value>)
        }
    }

    fn members(
        &self,
        module: usize,
        name: &str,
        body: &Struct,
        fields: &[&PlannedField],
    ) -> TokenStream {
        let runtime = &self.runtime;
        let (option, result) = (self.std(module, "Option"), self.std(module, "Result"));
        let ident = ident(name);
        let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
        let indices: Vec<Literal> = (0..fields.len()).map(Literal::usize_unsuffixed).collect();
        let required = required_bits(fields);
        let type_meta = body.type_meta.as_ref().map(|(api_version, kind)| {
            quote! {
                const TYPE_META: #option<#runtime::rt::TypeMeta> = Some(#runtime::rt::TypeMeta {
                    api_version: #api_version,
                    kind: #kind,
                    list: false,
                });
            }
        });
        let read = read(fields);
        let write = write(runtime, fields);
        let index = if fields.is_empty() {
            quote!(let _ = name; None)
        } else {
            quote!(match name { #(#names => Some(#indices),)* _ => None })
        };
        quote! {
            impl #runtime::rt::Members for #ident {
                const NAME: &'static str = #name;
                #type_meta
                const NAMES: &'static [&'static str] = &[#(#names),*];
                const REQUIRED: u128 = #required;
                fn index(name: &str) -> #option<usize> {
                    #index
                }
                fn read<S: #runtime::rt::Source>(
                    &mut self,
                    index: usize,
                    source: &mut S,
                ) -> #result<(), S::Error> {
                    #read
                }
                fn write<S: #runtime::rt::Sink>(&self, sink: &mut S) -> #result<(), S::Error> {
                    #write
                }
                fn unknown(&self) -> &#runtime::meta::Unknown {
                    &self.unknown
                }
                fn unknown_mut(&mut self) -> &mut #runtime::meta::Unknown {
                    &mut self.unknown
                }
            }
        }
    }
}

fn required_bits(fields: &[&PlannedField]) -> Literal {
    let mut bits = 0u128;
    for (index, field) in fields.iter().enumerate() {
        if field.is_plain() {
            bits |= 1 << index;
        }
    }
    Literal::u128_unsuffixed(bits)
}

fn read(fields: &[&PlannedField]) -> TokenStream {
    let calls = fields.iter().map(|field| {
        let name = ident(&field.ident);
        let function = match &field.shape {
            Shape::List(..) => quote!(list),
            Shape::Map(..) => quote!(map),
            Shape::ManagedFields(_) => quote!(nullable),
            _ if field.is_plain() => quote!(nullable),
            _ => quote!(option),
        };
        quote!(source.#function(&mut self.#name))
    });
    let mut calls: Vec<TokenStream> = calls.collect();
    let Some(last) = calls.pop() else {
        return quote!(let _ = (index, source); Ok(()));
    };
    if calls.is_empty() {
        return quote!(let _ = index; #last);
    }
    let indices = (0..calls.len()).map(Literal::usize_unsuffixed);
    quote!(match index { #(#indices => #calls,)* _ => #last, })
}

fn write(runtime: &TokenStream, fields: &[&PlannedField]) -> TokenStream {
    let mut calls: Vec<TokenStream> = fields
        .iter()
        .enumerate()
        .map(|(index, field)| {
            let (name, wire) = (ident(&field.ident), &field.name);
            let index = Literal::usize_unsuffixed(index);
            match &field.shape {
                Shape::List(..) => quote!(#runtime::rt::write_list(sink, #wire, &self.#name)),
                Shape::Map(..) => quote!(#runtime::rt::write_map(sink, #wire, &self.#name)),
                Shape::ManagedFields(_) => {
                    quote!(#runtime::rt::write_managed_fields(sink, #wire, &self.#name))
                }
                _ if field.is_plain() => {
                    quote!(#runtime::rt::write_required(sink, self, #index, &self.#name))
                }
                _ => quote!(#runtime::rt::write_option(sink, #wire, &self.#name)),
            }
        })
        .collect();
    match calls.pop() {
        Some(last) => quote!(#(#calls?;)* #last),
        None => quote!(let _ = sink; Ok(())),
    }
}
