//! The JSON text of a patched object in error messages, as the server's patch library writes it.
//!
//! Objects on the path of the patch have sorted fields; the others keep their order.

use super::json::{DEEPEST, unescape};
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The objects and lists that a patch touches.
#[derive(Debug, Default)]
pub(crate) struct Touched(BTreeMap<String, Touched>);

impl Touched {
    pub(crate) fn by_operations(patch: &Value) -> Self {
        let mut touched = Self::default();
        for operation in patch.as_array().into_iter().flatten() {
            let text = |field| operation.get(field).and_then(Value::as_str);
            let from = text("from").filter(|_| matches!(text("op"), Some("move" | "copy")));
            for path in text("path").into_iter().chain(from) {
                let Some((containers, _)) = path.rsplit_once('/') else {
                    continue;
                };
                let mut node = &mut touched;
                // A patched object does not have deeper containers, regardless of the path.
                for step in containers.split('/').skip(1).take(DEEPEST) {
                    node = node.0.entry(unescape(step)).or_default();
                }
            }
        }
        touched
    }

    pub(crate) fn by_fields(patch: &Value) -> Self {
        let fields = patch.as_object().into_iter().flatten();
        Self(
            fields
                .filter(|(_, value)| value.is_object())
                .map(|(name, value)| (name.clone(), Self::by_fields(value)))
                .collect(),
        )
    }
}

/// The text of `object` after a patch.
pub(crate) fn patched_text(
    object: &Value,
    schema: &'static TypeSchema,
    touched: &Touched,
) -> String {
    let patched = Patched {
        value: object,
        shape: &Shape::Object(schema),
        touched: Some(touched),
    };
    serde_json::to_string(&patched).unwrap_or_default()
}

struct Patched<'a> {
    value: &'a Value,
    shape: &'a Shape,
    touched: Option<&'a Touched>,
}

impl Serialize for Patched<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (value, shape) = (self.value, self.shape);
        match (self.touched, value) {
            (Some(touched), Value::Object(fields)) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_unstable_by_key(|(name, _)| *name);
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    let shape = match shape {
                        Shape::Object(schema) => schema.field(name).map(|field| &field.shape),
                        Shape::Map { value, .. } => Some(*value),
                        _ => None,
                    };
                    let patched = Patched {
                        value,
                        shape: shape.unwrap_or(&Shape::Any),
                        touched: touched.0.get(name),
                    };
                    map.serialize_entry(name, &patched)?;
                }
                map.end()
            }
            (Some(touched), Value::Array(elements)) => {
                let mut seq = serializer.serialize_seq(Some(elements.len()))?;
                for (index, value) in elements.iter().enumerate() {
                    seq.serialize_element(&Patched {
                        value,
                        shape: match shape {
                            Shape::List { element, .. } => element,
                            _ => &Shape::Any,
                        },
                        touched: touched.0.get(&index.to_string()),
                    })?;
                }
                seq.end()
            }
            (None, Value::Object(fields)) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value, shape) in in_order(fields, shape) {
                    map.serialize_entry(name, &Patched::untouched(value, shape))?;
                }
                map.end()
            }
            (None, Value::Array(elements)) => {
                let shape = match shape {
                    Shape::List { element, .. } => element,
                    _ => &Shape::Any,
                };
                serializer.collect_seq(
                    elements
                        .iter()
                        .map(|value| Patched::untouched(value, shape)),
                )
            }
            _ => value.serialize(serializer),
        }
    }
}

impl<'a> Patched<'a> {
    fn untouched(value: &'a Value, shape: &'a Shape) -> Self {
        Self {
            value,
            shape,
            touched: None,
        }
    }
}

/// The fields of an untouched object: the known ones in Go's order, then the unknown ones, which a list in a patch can bring; the entries
/// of a map by their keys.
fn in_order<'a>(
    fields: &'a Map<String, Value>,
    shape: &'a Shape,
) -> Vec<(&'a str, &'a Value, &'a Shape)> {
    let (known, entry) = match shape {
        Shape::Object(schema) => (schema.fields(), &Shape::Any),
        Shape::Map { value, .. } => (Default::default(), *value),
        _ => (Default::default(), &Shape::Any),
    };
    let place = |name: &str| known.iter().position(|field| field.name == name);
    let mut ordered: Vec<_> = fields
        .iter()
        .map(|(name, value)| {
            let at = place(name);
            let shape = at.map_or(entry, |at| &known[at].shape);
            (at.unwrap_or(known.len()), name.as_str(), value, shape)
        })
        .collect();
    let by_name = matches!(shape, Shape::Map { .. });
    ordered.sort_by_key(|(at, name, ..)| (*at, by_name.then_some(*name)));
    ordered
        .into_iter()
        .map(|(_, name, value, shape)| (name, value, shape))
        .collect()
}
