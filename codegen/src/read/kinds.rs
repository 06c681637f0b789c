//! The kinds of schemas and operations.

use super::custom;
use crate::error::{At, Error};
use crate::json::Node;
use crate::model::{Field, FieldFacts, GroupVersionKind, Model, ObjectType, Scalar, Schema, Type};

/// The `x-kubernetes-group-version-kind` of a schema or operation: an object or an array of objects.
pub(super) fn of(node: &Node<'_>) -> Result<Vec<GroupVersionKind>, Error> {
    let Some(node) = node.get("x-kubernetes-group-version-kind") else {
        return Ok(Vec::new());
    };
    let entries = if node.is_object() {
        vec![node]
    } else {
        node.elements()?
    };
    entries
        .iter()
        .map(|entry| {
            let text = |name| Ok(entry.string_of(name)?.unwrap_or_default().to_owned());
            Ok(GroupVersionKind {
                group: text("group")?,
                version: text("version")?,
                kind: text("kind")?,
            })
        })
        .collect()
}

/// Makes `apiVersion` and `kind` plain strings in its own kind, whose schema may give their values as enums: the type
/// knows them.
pub(super) fn plain_type_meta(schema: &mut Schema) {
    let (false, Type::Object(object)) = (schema.kinds.is_empty(), &mut schema.value) else {
        return;
    };
    for field in &mut object.fields {
        let is_type_meta = matches!(field.name.as_str(), "apiVersion" | "kind");
        if is_type_meta && matches!(field.value, Type::Enum(_)) {
            field.value = Type::Scalar(Scalar::String);
        }
    }
}

/// Gives the fields of every kind to the kinds that a document serves without a schema, as `/openapi/v2`
/// does for some CustomResourceDefinitions. Objects keep all other fields in `unknown`.
pub(super) fn complete(model: &mut Model) {
    let operations = model.documents.iter().flat_map(|read| &read.operations);
    let served: Vec<&GroupVersionKind> = operations.filter_map(|o| o.kind.as_ref()).collect();
    for schema in model.schemas.values_mut() {
        let is_bare = match &schema.value {
            // It is atomic.
            Type::Map(value, true) => matches!(**value, Type::Scalar(Scalar::Any)),
            value => matches!(value, Type::Scalar(Scalar::Any)),
        };
        if let (true, [kind]) = (is_bare, schema.kinds.as_slice())
            && served.contains(&kind)
        {
            let mut object = ObjectType::empty(&schema.at);
            custom::complete(&mut object);
            schema.value = Type::Object(object);
        }
    }
}

/// A field that a document does not describe.
pub(super) fn kind_field(name: &str, value: Type, at: &At) -> Field {
    Field {
        name: name.to_owned(),
        value,
        required: false,
        nullable: false,
        description: String::new(),
        limits: String::new(),
        facts: FieldFacts::default(),
        at: at.clone(),
    }
}
