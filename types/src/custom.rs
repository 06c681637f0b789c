//! Custom resources from Rust types: the type first, and its CustomResourceDefinition from it.
//!
//! [`custom_resource!`](crate::custom_resource), [`custom_object!`](crate::custom_object) and
//! [`custom_enum!`](crate::custom_enum) declare types that are everything that generated types are: the client, watchers, stores and
//! the embedded server support them, and they keep unknown fields. [`definition`] returns the CustomResourceDefinition. Where a
//! definition exists already, the generator makes the types from it instead.
//!
//! ```
//! use k8s_flowcontrol_types::schema::ResourceSchema;
//! use k8s_flowcontrol_types::{Resource, custom, custom_enum, custom_object, custom_resource};
//!
//! custom_resource! {
//!     /// A guard who stands at a post while a lease is held.
//!     pub struct Guard {
//!         group: "watch.example.com",
//!         version: "v1",
//!         kind: "Guard",
//!         plural: "guards",
//!         namespaced: true,
//!         spec: GuardSpec,
//!         status: GuardStatus,
//!     }
//! }
//!
//! custom_object! {
//!     /// The place of the guard.
//!     pub struct GuardSpec {
//!         /// The post.
//!         "post" => pub post: Post,
//!         /// How long the guard stays, in seconds.
//!         "seconds" => pub seconds: Option<i32>: minimum("1") maximum("86400") default("3600"),
//!         /// The names of those who may pass.
//!         "passes" => pub passes: Vec<String>: set,
//!     }
//! }
//!
//! custom_object! {
//!     /// The state of the guard.
//!     pub struct GuardStatus {
//!         /// Whether the guard is there.
//!         "onDuty" => pub on_duty: Option<bool>,
//!     }
//! }
//!
//! custom_enum! {
//!     /// A post.
//!     pub enum Post {
//!         /// The gate.
//!         Gate = "Gate",
//!         /// The tower.
//!         Tower = "Tower",
//!     }
//! }
//!
//! /// For `ApiServer::builder().serve(RESOURCES)`.
//! pub static RESOURCES: &[ResourceSchema] = &[k8s_flowcontrol_types::resource::resource_schema::<Guard>()];
//!
//! let mut guard = Guard::partial("ada");
//! guard.spec.post = Post::Gate;
//! assert_eq!(serde_json::to_value(&guard)?["spec"], serde_json::json!({"post": "Gate"}));
//!
//! let definition = custom::definition::<Guard>()?;
//! assert_eq!(definition["metadata"]["name"], "guards.watch.example.com");
//! let seconds = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["seconds"];
//! assert_eq!(seconds["maximum"], 86400);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::Resource;
use crate::schema::{FieldSchema, ListKind, PrinterColumn, Shape, TypeSchema};
use serde_json::{Map, Value, json};
use std::fmt;

