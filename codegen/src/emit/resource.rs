//! Kinds: the `Resource` implementation, the list's alias and the table of the kinds of a module.

use super::docs;
use super::emitter::{Emitter, ident, path_text};
use crate::model::{Column, Served};
use crate::plan::ListAlias;
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    /// Nothing lays out a macro's input, so this is text.
    pub(super) fn resource(&self, index: usize, served: &Served) -> String {
        let Served {
            kind,
            list_kind,
            plural,
            namespaced,
            subresources,
            columns,
        } = served;
        let list_kind = match list_kind.strip_prefix(&kind.kind) {
            Some("List") => String::new(),
            _ => format!("        list_kind: {list_kind:?},\n"),
        };
        let columns = match columns.as_slice() {
            [] => String::new(),
            columns => {
                let columns = columns.iter().map(column).collect::<String>();
                format!("        printer_columns: [\n{columns}        ],\n")
            }
        };
        format!(
            "{}::rt::v1::resource! {{
    {} {{
        group: {:?},
        version: {:?},
        kind: {:?},
{list_kind}        plural: {plural:?},
        namespaced: {namespaced},
        subresources: {subresources:?},
        spec: {},
        status: {},
{columns}    }}
}}
",
            self.runtime_text(),
            self.plan.items[index].ident,
            kind.group,
            kind.version,
            kind.kind,
            self.part(index, "spec"),
            self.part(index, "status"),
        )
    }

    /// The type of `spec` or `status`, `()` without one.
    fn part(&self, index: usize, name: &str) -> String {
        let mut fields = self.plan.items[index].fields().iter();
        let field = fields.find(|field| field.name == name);
        field.map_or("()".to_owned(), |field| path_text(&field.value_type))
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
        let served = self.plan.structs_of(module);
        let entries = served.filter(|(_, _, body)| body.served.is_some());
        let entries = entries.map(|(_, item, _)| {
            let name = ident(&item.ident);
            quote!(#runtime::resource::resource_schema::<#name>())
        });
        quote! {
            /// The kinds that are served.
            pub static RESOURCES: &[#runtime::schema::ResourceSchema] = &[#(#entries),*];
        }
    }
}

/// A line of a kind's columns.
fn column(column: &Column) -> String {
    let mut text = format!(
        "            column({:?}, {:?}, {:?})",
        column.name, column.value_type, column.json_path
    );
    if let Some(format) = &column.format {
        text.push_str(&format!(".format({format:?})"));
    }
    if let Some(description) = &column.description {
        text.push_str(&format!(".description({description:?})"));
    }
    if column.priority != 0 {
        text.push_str(&format!(".priority({})", column.priority));
    }
    text.push_str(",\n");
    text
}
