//! Typed objects as JSON trees.

use k8s_flowcontrol_text::{self as text, Content, Node};
use k8s_flowcontrol_types::Versioned;
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use k8s_flowcontrol_types::{json, order};
use serde_json::Value;

/// The object as a tree.
///
/// An unknown field may hold a value that no tree holds, such as the number `1e400`. A server reads such a field
/// without an error and drops it; so do we, with all other unknown fields of that object.
pub fn tree_of<K: Versioned>(object: &K) -> Value {
    let json = json::to_string(object);
    json.parse().unwrap_or_else(|_| {
        // The writer's output is JSON, nested far below this parser's limit: the default is unreachable.
        text::parse_json(json.as_bytes())
            .map(|tree| known_fields(tree.root(), K::schema().schema))
            .unwrap_or_default()
    })
}

fn known_fields(node: Node<'_>, schema: &TypeSchema) -> Value {
    let Content::Object(fields) = node.content() else {
        return Value::Null;
    };
    let mut known = fields.iter().filter_map(|field| {
        let shape = &schema.field(field.name)?.shape;
        Some((field.name.to_owned(), value(field.value, shape)))
    });
    order::object(&mut known)
}

fn value(node: Node<'_>, shape: &Shape) -> Value {
    match (shape, node.content()) {
        (Shape::Object(schema), _) => known_fields(node, schema),
        (Shape::List { element, .. }, Content::Array(elements)) => {
            elements.iter().map(|node| value(node, element)).collect()
        }
        (Shape::Map { value: shape, .. }, Content::Object(fields)) => {
            let entries = fields.iter();
            order::object(
                &mut entries.map(|entry| (entry.name.to_owned(), value(entry.value, shape))),
            )
        }
        (Shape::Any, _) => text::to_value(node).unwrap_or_default(),
        _ => text::scalar(node),
    }
}