/// Declares a kind with `spec`, and with `status` if it is given. See [`custom`](crate::custom).
///
/// `spec` and `status` are of types that [`custom_object!`](crate::custom_object) declares. A kind with `status` has the
/// subresource of that name.
#[macro_export]
macro_rules! custom_resource {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $type:ident {
            group: $group:literal,
            version: $version:literal,
            kind: $kind:literal,
            plural: $plural:literal,
            namespaced: $namespaced:tt,
            spec: $spec:ty
            $(, status: $status:ty)? $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $visible struct $type {
            /// The metadata.
            pub metadata: $crate::meta::ObjectMeta,
            /// The desired state.
            pub spec: $spec,
            $(
                /// The state that a controller reports.
                pub status: ::std::option::Option<$status>,
            )?
            /// Fields that this type does not know, kept and written back.
            pub unknown: $crate::meta::Unknown,
        }

        $crate::__custom_resource! {
            $type, $group, $version, $kind, $plural, $namespaced, $spec $(, $status)?
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __custom_resource {
    ($type:ident, $group:literal, $version:literal, $kind:literal, $plural:literal, $namespaced:tt, $spec:ty) => {
        $crate::rt::v1::fields! {
            $type as Resource {
                "metadata" => metadata,
                "spec" => spec,
            }
        }

        $crate::rt::v1::resource! {
            $type {
                group: $group,
                version: $version,
                kind: $kind,
                plural: $plural,
                namespaced: $namespaced,
                subresources: [],
                spec: $spec,
                status: (),
            }
        }
    };
    (
        $type:ident, $group:literal, $version:literal, $kind:literal, $plural:literal, $namespaced:tt, $spec:ty,
        $status:ty
    ) => {
        $crate::rt::v1::fields! {
            $type as Resource {
                "metadata" => metadata,
                "spec" => spec,
                "status" => status,
            }
        }

        $crate::rt::v1::resource! {
            $type {
                group: $group,
                version: $version,
                kind: $kind,
                plural: $plural,
                namespaced: $namespaced,
                subresources: ["status"],
                spec: $spec,
                status: $status,
            }
        }
    };
}

/// Declares an object inside a custom resource. See [`custom`](crate::custom).
///
/// Each field has its name on the wire, the name and type in Rust, and, after a colon, what the type does not tell: `minimum("1")`,
/// `maximum("9")`, `default("\"text\"")`, each a JSON value as text, `nullable`, `set` and `map(&["key"])` for lists, `atomic` for
/// maps. Comments are the descriptions of the definition. Fields that are neither `Option`, `Vec` nor `BTreeMap` are required.
#[macro_export]
macro_rules! custom_object {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $type:ident {
            $(
                $(#[doc = $doc:literal])*
                $name:literal => $field_visible:vis $field:ident: $value:ty
                $(: $($fact:ident $(($($argument:tt)*))?)+)?,
            )*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $visible struct $type {
            $(
                $(#[doc = $doc])*
                $field_visible $field: $value,
            )*
            /// Fields that this type does not know, kept and written back.
            pub unknown: $crate::meta::Unknown,
        }

        $crate::rt::v1::fields! {
            $type {
                $(
                    $name => $field: description(concat!($($doc, "\n"),*))
                        $($($fact $(($($argument)*))?)+)?,
                )*
            }
        }
    };
}

/// Declares a string with known values, which keeps every other value. See [`custom`](crate::custom).
///
/// The definition allows only the known values.
#[macro_export]
macro_rules! custom_enum {
    ($($declaration:tt)*) => {
        $crate::rt::v1::open_enum! { $($declaration)* }
    };
}

/// The CustomResourceDefinition (`apiextensions.k8s.io/v1`) of a kind with one version.
///
/// A kind with several versions has the elements of `spec.versions` of all of them, of which one has `storage: true`. Send it as
/// a [`DynamicObject`](crate::DynamicObject), or print it as JSON for `kubectl apply -f -`.
///
/// Types of the generator do not have descriptions, bounds and defaults at run time; their definition is the document from which
/// they were generated.
///
/// # Errors
/// The type contains itself, which a definition cannot express, or a bound or default is not JSON.
pub fn definition<K: Resource>() -> Result<Value, Inexpressible> {
    let resource = K::schema();
    let mut version = json!({
        "name": resource.version,
        "served": true,
        "storage": true,
        "schema": {"openAPIV3Schema": root(resource.schema)?},
    });
    let subresources: Map<String, Value> = resource
        .subresources
        .iter()
        .filter(|name| **name == "status")
        .map(|name| ((*name).to_owned(), json!({})))
        .collect();
    if !subresources.is_empty() {
        version["subresources"] = subresources.into();
    }
    if !resource.printer_columns.is_empty() {
        version["additionalPrinterColumns"] = resource.printer_columns.iter().map(column).collect();
    }
    Ok(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{}.{}", resource.plural, resource.group)},
        "spec": {
            "group": resource.group,
            "names": {
                "kind": resource.kind,
                "listKind": resource.list_kind,
                "plural": resource.plural,
                "singular": resource.kind.to_lowercase(),
            },
            "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
            "versions": [version],
        },
    }))
}

/// The reason why a type does not have a CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inexpressible(String);

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Inexpressible {}

/// The types around the type that is described.
type Around = Vec<&'static TypeSchema>;

/// The schema of a kind, whose metadata the server describes.
fn root(schema: &'static TypeSchema) -> Result<Value, Inexpressible> {
    let mut root = object(schema, &mut Vec::new())?;
    if let Some(fields) = root["properties"].as_object_mut() {
        fields.insert("metadata".to_owned(), json!({"type": "object"}));
    }
    if let Some(Value::Array(required)) = root.get_mut("required") {
        required.retain(|name| name != "metadata");
    }
    Ok(root)
}

fn object(schema: &'static TypeSchema, around: &mut Around) -> Result<Value, Inexpressible> {
    if around.iter().any(|outer| std::ptr::eq(*outer, schema)) {
        return Err(Inexpressible(format!(
            "{} contains itself; a CustomResourceDefinition cannot express that: use RawJson for the inner value",
            schema.name
        )));
    }
    around.push(schema);
    let mut fields = Map::new();
    let mut required: Vec<Value> = Vec::new();
    for field in schema.fields() {
        let value = described(schema, field, around)?;
        fields.insert(field.name.to_owned(), value);
        if field.required {
            required.push(field.name.into());
        }
    }
    around.pop();
    let mut object = json!({"type": "object", "properties": fields});
    if !required.is_empty() {
        object["required"] = required.into();
    }
    if schema.map_type_atomic {
        object["x-kubernetes-map-type"] = "atomic".into();
    }
    if schema.preserves_unknown_fields {
        object["x-kubernetes-preserve-unknown-fields"] = true.into();
    }
    Ok(object)
}

/// The schema of a field, with what is known beyond its type.
fn described(
    owner: &TypeSchema,
    field: &FieldSchema,
    around: &mut Around,
) -> Result<Value, Inexpressible> {
    let mut value = shape(&field.shape, around)?;
    let description: Vec<&str> = field.description.lines().map(str::trim).collect();
    let description = description.join("\n").trim().to_owned();
    if !description.is_empty() {
        value["description"] = description.into();
    }
    if !field.values.is_empty() {
        value["enum"] = field.values.iter().copied().collect();
    }
    if field.nullable {
        value["nullable"] = true.into();
    }
    for (name, text) in [
        ("minimum", field.minimum),
        ("maximum", field.maximum),
        ("default", field.default),
    ] {
        let Some(text) = text else { continue };
        value[name] = serde_json::from_str(text).map_err(|error| {
            Inexpressible(format!(
                "the {name} of the field `{}` of {} is not JSON: {error}",
                field.name, owner.name
            ))
        })?;
    }
    Ok(value)
}

fn shape(shape: &Shape, around: &mut Around) -> Result<Value, Inexpressible> {
    Ok(match shape {
        Shape::String => json!({"type": "string"}),
        Shape::Bytes => json!({"type": "string", "format": "byte"}),
        Shape::Int32 => json!({"type": "integer", "format": "int32"}),
        Shape::Int64 => json!({"type": "integer", "format": "int64"}),
        Shape::Number => json!({"type": "number"}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Time | Shape::MicroTime => json!({"type": "string", "format": "date-time"}),
        Shape::IntOrString | Shape::Quantity => json!({"x-kubernetes-int-or-string": true}),
        Shape::Any => json!({"x-kubernetes-preserve-unknown-fields": true}),
        Shape::Object(schema) => object(schema, around)?,
        Shape::List { element, kind } => {
            let mut list = json!({"type": "array", "items": self::shape(element, around)?});
            match kind {
                ListKind::Atomic => {}
                ListKind::Set => list["x-kubernetes-list-type"] = "set".into(),
                ListKind::Map(keys) => {
                    list["x-kubernetes-list-type"] = "map".into();
                    list["x-kubernetes-list-map-keys"] = keys.iter().copied().collect();
                }
            }
            list
        }
        Shape::Map { value, atomic } => {
            let values = self::shape(value, around)?;
            let mut map = json!({"type": "object", "additionalProperties": values});
            if *atomic {
                map["x-kubernetes-map-type"] = "atomic".into();
            }
            map
        }
    })
}

fn column(column: &PrinterColumn) -> Value {
    let mut value = json!({
        "name": column.name,
        "type": column.r#type,
        "jsonPath": column.json_path,
    });
    for (name, text) in [
        ("format", column.format),
        ("description", column.description),
    ] {
        if !text.is_empty() {
            value[name] = text.into();
        }
    }
    if column.priority != 0 {
        value["priority"] = column.priority.into();
    }
    value
}
