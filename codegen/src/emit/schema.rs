//! Tables of fields: the names on the wire, the Rust fields, and the facts that the Rust types do not tell. Nothing lays
//! out a macro's input, so this is text.

use super::emitter::{Emitter, path_text};
use crate::model::ListKind;
use crate::names;
use crate::plan::{Item, Origin, PlannedField, Shape, Struct};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::fmt::Write;

impl Emitter<'_> {
    pub(super) fn table(&self, item: &Item, body: &Struct) -> String {
        let mut text = format!(
            "{}::rt::v1::fields! {{\n    {}",
            self.runtime_text(),
            item.ident
        );
        text.push_str(&title(item));
        if body.served.is_some() {
            text.push_str(" as Resource");
        } else if let Some((api_version, kind)) = &body.type_meta {
            let _ = write!(text, " as {api_version:?} {kind:?}");
        }
        text.push_str(&self.rows(item.module, body));
        text.push_str("}\n");
        text
    }

    /// The schemas of types that another version owns, where this version's document says something else.
    pub(super) fn own_schemas(&self, module: usize) -> Vec<String> {
        self.plan
            .structs_of(module)
            .filter(|(index, _, _)| self.own_schema(*index) == Some(*index))
            .map(|(_, item, body)| {
                let runtime = self.runtime_text();
                format!(
                    "/// [`{0}`] as this version documents it.\n\
                     pub(super) static {1}: {runtime}::schema::TypeSchema = {runtime}::rt::v1::schema! {{\n    \
                     {0}{2}{3}}};\n",
                    item.ident,
                    names::constant(&item.ident),
                    title(item),
                    self.rows(module, body),
                )
            })
            .collect()
    }

    /// The item whose static is the schema of `item`, where that is not the schema of its Rust type.
    fn own_schema(&self, item: usize) -> Option<usize> {
        let class = |item: usize| *self.sharing.schemas.get(&item).unwrap_or(&item);
        let owner = self.sharing.types.get(&item)?;
        let is_enum = self.plan.items[item].structure().is_none();
        if is_enum || class(item) == class(*owner) {
            return None;
        }
        // The first of the class has the static, unless that is the schema of its own type, which does not have a static.
        let first = class(item);
        let has_static = self.sharing.types.contains_key(&first);
        Some(if has_static { first } else { item })
    }

    fn rows(&self, module: usize, body: &Struct) -> String {
        let mut text = String::new();
        for (word, is_told) in [(" atomic", body.atomic), (" preserving", body.preserving)] {
            text.push_str(if is_told { word } else { "" });
        }
        text.push_str(" {\n");
        for field in body.fields.iter().filter(|field| field.has_field()) {
            let facts = self.facts(module, field).join(" ");
            let colon = if facts.is_empty() { "" } else { ": " };
            let _ = writeln!(
                text,
                "        {:?} => {}{colon}{facts},",
                field.name, field.ident
            );
        }
        text.push_str("    }\n");
        let mut unknown = body.fields.iter().filter(|f| f.is_kept_unknown).peekable();
        if unknown.peek().is_some() {
            text.push_str("    unknown {\n");
            for field in unknown {
                let shape = path_text(&field.value_type);
                let mut facts = self.facts(module, field);
                if field.is_plain() {
                    facts.insert(0, "required".to_owned());
                }
                let colon = if facts.is_empty() { "" } else { ": " };
                let _ = writeln!(
                    text,
                    "        {:?}: {shape}{colon}{},",
                    field.name,
                    facts.join(" ")
                );
            }
            text.push_str("    }\n");
        }
        text
    }

    fn facts(&self, module: usize, field: &PlannedField) -> Vec<String> {
        let mut facts = Vec::new();
        if field.required && !field.is_plain() {
            facts.push("required".to_owned());
        }
        if field.nullable {
            facts.push("nullable".to_owned());
        }
        if field.facts.always_emitted {
            facts.push("always".to_owned());
        }
        match &field.shape {
            shape if self.overrides_owner(field) => {
                let shape = self.shape(module, shape, &field.value_type);
                let atomic = field.facts.atomic == Some(true);
                facts.push(format!(
                    "object(const {{ &{shape}.owned_as_a_whole({atomic}) }})"
                ));
            }
            Shape::Item(item) => {
                if let Some(schema) = self.schema_path(module, *item) {
                    facts.push(format!("object(&{schema})"));
                }
            }
            Shape::List(element, _) | Shape::Map(element, _) if self.is_told(element) => {
                let shape = self.shape(module, &field.shape, &field.value_type);
                facts.push(format!("shape({shape})"));
            }
            Shape::List(_, ListKind::Set) => facts.push("set".to_owned()),
            Shape::List(_, ListKind::Map(keys)) => facts.push(format!("map(&{keys:?})")),
            Shape::Map(_, true) => facts.push("atomic".to_owned()),
            _ => {}
        }
        match (field.facts.patch_strategy, &field.facts.patch_merge_key) {
            (Some("Merge"), Some(key)) => facts.push(format!("merge_by({key:?})")),
            (strategy, key) => {
                facts.extend(strategy.map(names::module));
                facts.extend(key.as_ref().map(|key| format!("merge_key({key:?})")));
            }
        }
        if let Some(release) = &field.facts.introduced_in {
            facts.push(format!("since({release:?})"));
        }
        if let Some(go_type) = &field.facts.go_type {
            facts.push(format!("go({go_type:?})"));
        }
        facts
    }

    /// Whether a field of an object states another owner than the object's type.
    fn overrides_owner(&self, field: &PlannedField) -> bool {
        match (&field.shape, field.facts.atomic) {
            (_, None) => false,
            (Shape::Item(item), Some(atomic)) => {
                let body = self.plan.items[*item].structure();
                body.is_some_and(|body| body.atomic != atomic)
            }
            (shape, _) => matches!(shape, Shape::Runtime(_)),
        }
    }

    /// Whether the shape inside a list or map is more than its Rust type tells.
    fn is_told(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Item(item) => self.own_schema(*item).is_some(),
            Shape::List(element, kind) => *kind != ListKind::Atomic || self.is_told(element),
            Shape::Map(value, atomic) => *atomic || self.is_told(value),
            Shape::Nullable(_) => true,
            _ => false,
        }
    }

    /// A shape as an expression.
    fn shape(&self, module: usize, shape: &Shape, value: &TokenStream) -> String {
        let runtime = self.runtime_text();
        match shape {
            Shape::List(element, kind) => {
                let kind = match kind {
                    ListKind::Atomic => "Atomic".to_owned(),
                    ListKind::Set => "Set".to_owned(),
                    ListKind::Map(keys) => format!("Map(&{keys:?})"),
                };
                let element = self.shape(module, element, &element_type(value));
                format!(
                    "{runtime}::schema::Shape::List {{ element: const {{ &{element} }}, kind: {runtime}::schema::ListKind::{kind} }}"
                )
            }
            Shape::Map(element, atomic) => {
                let value = self.shape(module, element, &element_type(value));
                format!(
                    "{runtime}::schema::Shape::Map {{ value: const {{ &{value} }}, atomic: {atomic} }}"
                )
            }
            // A server keeps such a value.
            Shape::Nullable(_) => format!("{runtime}::schema::Shape::Any"),
            Shape::Item(item) if self.own_schema(*item).is_some() => {
                let schema = self.schema_path(module, *item).unwrap_or_default();
                format!("{runtime}::schema::Shape::Object(&{schema})")
            }
            _ => {
                let value = path_text(value);
                format!("<{value} as {runtime}::rt::v1::Field>::SHAPE")
            }
        }
    }

    /// The path of the static with an item's schema, where it has one.
    fn schema_path(&self, module: usize, item: usize) -> Option<String> {
        let owner = &self.plan.items[self.own_schema(item)?];
        let name = names::constant(&owner.ident);
        Some(match owner.module == module {
            true => name,
            false => format!("super::{}::{name}", self.plan.modules[owner.module].name),
        })
    }
}

/// The type of the elements of a list, or of the values of a map: the last argument of a generic type.
fn element_type(value: &TokenStream) -> TokenStream {
    let Ok(syn::Type::Path(path)) = syn::parse2(value.clone()) else {
        return value.clone();
    };
    match path.path.segments.last().map(|segment| &segment.arguments) {
        Some(syn::PathArguments::AngleBracketed(arguments)) => {
            let last = arguments.args.last();
            last.map_or_else(TokenStream::new, ToTokens::to_token_stream)
        }
        _ => value.clone(),
    }
}

/// The name in the document, in parentheses, where the Rust name is another one.
fn title(item: &Item) -> String {
    match &item.origin {
        Origin::Schema(key) if key.name != item.ident => format!("({:?})", key.name),
        _ => String::new(),
    }
}
