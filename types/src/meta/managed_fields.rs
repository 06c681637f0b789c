//! `metadata.managedFields`, kept as text.

use super::{InvalidJson, ManagedFieldsEntry};
use crate::json::{self, Fault, RawJson, ReadJson, Reader, SharedJson, WriteJson, Writer};
use crate::rt::v1::{Field, Value};
use crate::schema::Shape;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The fields that each field manager owns, kept as text until a program asks for them.
///
/// About half of a real list is [managed fields](https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management),
/// which few programs look at, so only [`entries`](Self::entries) reads them. Objects that a thread reads one after another
/// share their equal parts.
#[derive(Clone, Default)]
pub struct ManagedFields(Option<SharedJson>);

impl ManagedFields {
    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// The JSON text of the entries.
    pub fn raw(&self) -> Option<RawJson> {
        self.0.as_ref().map(SharedJson::to_raw)
    }
}

impl From<RawJson> for ManagedFields {
    fn from(raw: RawJson) -> Self {
        let raw = Some(raw).filter(|raw| !matches!(raw.as_str(), "[]" | "null"));
        Self(raw.map(SharedJson::from))
    }
}

impl PartialEq for ManagedFields {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.raw() == other.raw()
    }
}

impl Eq for ManagedFields {}

impl Hash for ManagedFields {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw().hash(state);
    }
}

impl fmt::Debug for ManagedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(text) => text.fmt(f),
            None => f.write_str("[]"),
        }
    }
}

impl ReadJson for ManagedFields {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        *self = match SharedJson::read(reader) {
            Some(text) => Self(Some(text)),
            None => Self::from(reader.raw_json()?),
        };
        Ok(())
    }
}

impl WriteJson for ManagedFields {
    fn write_json(&self, writer: &mut Writer) {
        match &self.0 {
            Some(text) => text.write(writer),
            None => writer.raw("[]"),
        }
    }
}

crate::__serde_by_json!(ManagedFields);

impl ManagedFields {
    /// The entries, read again at each call.
    ///
    /// # Errors
    /// [`InvalidJson`] when the text is not a list of entries.
    pub fn entries(&self) -> Result<Vec<ManagedFieldsEntry>, InvalidJson> {
        let entries = self.raw().map(|raw| json::from_str(raw.as_str()));
        Ok(entries.transpose()?.unwrap_or_default())
    }

    /// Replaces the entries; an empty slice removes all.
    pub fn set(&mut self, entries: &[ManagedFieldsEntry]) {
        *self = RawJson::from_compact(json::to_string(entries)).into();
    }
}

impl Field for ManagedFields {
    const SHAPE: Shape = <Vec<ManagedFieldsEntry>>::SHAPE;
    const IS_REQUIRED: bool = false;
}

impl Value for ManagedFields {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}
