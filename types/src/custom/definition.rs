//! The CustomResourceDefinition of a type.

use crate::Resource;
use crate::schema::{FieldSchema, ListKind, PrinterColumn, Shape, TypeSchema};
use serde_json::{Map, Value, json};
use std::fmt;

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
    if resource.subresources.contains(&"status") {
        version["subresources"] = json!({"status": {}});
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
        value[name] = text.parse().map_err(|error| {
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
