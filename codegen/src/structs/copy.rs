//! The reduced copy of a module's schemas, for typify.
//!
//! It has objects, fields, their types, `required` and references. It leaves out `enum`, bounds,
//! patterns and defaults, from which typify would make closed enums, `NonZero` types and functions.
//! Types that exist elsewhere are references that typify replaces by their paths.

use crate::model::Scalar;
use crate::names;
use crate::plan::{Body, Item, Plan, Shape, Struct};
use quote::ToTokens;
use schemars::schema::{
    ArrayValidation, InstanceType, ObjectValidation, Schema, SchemaObject, StringValidation,
    SubschemaValidation,
};
use std::collections::{BTreeMap, HashSet};
use typify::TypeSpaceSettings;

pub(super) struct Copy<'a> {
    plan: &'a Plan,
    module: usize,
    /// The path of the runtime's types.
    meta: String,
    /// The definitions that become types of this copy.
    pub(super) own: BTreeMap<String, Schema>,
    /// The names of definitions that stand for other types, by their Rust paths.
    outside: BTreeMap<String, String>,
    /// The type names of all definitions, by which typify finds replacements.
    taken: HashSet<String>,
}

impl<'a> Copy<'a> {
    pub(super) fn of(plan: &'a Plan, module: usize, items: &[usize], runtime: &syn::Path) -> Self {
        let runtime = runtime.to_token_stream().to_string().replace(' ', "");
        let mut copy = Self {
            plan,
            module,
            meta: format!("{runtime}::meta"),
            own: BTreeMap::new(),
            outside: BTreeMap::new(),
            taken: HashSet::new(),
        };
        for &item in items {
            let name = plan.items[item].ident.clone();
            copy.taken.insert(names::type_name(&name));
            copy.own.insert(name, Schema::Bool(true));
        }
        for &item in items {
            let schema = copy.item(&plan.items[item]);
            copy.own.insert(plan.items[item].ident.clone(), schema);
        }
        copy
    }

    /// The Rust paths that typify writes for numbers, for any JSON and for types outside the module.
    pub(super) fn settings(&self) -> TypeSpaceSettings {
        let mut settings = TypeSpaceSettings::default();
        settings.with_map_type("::std::collections::BTreeMap");
        settings.with_conversion(
            typed(InstanceType::Number, None),
            format!("{}::Number", self.meta),
            [].into_iter(),
        );
        settings.with_conversion(
            SchemaObject::default(),
            format!("{}::RawJson", self.meta),
            [].into_iter(),
        );
        for (path, name) in &self.outside {
            settings.with_replacement(names::type_name(name), path, [].into_iter());
        }
        settings
    }

    pub(super) fn into_definitions(self) -> impl Iterator<Item = (String, Schema)> {
        let outside = self.outside.into_values();
        let outside = outside.map(|name| (name, Schema::Bool(true)));
        self.own.into_iter().chain(outside)
    }

    fn item(&mut self, item: &Item) -> Schema {
        match &item.body {
            Body::Struct(body) => self.object(body).into(),
            Body::Enum(values) => open(values).into(),
        }
    }

    fn object(&mut self, body: &Struct) -> SchemaObject {
        let mut object = ObjectValidation::default();
        for (field, name) in body.fields.iter().zip(properties(body)) {
            // `ManagedFields` is empty when absent, like a list.
            if field.required && !field.may_be_null() || matches!(field.shape, Shape::ManagedFields)
            {
                object.required.insert(name.clone());
            }
            object.properties.insert(name, self.shape(&field.shape));
        }
        SchemaObject {
            object: Some(Box::new(object)),
            ..typed(InstanceType::Object, None)
        }
    }

