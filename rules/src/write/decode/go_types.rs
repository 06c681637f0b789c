//! The types of Go's structs: their names, and the fields that are pointers.

use k8s_flowcontrol_types::schema::{FieldSchema, Shape};

/// Types of `k8s.io/apimachinery`, whose Go package is always called `v1`.
const META: &[&str] = &[
    "FieldsV1",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
];

/// Whether the field is a pointer in Go: a later `null` erases it.
pub(super) fn is_pointer(field: &FieldSchema) -> bool {
    field.go_type.is_some_and(|name| name.starts_with('*'))
}

/// The Go type of a field, or of the elements or values in it, as error messages name it. A type without a package lies in
/// the package of the API version.
pub(super) fn type_name(field: Option<&FieldSchema>, shape: &Shape, version: &str) -> String {
    match shape {
        Shape::String => match field.and_then(|field| field.go_type) {
            None => "string".into(),
            Some(name) if name.contains('.') => name.into(),
            Some(name) => format!("{version}.{name}"),
        },
        Shape::Bytes => "[]uint8".into(),
        Shape::Int32 => "int32".into(),
        Shape::Int64 => "int64".into(),
        Shape::Number => "float64".into(),
        Shape::Boolean => "bool".into(),
        Shape::Time => "v1.Time".into(),
        Shape::MicroTime => "v1.MicroTime".into(),
        Shape::IntOrString => "intstr.IntOrString".into(),
        Shape::Quantity => "resource.Quantity".into(),
        Shape::Any => "v1.FieldsV1".into(),
        Shape::Object(schema) if META.contains(&schema.name) => format!("v1.{}", schema.name),
        Shape::Object(schema) => format!("{version}.{}", schema.name),
        Shape::List { element, .. } => format!("[]{}", type_name(None, element, version)),
        Shape::Map { value, .. } => format!("map[string]{}", type_name(None, value, version)),
    }
}
