//! From the model's types to items and shapes: references are followed, and inline schemas become items.

use super::modules::Modules;
use super::types::{Body, Item, Options, Origin, PlannedField, Shape, Struct};
use crate::error::{At, Error};
use crate::model::{EnumType, Key, Model, ObjectType, Scalar, Served, Type};
use crate::runtime;
use proc_macro2::TokenStream;
use std::collections::BTreeMap;

/// The maximum of references in a row.
const MAX_ALIASES: usize = 64;

/// The field whose inline schema may become an item.
#[derive(Clone, Copy)]
struct Owner<'a> {
    module: usize,
    item: usize,
    field: &'a str,
}

/// The items reached so far, and their modules.
pub(super) struct Items<'a> {
    model: &'a Model,
    options: Options,
    served: &'a BTreeMap<Key, Served>,
    /// Schemas that are the whole body of a request or response.
    top_level: &'a [&'a Key],
    pub(super) modules: Modules,
    pub(super) list: Vec<Item>,
    item_of: BTreeMap<Key, usize>,
    /// Enums with a title, by module.
    titled: BTreeMap<(usize, String), usize>,
    /// Items of named schemas whose bodies are still empty.
    queue: Vec<(usize, Key)>,
}

impl<'a> Items<'a> {
    pub(super) fn new(
        model: &'a Model,
        options: Options,
        served: &'a BTreeMap<Key, Served>,
        top_level: &'a [&'a Key],
        modules: Modules,
    ) -> Self {
        Self {
            model,
            options,
            served,
            top_level,
            modules,
            list: Vec::new(),
            item_of: BTreeMap::new(),
            titled: BTreeMap::new(),
            queue: Vec::new(),
        }
    }

    /// The item of a named schema, if it has been reached.
    pub(super) fn get(&self, key: &Key) -> Option<usize> {
        self.item_of.get(key).copied()
    }

    /// The shape of the schema named `key`.
    pub(super) fn reference(&mut self, key: &Key, at: &At, aliases: usize) -> Result<Shape, Error> {
        if let Some(scalar) = runtime::scalar(key) {
            return Ok(Shape::Scalar(scalar));
        }
        if let (false, Some(name)) = (self.options.own_meta, runtime::runtime_meta(key)) {
            return Ok(Shape::Runtime(name));
        }
        if let Some(&item) = self.item_of.get(key) {
            return Ok(Shape::Item(item));
        }
        let model = self.model;
        let Some(schema) = model.schemas.get(key) else {
            return Err(Error::at(at, format!("the schema `{key}` does not exist"))
                .help("add it to the document, or correct the reference"));
        };
        let (title, description, body) = match &schema.value {
            Type::Object(object) => (
                &object.title,
                &object.description,
                Body::Struct(Struct::default()),
            ),
            Type::Enum(values) => (
                &values.title,
                &values.description,
                Body::Enum(values.values.clone()),
            ),
            // The schema is an alias.
            other if aliases < MAX_ALIASES => return self.alias(other, aliases + 1),
            _ => {
                return Err(Error::at(
                    at,
                    format!(
                        "the schema `{key}` refers to itself, or through more than {MAX_ALIASES} \
                         other schemas, without an object in between"
                    ),
                )
                .help("no type can hold it: put an object with `properties` into the circle"));
            }
        };
        let module = self.modules.of(key, &schema.at)?;
        let item = self.list.len();
        self.list.push(Item {
            module,
            origin: Origin::Schema(key.clone()),
            title: title.clone(),
            description: description.clone(),
            at: schema.at.clone(),
            body,
            ident: String::new(),
        });
        self.modules.list[module].items.push(item);
        self.item_of.insert(key.clone(), item);
        self.queue.push((item, key.clone()));
        Ok(Shape::Item(item))
    }

    /// The shape of a named schema that is neither object nor enum.
    fn alias(&mut self, value: &Type, aliases: usize) -> Result<Shape, Error> {
        match value {
            Type::Reference(key, at) => self.reference(key, at, aliases),
            Type::Scalar(scalar) => Ok(Shape::Scalar(*scalar)),
            Type::List(element, kind) => Ok(Shape::List(
                Box::new(self.alias(element, aliases)?),
                kind.clone(),
            )),
            Type::Map(value, atomic) => {
                Ok(Shape::Map(Box::new(self.alias(value, aliases)?), *atomic))
            }
            Type::Object(ObjectType { at, .. }) | Type::Enum(EnumType { at, .. }) => {
                Err(Error::at(
                    at,
                    "an inline object or `enum` inside a named list or map is not supported",
                )
                .help("give it a name in the schemas and refer to it"))
            }
        }
    }

    /// Fills the reached items, and the items that they reach.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        while let Some((item, key)) = self.queue.pop() {
            let model = self.model;
            let Some(schema) = model.schemas.get(&key) else {
                continue;
            };
            let Type::Object(object) = &schema.value else {
                continue;
            };
            let served = self.served.get(&key).cloned().map(Box::new);
            let kind = match (&served, schema.kinds.as_slice()) {
                (Some(served), _) => Some(&served.kind),
                (None, [one]) if self.is_top_level(&key) && has_type_meta(object) => Some(one),
                _ => None,
            };
            let type_meta = kind.map(|kind| (kind.api_version(), kind.kind.clone()));
            let mut fields = self.fields(item, object)?;
            for field in &mut fields {
                field.is_type_meta =
                    type_meta.is_some() && matches!(field.name.as_str(), "apiVersion" | "kind");
                field.required |= served.is_some() && field.name == "metadata";
            }
            self.list[item].body = Body::Struct(Struct {
                fields,
                atomic: object.atomic,
                type_meta,
                served,
            });
        }
        Ok(())
    }

    /// Whether objects of the schema are sent or received on their own.
    fn is_top_level(&self, key: &Key) -> bool {
        let shared = self.options.own_meta && runtime::is_shared(key);
        shared || self.top_level.contains(&key)
    }

    fn fields(&mut self, item: usize, object: &ObjectType) -> Result<Vec<PlannedField>, Error> {
        let module = self.list[item].module;
        let mut fields = Vec::with_capacity(object.fields.len());
        for field in &object.fields {
            let owner = Owner {
                module,
                item,
                field: &field.name,
            };
            let shape = match self.shape(&field.value, owner)? {
                Shape::List(..) if self.is_managed_fields(&field.value) => Shape::ManagedFields,
                shape => shape,
            };
            fields.push(PlannedField {
                name: field.name.clone(),
                ident: String::new(),
                shape,
                required: field.required,
                nullable: field.nullable,
                rust_type: TokenStream::new(),
                value_type: TokenStream::new(),
                boxed: false,
                is_type_meta: false,
                is_kept_unknown: false,
                description: field.description.clone(),
                facts: field.facts.clone(),
                at: field.at.clone(),
            });
        }
        Ok(fields)
    }

    fn is_managed_fields(&self, value: &Type) -> bool {
        match value {
            Type::List(element, _) => {
                matches!(&**element, Type::Reference(key, _) if key.is(runtime::MANAGED_FIELDS_ENTRY))
            }
            _ => false,
        }
    }

    fn shape(&mut self, value: &Type, owner: Owner<'_>) -> Result<Shape, Error> {
        Ok(match value {
            Type::Scalar(scalar) => Shape::Scalar(*scalar),
            Type::Reference(key, at) => self.reference(key, at, 0)?,
            Type::List(element, kind) => {
                Shape::List(Box::new(self.shape(element, owner)?), kind.clone())
            }
            Type::Map(value, atomic) => Shape::Map(Box::new(self.shape(value, owner)?), *atomic),
            Type::Enum(values) => Shape::Item(self.inline_enum(values, owner)),
            Type::Object(object) => {
                let item = self.inline(
                    owner,
                    object.title.clone(),
                    object.description.clone(),
                    object.at.clone(),
                    Body::Struct(Struct::default()),
                );
                let fields = self.fields(item, object)?;
                self.list[item].body = Body::Struct(Struct {
                    fields,
                    atomic: object.atomic,
                    ..Struct::default()
                });
                Shape::Item(item)
            }
        })
    }

    fn inline(
        &mut self,
        owner: Owner<'_>,
        title: Option<String>,
        description: String,
        at: At,
        body: Body,
    ) -> usize {
        let item = self.list.len();
        self.list.push(Item {
            module: owner.module,
            origin: Origin::Inline {
                parent: owner.item,
                field: owner.field.to_owned(),
            },
            title,
            description,
            at,
            body,
            ident: String::new(),
        });
        self.modules.list[owner.module].items.push(item);
        item
    }

    /// Inline enums with the same title and values are one type.
    fn inline_enum(&mut self, values: &EnumType, owner: Owner<'_>) -> usize {
        if let Some(title) = &values.title {
            let slot = (owner.module, title.clone());
            if let Some(&item) = self.titled.get(&slot) {
                let other = &self.list[item];
                if matches!(&other.body, Body::Enum(known) if *known == values.values) {
                    return item;
                }
            }
        }
        let item = self.inline(
            owner,
            values.title.clone(),
            values.description.clone(),
            values.at.clone(),
            Body::Enum(values.values.clone()),
        );
        if let Some(title) = &values.title {
            // Of several enums with one title the first keeps it.
            let slot = (owner.module, title.clone());
            self.titled.entry(slot).or_insert(item);
        }
        item
    }
}

fn has_type_meta(object: &ObjectType) -> bool {
    ["apiVersion", "kind"].iter().all(|name| {
        let is_it = |f: &&crate::model::Field| f.name == *name;
        let field = object.fields.iter().find(is_it);
        field.is_some_and(|f| matches!(f.value, Type::Scalar(Scalar::String)))
    })
}
