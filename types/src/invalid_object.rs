//! Objects that do not fit their type.

use crate::json::{Fault, RawJson, Reader};
use crate::meta::ObjectMeta;
use std::fmt;

/// An object that does not fit its type, with the error.
///
/// A server may have such objects: custom resources that are older than a change of their schema, or objects with a field
/// whose type a newer release changed.
#[derive(Clone, PartialEq)]
pub struct InvalidObject {
    /// The object's metadata; empty if that is invalid too.
    pub metadata: ObjectMeta,
    /// The object as the server sent it.
    pub object: RawJson,
    error: Box<str>,
}

impl InvalidObject {
    #[doc(hidden)]
    pub fn new(fault: &Fault, object: RawJson) -> Self {
        Self {
            metadata: metadata(&object),
            object,
            error: fault.with_path().into(),
        }
    }

    /// The path of the first field that does not fit, and the reason: `spec.rules: invalid type: integer `5`, expected a JSON
    /// array`.
    pub fn error(&self) -> &str {
        &self.error
    }
}

fn metadata(object: &RawJson) -> ObjectMeta {
    let mut metadata = ObjectMeta::default();
    let mut reader = Reader::new(object.as_str());
    let read = reader.fields(&"a JSON object", &mut |name, reader| match &*name {
        "metadata" => reader.value(&mut metadata),
        _ => reader.skip(),
    });
    match read {
        Ok(()) => metadata,
        Err(_) => ObjectMeta::default(),
    }
}

/// Leaves out the object, which may hold secrets.
impl fmt::Debug for InvalidObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The object's namespace and name, and the error.
impl fmt::Display for InvalidObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.metadata.namespace {
            write!(f, "{namespace}/")?;
        }
        let name = self
            .metadata
            .name
            .as_deref()
            .unwrap_or("an object without a name");
        write!(f, "{name}: {}", self.error)
    }
}
