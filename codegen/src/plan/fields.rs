//! From the model's types to items and shapes: references followed, schemas in place made items.

use super::{Body, Builder, Item, Origin, PlannedField, Shape, Struct};
use crate::error::{At, Error};
use crate::known;
use crate::model::{EnumType, Key, ObjectType, Scalar, Type};
use proc_macro2::TokenStream;

/// More references in a row than any document needs.
const MAX_ALIASES: usize = 64;

/// Where a type stands that may become an item of its own.
#[derive(Clone, Copy)]
struct Owner<'a> {
    module: usize,
    item: usize,
    field: &'a str,
}

impl Builder<'_> {
    /// The shape of the schema named `key`.
    pub(super) fn reference(&mut self, key: &Key, at: &At, aliases: usize) -> Result<Shape, Error> {
        if let Some(scalar) = known::scalar(key) {
            return Ok(Shape::Scalar(scalar));
        }
        if let (false, Some(name)) = (self.options.own_meta, known::runtime_meta(key)) {
            return Ok(Shape::Runtime(name));
        }
        if let Some(&item) = self.item_of.get(key) {
            return Ok(Shape::Item(item));
        }
        let model = self.model;
        let Some(schema) = model.schemas.get(key) else {
            return Err(Error::at(at, format!("no such schema: `{key}`")));
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
            // The schema is another name for a type.
            other if aliases < MAX_ALIASES => return self.alias(other, aliases + 1),
            _ => {
                return Err(Error::at(
                    at,
                    format!(
                        "the schema `{key}` leads back to itself, or through more than \
                         {MAX_ALIASES} others, without an object in between"
                    ),
                )
                .help("no type can hold it: let an object with `properties` stand in the circle"));
            }
        };
        let module = self.module(key, &schema.at)?;
        let item = self.plan.items.len();
        self.plan.items.push(Item {
            module,
            origin: Origin::Schema(key.clone()),
            title: title.clone(),
            description: description.clone(),
            at: schema.at.clone(),
            body,
            ident: String::new(),
        });
        self.plan.modules[module].items.push(item);
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
                    "an object or `enum` in place inside a named list or map is not supported",
                )
                .help("give it a name in the schemas and refer to it"))
            }
        }
    }

    /// Fills the items that have been reached and whatever they reach.
    pub(super) fn finish_items(&mut self) -> Result<(), Error> {
        while let Some((item, key)) = self.queue.pop() {
            let model = self.model;
            let Some(schema) = model.schemas.get(&key) else {
                continue;
            };
            let Type::Object(object) = &schema.value else {
                continue;
            };
            let served = self.served.get(&key).cloned();
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
            self.plan.items[item].body = Body::Struct(Struct {
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
        let shared = self.options.own_meta && key.package.starts_with(known::SHARED_PACKAGE);
        shared || self.top_level.contains(&key)
    }

    fn fields(&mut self, item: usize, object: &ObjectType) -> Result<Vec<PlannedField>, Error> {
        let module = self.plan.items[item].module;
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
                value_type: TokenStream::new(),
                optional: false,
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
                matches!(&**element, Type::Reference(key, _) if key.is(known::MANAGED_FIELDS_ENTRY))
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
                self.plan.items[item].body = Body::Struct(Struct {
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
        let item = self.plan.items.len();
        self.plan.items.push(Item {
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
        self.plan.modules[owner.module].items.push(item);
        item
    }

    /// The same title with the same values is one type.
    fn inline_enum(&mut self, values: &EnumType, owner: Owner<'_>) -> usize {
        if let Some(title) = &values.title {
            let slot = (owner.module, title.clone());
            if let Some(&item) = self.titled.get(&slot) {
                let other = &self.plan.items[item];
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
            // Of several with one title the first keeps it.
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
