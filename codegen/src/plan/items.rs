//! From the model's types to items and shapes: references are followed, and inline schemas become items.

use super::inline::{self, Inline};
use super::modules::Modules;
use super::types::{Body, Item, Options, Origin, Place, PlannedField, Shape, Step, Struct};
use crate::error::{At, Error};
use crate::model::{EnumType, Key, Model, ObjectType, Scalar, Served, Type};
use crate::runtime;
use proc_macro2::TokenStream;
use std::collections::BTreeMap;

/// The maximum of references in a row.
const MAX_ALIASES: usize = 64;

/// The place of the schema that is being read.
struct Here {
    module: usize,
    place: Place,
}

/// The items reached so far, and their modules.
pub(super) struct Items<'a> {
    model: &'a Model,
    options: &'a Options,
    served: &'a BTreeMap<Key, Served>,
    pub(super) modules: Modules,
    pub(super) list: Vec<Item>,
    item_of: BTreeMap<Key, usize>,
    inline: Inline,
    /// Items of named schemas whose bodies are still empty.
    queue: Vec<(usize, Key)>,
}

impl<'a> Items<'a> {
    pub(super) fn new(
        model: &'a Model,
        options: &'a Options,
        served: &'a BTreeMap<Key, Served>,
        modules: Modules,
    ) -> Self {
        Self {
            model,
            options,
            served,
            modules,
            list: Vec::new(),
            item_of: BTreeMap::new(),
            inline: Inline::default(),
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
            if !runtime::is_shared(key) {
                let module = self.modules.of(key, at)?;
                self.modules.list[module].runtime.insert(name);
            }
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
                .help("no type can hold it: put an object with `properties` into the cycle"));
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
            Type::Nullable(value) => Ok(Shape::Nullable(Box::new(self.alias(value, aliases)?))),
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
            let type_meta = match (&served, schema.kinds.as_slice()) {
                (Some(served), _) => Some(&served.kind),
                // Even if no document serves it, so that it has the same shape regardless of the other documents.
                (None, [one]) if has_type_meta(object) => Some(one),
                _ => None,
            }
            .map(|kind| (kind.api_version(), kind.kind.clone()));
            let mut here = Here {
                module: self.list[item].module,
                place: Place {
                    root: key.name.clone(),
                    steps: Vec::new(),
                },
            };
            let mut fields = self.fields(object, &mut here)?;
            for field in &mut fields {
                let name = field.name.as_str();
                field.is_type_meta = type_meta.is_some() && matches!(name, "apiVersion" | "kind");
                let is_object_meta = matches!(field.shape, Shape::Runtime("ObjectMeta"));
                let is_of_kind = served.is_some() || type_meta.is_some() && is_object_meta;
                field.required |= is_of_kind && name == "metadata";
            }
            self.list[item].body = Body::Struct(Struct {
                fields,
                atomic: object.atomic,
                preserving: object.preserving,
                has_secrets: object.has_secrets,
                type_meta,
                served,
                ..Struct::default()
            });
        }
        Ok(())
    }

    fn fields(&mut self, object: &ObjectType, here: &mut Here) -> Result<Vec<PlannedField>, Error> {
        let mut fields = Vec::with_capacity(object.fields.len());
        for field in &object.fields {
            here.place.steps.push(Step {
                field: field.name.clone(),
                is_element: matches!(field.value, Type::List(..) | Type::Map(..)),
            });
            let shape = match self.shape(&field.value, here)? {
                Shape::Map(value, atomic) => {
                    Shape::Map(value, field.facts.atomic.unwrap_or(atomic))
                }
                Shape::List(..) if self.is_managed_fields(&field.value) => Shape::ManagedFields,
                shape => shape,
            };
            here.place.steps.pop();
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
                limits: field.limits.clone(),
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

    fn shape(&mut self, value: &Type, here: &mut Here) -> Result<Shape, Error> {
        Ok(match value {
            Type::Scalar(scalar) => Shape::Scalar(*scalar),
            Type::Reference(key, at) => self.reference(key, at, 0)?,
            Type::List(element, kind) => {
                Shape::List(Box::new(self.shape(element, here)?), kind.clone())
            }
            Type::Map(value, atomic) => Shape::Map(Box::new(self.shape(value, here)?), *atomic),
            Type::Nullable(value) => Shape::Nullable(Box::new(self.shape(value, here)?)),
            Type::Enum(values) => self.inline(
                here,
                &values.title,
                &values.description,
                &values.at,
                Body::Enum(values.values.clone()),
            ),
            Type::Object(object) => {
                let body = Struct {
                    fields: self.fields(object, here)?,
                    atomic: object.atomic,
                    preserving: object.preserving,
                    has_secrets: object.has_secrets,
                    ..Struct::default()
                };
                match inline::runtime_type(&self.list, &body) {
                    Some(name) if !self.options.own_meta => Shape::Runtime(name),
                    _ => self.inline(
                        here,
                        &object.title,
                        &object.description,
                        &object.at,
                        Body::Struct(body),
                    ),
                }
            }
        })
    }

    /// The item of an inline schema: that of an equal one in the module, or a new one.
    fn inline(
        &mut self,
        here: &Here,
        title: &Option<String>,
        description: &str,
        at: &At,
        body: Body,
    ) -> Shape {
        let new = self.list.len();
        let item = self.inline.item(here.module, title.as_deref(), &body, new);
        if item == new {
            self.list.push(Item {
                module: here.module,
                origin: Origin::Inline(Vec::new()),
                title: title.clone(),
                description: description.to_owned(),
                at: at.clone(),
                body,
                ident: String::new(),
            });
            self.modules.list[here.module].items.push(item);
        }
        if let Origin::Inline(places) = &mut self.list[item].origin {
            places.push(here.place.clone());
        }
        Shape::Item(item)
    }
}

fn has_type_meta(object: &ObjectType) -> bool {
    ["apiVersion", "kind"].iter().all(|name| {
        let is_it = |f: &&crate::model::Field| f.name == *name;
        let field = object.fields.iter().find(is_it);
        field.is_some_and(|f| matches!(f.value, Type::Scalar(Scalar::String)))
    })
}
