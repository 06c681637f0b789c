//! Writing: members in document order, then the unknown ones; absences stay absent.

use super::Members;
use crate::meta::ManagedFields;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// Writes a struct, with the `apiVersion` and `kind` that belong to it.
pub fn serialize<T: Members, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    write(value, serializer, true)
}

/// A kind inside a typed list: written without `apiVersion` and `kind`.
pub struct Untyped<'a, T>(pub &'a T);

impl<T: Members> Serialize for Untyped<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(self.0, serializer, false)
    }
}

fn write<T: Members, S: Serializer>(
    value: &T,
    serializer: S,
    type_meta: bool,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    if let (true, Some(meta)) = (type_meta, T::TYPE_META) {
        // In the order of a Kubernetes API server, so that what it wrote comes back letter by letter.
        if meta.list {
            map.serialize_entry("kind", &format_args!("{}List", meta.kind))?;
        } else {
            map.serialize_entry("kind", meta.kind)?;
        }
        map.serialize_entry("apiVersion", meta.api_version)?;
    }
    value.write(&mut map)?;
    for (name, raw) in value.unknown().iter() {
        map.serialize_entry(name, raw)?;
    }
    map.end()
}

/// Writes a plain member, zero or not, unless it was absent when read and is still zero.
pub fn write_required<T, V, M>(
    map: &mut M,
    owner: &T,
    index: usize,
    value: &V,
) -> Result<(), M::Error>
where
    T: Members,
    V: Serialize + Default + PartialEq,
    M: SerializeMap,
{
    if owner.unknown().is_absent(index) && *value == V::default() {
        return Ok(());
    }
    map.serialize_entry(T::NAMES[index], value)
}

/// Writes an optional member when it is there.
pub fn write_option<V: Serialize, M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &Option<V>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(name, value),
        None => Ok(()),
    }
}

/// Writes a list that is not empty.
pub fn write_list<V: Serialize, M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &[V],
) -> Result<(), M::Error> {
    if value.is_empty() {
        Ok(())
    } else {
        map.serialize_entry(name, value)
    }
}

/// Writes a map that is not empty.
pub fn write_map<V: Serialize, M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &BTreeMap<String, V>,
) -> Result<(), M::Error> {
    if value.is_empty() {
        Ok(())
    } else {
        map.serialize_entry(name, value)
    }
}

/// Writes managed fields that are not empty.
pub fn write_managed_fields<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &ManagedFields,
) -> Result<(), M::Error> {
    if value.is_empty() {
        Ok(())
    } else {
        map.serialize_entry(name, value)
    }
}
