//! Go's JSON of objects: the order of the fields.

use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

/// Writes a canonical object with its fields in the order of the Go struct.
#[derive(Clone, Copy)]
pub(crate) struct Wire<'a> {
    pub(crate) value: &'a Value,
    pub(crate) schema: &'a TypeSchema,
}

impl Serialize for Wire<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(fields) = self.value else {
            return self.value.serialize(serializer);
        };
        let mut map = serializer.serialize_map(None)?;
        // The type comes first, in the outermost object only.
        for name in ["kind", "apiVersion"] {
            if let (None, Some(value)) = (self.schema.field(name), fields.get(name)) {
                map.serialize_entry(name, value)?;
            }
        }
        for field in self.schema.fields() {
            if let Some(value) = fields.get(field.name) {
                map.serialize_entry(
                    field.name,
                    &WireValue {
                        value,
                        shape: &field.shape,
                    },
                )?;
            }
        }
        if self.schema.preserves_unknown_fields {
            for (name, value) in fields {
                if self.schema.field(name).is_none() {
                    map.serialize_entry(name, value)?;
                }
            }
        }
        map.end()
    }
}

/// Writes a value of a shape like [`Wire`] writes an object.
#[derive(Clone, Copy)]
pub(crate) struct WireValue<'a> {
    pub(crate) value: &'a Value,
    pub(crate) shape: &'a Shape,
}

impl Serialize for WireValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.value;
        match (self.shape, value) {
            (Shape::Object(schema), _) => Wire { value, schema }.serialize(serializer),
            (Shape::List { element, .. }, Value::Array(elements)) => {
                let mut seq = serializer.serialize_seq(Some(elements.len()))?;
                for value in elements {
                    seq.serialize_element(&WireValue {
                        value,
                        shape: element,
                    })?;
                }
                seq.end()
            }
            (Shape::Map { value: shape, .. }, Value::Object(entries)) => {
                let mut keys: Vec<_> = entries.iter().collect();
                keys.sort_unstable_by_key(|(key, _)| *key);
                let mut map = serializer.serialize_map(Some(keys.len()))?;
                for (key, value) in keys {
                    map.serialize_entry(key, &WireValue { value, shape })?;
                }
                map.end()
            }
            _ => value.serialize(serializer),
        }
    }
}
