//! Reading: one visitor for every generated struct, and the wrappers that make `null` an absence.

use super::collect::{List, Map};
use super::{Members, Source, TypeMeta, Value};
use crate::meta::RawJson;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// Reads a struct: known members by name in any order, unknown ones kept, `null` as absence.
pub fn deserialize<'de, T: Members, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(MembersVisitor(PhantomData))
}

/// The members of an object in a format of serde's.
struct Entries<'a, 'de, A> {
    map: &'a mut A,
    lifetime: PhantomData<&'de ()>,
}

impl<'de, A: MapAccess<'de>> Source for Entries<'_, 'de, A> {
    type Error = A::Error;

    fn nullable<T: Value>(&mut self, member: &mut T) -> Result<(), A::Error> {
        *member = self.map.next_value::<Option<T>>()?.unwrap_or_default();
        Ok(())
    }

    fn option<T: Value>(&mut self, member: &mut Option<T>) -> Result<(), A::Error> {
        *member = self.map.next_value()?;
        Ok(())
    }

    fn list<T: Value>(&mut self, member: &mut Vec<T>) -> Result<(), A::Error> {
        let list = self.map.next_value::<Option<List<T>>>()?;
        *member = list.map_or_else(Vec::new, |list| list.0);
        Ok(())
    }

    fn map<T: Value>(&mut self, member: &mut BTreeMap<String, T>) -> Result<(), A::Error> {
        let map = self.map.next_value::<Option<Map<T>>>()?;
        *member = map.map_or_else(BTreeMap::new, |map| map.0);
        Ok(())
    }
}

/// Reads a string without owning it.
pub fn read_str<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    name: &'static str,
    make: fn(&str) -> T,
) -> Result<T, D::Error> {
    struct StrVisitor<T>(&'static str, fn(&str) -> T);

    impl<T> Visitor<'_> for StrVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a string ({})", self.0)
        }

        fn visit_str<E: Error>(self, value: &str) -> Result<T, E> {
            Ok(self.1(value))
        }
    }

    deserializer.deserialize_str(StrVisitor(name, make))
}

struct MembersVisitor<T>(PhantomData<T>);

impl<'de, T: Members> Visitor<'de> for MembersVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a JSON object ({})", T::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut value = T::default();
        let mut seen = 0u128;
        while let Some(key) = map.next_key_seed(KeySeed::<T>(PhantomData))? {
            match key {
                Key::Known(index) => {
                    if seen & (1 << index) != 0 {
                        return Err(A::Error::custom(format_args!(
                            "duplicate member `{}` in {}",
                            T::NAMES[index],
                            T::NAME
                        )));
                    }
                    seen |= 1 << index;
                    let map = &mut map;
                    let lifetime = PhantomData;
                    value.read(index, &mut Entries { map, lifetime })?;
                }
                Key::ApiVersion(meta) => map.next_value_seed(TypeMetaSeed {
                    of: T::NAME,
                    member: "apiVersion",
                    expected: meta.api_version,
                    suffix: "",
                })?,
                Key::Kind(meta) => map.next_value_seed(TypeMetaSeed {
                    of: T::NAME,
                    member: "kind",
                    expected: meta.kind,
                    suffix: if meta.list { "List" } else { "" },
                })?,
                Key::Unknown(name) => {
                    let raw: RawJson = map.next_value()?;
                    value.unknown_mut().push(name, raw);
                }
            }
        }
        let absent = T::REQUIRED & !seen;
        if absent != 0 {
            value.unknown_mut().set_absent(absent);
        }
        value.unknown_mut().fit();
        Ok(value)
    }
}

/// Reads `apiVersion` or `kind`.
struct TypeMetaSeed {
    of: &'static str,
    member: &'static str,
    expected: &'static str,
    suffix: &'static str,
}

impl<'de> DeserializeSeed<'de> for TypeMetaSeed {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for TypeMetaSeed {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E: Error>(self, found: &str) -> Result<(), E> {
        let Self {
            of,
            member,
            expected,
            suffix,
        } = self;
        check_type_meta(of, member, (expected, suffix), found).map_err(E::custom)
    }
}

/// Checks `apiVersion` or `kind`: an absent, `null` or empty one is taken as meant, another one is an error.
pub(super) fn check_type_meta(
    of: &str,
    member: &str,
    (expected, suffix): (&str, &str),
    found: &str,
) -> Result<(), String> {
    if found.is_empty() || found.strip_suffix(suffix) == Some(expected) {
        return Ok(());
    }
    Err(format!(
        "{of}: expected {member} `{expected}{suffix}`, found `{found}`"
    ))
}

enum Key {
    Known(usize),
    ApiVersion(TypeMeta),
    Kind(TypeMeta),
    Unknown(Box<str>),
}

struct KeySeed<T>(PhantomData<T>);

impl<'de, T: Members> DeserializeSeed<'de> for KeySeed<T> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<T: Members> Visitor<'_> for KeySeed<T> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
        Ok(match (T::index(name), T::TYPE_META) {
            (Some(index), _) => Key::Known(index),
            (None, Some(meta)) if name == "apiVersion" => Key::ApiVersion(meta),
            (None, Some(meta)) if name == "kind" => Key::Kind(meta),
            _ => Key::Unknown(name.into()),
        })
    }
}
