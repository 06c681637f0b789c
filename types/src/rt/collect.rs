//! Reading arrays and objects into collections that hold no more than they need.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A JSON array whose `null` elements are zero elements.
pub(super) struct List<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element::<Option<T>>()? {
            if elements.is_empty() {
                // Most lists have one element: room for exactly that is often right at the first try.
                elements.reserve_exact(1);
            }
            elements.push(element.unwrap_or_default());
        }
        elements.shrink_to_fit();
        Ok(List(elements))
    }
}

/// A JSON object whose `null` values are zero values.
pub(super) struct Map<T>(pub(super) BTreeMap<String, T>);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Map<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

struct MapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for MapVisitor<T> {
    type Value = Map<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<T>, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, Option<T>>()? {
            entries.insert(key, value.unwrap_or_default());
        }
        Ok(Map(entries))
    }
}
