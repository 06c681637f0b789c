//! Writing: members in document order, then the unknown ones; absences stay absent.

use super::json::{WriteJson, Writer, write_object};
use super::{Members, Sink};
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

impl<T: Members> WriteJson for Untyped<'_, T> {
    fn write_json(&self, writer: &mut Writer) {
        write_object(self.0, writer, false);
    }
}

/// The members of an object in a format of serde's.
struct Entries<'a, M>(&'a mut M);

impl<M: SerializeMap> Sink for Entries<'_, M> {
    type Error = M::Error;

    fn member<T>(&mut self, name: &'static str, value: &T) -> Result<(), M::Error>
    where
        T: Serialize + WriteJson + ?Sized,
    {
        self.0.serialize_entry(name, value)
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
    value.write(&mut Entries(&mut map))?;
    for (name, raw) in value.unknown().iter() {
        map.serialize_entry(name, raw)?;
    }
    map.end()
}

/// Writes a plain member, zero or not, unless it was absent when read and is still zero.
pub fn write_required<T, V, S>(
    sink: &mut S,
    owner: &T,
    index: usize,
    value: &V,
) -> Result<(), S::Error>
where
    T: Members,
    V: Serialize + WriteJson + Default + PartialEq,
    S: Sink,
{
    if owner.unknown().is_absent(index) && *value == V::default() {
        return Ok(());
    }
    sink.member(T::NAMES[index], value)
}

/// Writes an optional member when it is there.
pub fn write_option<V, S>(
    sink: &mut S,
    name: &'static str,
    value: &Option<V>,
) -> Result<(), S::Error>
where
    V: Serialize + WriteJson,
    S: Sink,
{
    match value {
        Some(value) => sink.member(name, value),
        None => Ok(()),
    }
}

/// Writes a list that is not empty.
pub fn write_list<V, S>(sink: &mut S, name: &'static str, value: &Vec<V>) -> Result<(), S::Error>
where
    V: Serialize + WriteJson,
    S: Sink,
{
    if value.is_empty() {
        Ok(())
    } else {
        sink.member(name, value)
    }
}

/// Writes a map that is not empty.
pub fn write_map<V, S>(
    sink: &mut S,
    name: &'static str,
    value: &BTreeMap<String, V>,
) -> Result<(), S::Error>
where
    V: Serialize + WriteJson,
    S: Sink,
{
    if value.is_empty() {
        Ok(())
    } else {
        sink.member(name, value)
    }
}

/// Writes managed fields that are not empty.
pub fn write_managed_fields<S: Sink>(
    sink: &mut S,
    name: &'static str,
    value: &ManagedFields,
) -> Result<(), S::Error> {
    if value.is_empty() {
        Ok(())
    } else {
        sink.member(name, value)
    }
}