    fn shape(&mut self, shape: &Shape) -> Schema {
        match shape {
            Shape::Scalar(scalar) => self.scalar(*scalar),
            Shape::Runtime(name) => self.runtime(name),
            Shape::ManagedFields => self.runtime("ManagedFields"),
            Shape::List(element, _) => {
                let array = ArrayValidation {
                    items: Some(self.shape(element).into()),
                    ..ArrayValidation::default()
                };
                Schema::Object(SchemaObject {
                    array: Some(Box::new(array)),
                    ..typed(InstanceType::Array, None)
                })
            }
            Shape::Map(value, _) => {
                let object = ObjectValidation {
                    additional_properties: Some(Box::new(self.shape(value))),
                    ..ObjectValidation::default()
                };
                Schema::Object(SchemaObject {
                    object: Some(Box::new(object)),
                    ..typed(InstanceType::Object, None)
                })
            }
            Shape::Nullable(value) => {
                let variants = vec![self.shape(value), typed(InstanceType::Null, None).into()];
                let subschemas = SubschemaValidation {
                    one_of: Some(variants),
                    ..SubschemaValidation::default()
                };
                Schema::Object(SchemaObject {
                    subschemas: Some(Box::new(subschemas)),
                    ..SchemaObject::default()
                })
            }
            Shape::Item(index) => {
                let plan = self.plan;
                let item = &plan.items[*index];
                let module = &plan.modules[item.module];
                match item.module == self.module {
                    true if self.own.contains_key(&item.ident) => reference(&item.ident),
                    true => self.outside(item.ident.clone()),
                    false if module.is_meta => self.runtime(&item.ident),
                    false => self.outside(format!("super::{}::{}", module.name, item.ident)),
                }
            }
        }
    }

    fn scalar(&mut self, scalar: Scalar) -> Schema {
        match scalar {
            Scalar::String => typed(InstanceType::String, None).into(),
            Scalar::Bytes => self.runtime("ByteString"),
            Scalar::Int32 => typed(InstanceType::Integer, Some("int32")).into(),
            Scalar::Int64 => typed(InstanceType::Integer, Some("int64")).into(),
            Scalar::Number => typed(InstanceType::Number, None).into(),
            Scalar::Float => self.outside("f64".to_owned()),
            Scalar::Boolean => typed(InstanceType::Boolean, None).into(),
            Scalar::Time => self.runtime("Time"),
            Scalar::MicroTime => self.runtime("MicroTime"),
            Scalar::IntOrString => self.runtime("IntOrString"),
            Scalar::Quantity => self.runtime("Quantity"),
            Scalar::Any => SchemaObject::default().into(),
        }
    }

    fn runtime(&mut self, name: &str) -> Schema {
        self.outside(format!("{}::{name}", self.meta))
    }

    /// A reference to a type that is written elsewhere.
    fn outside(&mut self, path: String) -> Schema {
        if let Some(name) = self.outside.get(&path) {
            return reference(name);
        }
        let mut name = path.replace("::", ".");
        while !self.taken.insert(names::type_name(&name)) {
            name.push_str(".outside");
        }
        let schema = reference(&name);
        self.outside.insert(path, name);
        schema
    }
}

/// A different name for each of a struct's properties in the copy, in a spelling from which typify makes
/// readable Rust.
pub(super) fn properties(body: &Struct) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(body.fields.len());
    let mut taken: HashSet<String> = HashSet::new();
    for field in &body.fields {
        let plain = names::plain_plurals(&field.name);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let free = std::iter::once(plain.clone())
            .chain(numbered)
            .find(|name| !taken.contains(name));
        let name = free.unwrap_or(plain);
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// An open enum: without the values, from which typify would make a closed enum, but with their maximum
/// length, so that typify makes a named type.
fn open(values: &[String]) -> SchemaObject {
    let longest = values.iter().map(|value| value.chars().count()).max();
    let string = StringValidation {
        max_length: longest.map(|length| u32::try_from(length).unwrap_or(u32::MAX)),
        ..StringValidation::default()
    };
    SchemaObject {
        string: Some(Box::new(string)),
        ..typed(InstanceType::String, None)
    }
}

fn typed(instance_type: InstanceType, format: Option<&str>) -> SchemaObject {
    SchemaObject {
        instance_type: Some(instance_type.into()),
        format: format.map(str::to_owned),
        ..SchemaObject::default()
    }
}

fn reference(definition: &str) -> Schema {
    Schema::new_ref(format!("#/definitions/{definition}"))
}
