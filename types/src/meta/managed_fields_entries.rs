//! Reading and setting the entries of `metadata.managedFields`.

use super::{InvalidJson, ManagedFields, ManagedFieldsEntry};
use crate::json::{self, RawJson};
use crate::rt::v1::{Field, Value};
use crate::schema::Shape;

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
        *self = RawJson::from_compact(&json::to_string(entries)).into();
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
