//! `metadata.managedFields`, read when somebody asks.

use super::{InvalidJson, ManagedFieldsEntry, RawJson};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Which manager owns which fields, kept as text until it is asked for.
///
/// About half of a real list is [managed fields](https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management)
/// that few programs look at, so they are read by [`entries`](Self::entries) only.
#[derive(Clone, Default, PartialEq)]
pub struct ManagedFields(Option<RawJson>);

impl ManagedFields {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The entries, read anew at each call.
    ///
    /// # Errors
    /// [`InvalidJson`] when the text is no list of entries.
    pub fn entries(&self) -> Result<Vec<ManagedFieldsEntry>, InvalidJson> {
        match &self.0 {
            None => Ok(Vec::new()),
            Some(raw) => {
                let entries: Vec<Option<ManagedFieldsEntry>> = raw.to()?;
                Ok(entries.into_iter().map(Option::unwrap_or_default).collect())
            }
        }
    }

    /// Replaces the entries; an empty slice leaves none.
    ///
    /// # Errors
    /// [`InvalidJson`] when an entry has no JSON form.
    pub fn set(&mut self, entries: &[ManagedFieldsEntry]) -> Result<(), InvalidJson> {
        self.0 = if entries.is_empty() {
            None
        } else {
            Some(RawJson::from_value(entries)?)
        };
        Ok(())
    }

    /// Leaves none.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    pub(crate) fn json(&self) -> &str {
        self.0.as_ref().map_or("[]", RawJson::as_str)
    }

    /// The JSON text of the entries.
    pub fn raw(&self) -> Option<&RawJson> {
        self.0.as_ref()
    }
}

impl From<RawJson> for ManagedFields {
    fn from(raw: RawJson) -> Self {
        Self(Some(raw).filter(|raw| raw.as_str() != "[]"))
    }
}

impl fmt::Debug for ManagedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(raw) => raw.fmt(f),
            None => f.write_str("[]"),
        }
    }
}

impl Serialize for ManagedFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(raw) => raw.serialize(serializer),
            None => serializer.collect_seq([(); 0]),
        }
    }
}

impl<'de> Deserialize<'de> for ManagedFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Option::<RawJson>::deserialize(deserializer)?;
        Ok(raw.map_or_else(Self::default, Self::from))
    }
}
