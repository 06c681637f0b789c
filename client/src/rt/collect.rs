//! Reading arrays and objects into collections that hold no more than they need.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A JSON array whose `null` elements are zero elements.
pub(super) struct Elements<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Elements<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ElementsVisitor(PhantomData))
    }
}

struct ElementsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for ElementsVisitor<T> {
    type Value = Elements<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Elements<T>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element::<Option<T>>()? {
            if elements.is_empty() {
                // Most lists have one element: room for exactly that is often right at the first try.
                elements.reserve_exact(1);
            }
            elements.push(element.unwrap_or_default());
        }
        elements.shrink_to_fit();
        Ok(Elements(elements))
    }
}

/// A JSON object whose `null` values are zero values.
pub(super) struct Entries<T>(pub(super) BTreeMap<String, T>);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for EntriesVisitor<T> {
    type Value = Entries<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, Option<T>>()? {
            entries.insert(key, value.unwrap_or_default());
        }
        Ok(Entries(entries))
    }
}
