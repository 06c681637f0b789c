//! An object, the few fields of it that the server itself reads and writes, its size, and the forms in which releases store it.

use k8s_flowcontrol_types::Release;
use serde_json::{Map, Value};
use std::io;
use std::sync::Arc;

/// An object in its hub form, shared between the store, its history and responses.
pub(crate) type Object = Arc<Value>;

/// A string of `metadata`, empty when it is absent.
pub(crate) fn meta_str<'a>(object: &'a Value, field: &str) -> &'a str {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get(field))
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// Changes `metadata`, which is created when it is absent.
pub(crate) fn edit_metadata<T>(
    object: &mut Value,
    edit: impl FnOnce(&mut Map<String, Value>) -> T,
) -> T {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let metadata = &mut object["metadata"];
    if !metadata.is_object() {
        *metadata = Value::Object(Map::new());
    }
    match metadata {
        Value::Object(metadata) => edit(metadata),
        // Unreachable: the line above made it an object.
        _ => edit(&mut Map::new()),
    }
}

pub(super) fn set_resource_version(object: &mut Value, revision: u64) {
    edit_metadata(object, |metadata| {
        metadata.insert("resourceVersion".into(), revision.to_string().into())
    });
}

/// An object as a release stored it: in hub form, by the rules of that release.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) release: Release,
    pub(crate) object: Object,
}

/// A stored object, as another release decodes it.
#[derive(Debug)]
pub(crate) enum Found {
    /// The release would store it in the same form.
    Current(Object),
    /// The release decodes it, but would store it in another form.
    Older(Object),
    /// The release does not know the version in which the object is stored.
    Unreadable,
}

/// The approximate memory of a value in bytes, without sharing.
pub(super) fn memory(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(memory).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| size_of::<String>() + name.len() + memory(value))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inside
}

pub(crate) fn json_length(value: &Value) -> usize {
    let mut length = Length(0);
    // Counting does not fail.
    let _ = serde_json::to_writer(&mut length, value);
    length.0
}

struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
