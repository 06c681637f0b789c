//! Fields that no document describes: most often misspelt ones.

use crate::json::{self, Fault, Reader};
use crate::rt::v1::Object;
use crate::schema::{Shape, TypeSchema};
use serde::de::Error as _;
use serde_json::{Error, Value};

/// The paths of the fields of `object`, at every depth, that its type does not know: such as `spec.rules[0].subject`.
///
/// Reading keeps such fields and writing returns them, because a newer server may have sent them. In an object that a
/// program wrote, they are spelling mistakes, which a server drops with a warning. The result does not contain fields
/// that a custom resource allows with `x-kubernetes-preserve-unknown-fields`.
///
/// ```
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
/// use k8s_flowcontrol_types::unknown_fields;
///
/// let schema: FlowSchema = serde_json::from_str(r#"{"spec": {"matchingPrecedense": 500}}"#)?;
/// assert_eq!(unknown_fields(&schema), ["spec.matchingPrecedense"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn unknown_fields<T: Object>(object: &T) -> Vec<String> {
    let text = json::to_string(object);
    let mut walk = Walk {
        path: String::new(),
        found: Vec::new(),
    };
    // The text comes from the writer, and its types from the same table: reading it cannot fail.
    let _ = walk.object(&mut Reader::new(&text), T::TABLE.schema);
    walk.found
}

/// Reads an object from a tree. A field that its type does not know is an error.
///
/// For tests and scripts that write objects with `json!`, where a misspelt field would otherwise be kept silently.
/// `json::from_value` accepts such fields. For a text from a file, the crate `k8s-flowcontrol-rules` reports each unknown
/// field with its place.
///
/// ```
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
/// use k8s_flowcontrol_types::from_value_strict;
/// use serde_json::json;
///
/// let error = from_value_strict::<FlowSchema>(&json!({"spec": {"rule": []}})).unwrap_err();
/// assert_eq!(error.to_string(), "FlowSchema: unknown field `spec.rule`");
/// ```
///
/// # Errors
/// The tree does not fit the type, or has unknown fields; the message names all of them.
pub fn from_value_strict<T: Object>(tree: &Value) -> Result<T, Error> {
    let object: T = json::from_value(tree)?;
    let unknown = unknown_fields(&object);
    if unknown.is_empty() {
        return Ok(object);
    }
    let of = T::TABLE.schema.name;
    let fields = if unknown.len() == 1 {
        "field"
    } else {
        "fields"
    };
    let names = unknown.join("`, `");
    Err(Error::custom(format!("{of}: unknown {fields} `{names}`")))
}

struct Walk {
    path: String,
    found: Vec<String>,
}

impl Walk {
    fn value(&mut self, reader: &mut Reader<'_>, shape: &Shape) -> Result<(), Fault> {
        if reader.null() {
            return Ok(());
        }
        match shape {
            Shape::Object(schema) => self.object(reader, schema),
            Shape::List { element, .. } => self.list(reader, element),
            Shape::Map { value, .. } => self.map(reader, value),
            _ => reader.skip(),
        }
    }

    fn object(&mut self, reader: &mut Reader<'_>, schema: &TypeSchema) -> Result<(), Fault> {
        reader.fields(&schema.name, &mut |name, reader| {
            self.inside(&name, |walk| match schema.shape(&name) {
                Some(shape) => walk.value(reader, &shape),
                None => {
                    walk.found.push(walk.path.clone());
                    reader.skip()
                }
            })
        })
    }

    fn map(&mut self, reader: &mut Reader<'_>, value: &Shape) -> Result<(), Fault> {
        reader.fields(&"a JSON object", &mut |name, reader| {
            self.inside(&name, |walk| walk.value(reader, value))
        })
    }

    fn list(&mut self, reader: &mut Reader<'_>, element: &Shape) -> Result<(), Fault> {
        let length = self.path.len();
        let mut index = 0;
        let mut more = reader.elements()?;
        while more {
            self.path.push_str(&format!("[{index}]"));
            self.value(reader, element)?;
            self.path.truncate(length);
            index += 1;
            more = reader.more_elements()?;
        }
        Ok(())
    }

    fn inside<T>(&mut self, name: &str, walk: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        let result = walk(self);
        self.path.truncate(length);
        result
    }
}
