//! How serde_json passes text through: a struct with a special name, which [`RawValue`] uses.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde_json::Serializer;
use serde_json::value::RawValue;
use std::sync::LazyLock;

/// Whether an error is serde_json's, whose serializers and deserializers hand text through.
pub(super) fn is_of_serde_json<E>() -> bool {
    typeid::of::<E>() == typeid::of::<serde_json::Error>()
}

/// Whether a serializer is that of `serde_json::to_vec` and `to_string`, which writes what we write.
pub(super) fn writes_compact_text<S>() -> bool {
    typeid::of::<S>() == typeid::of::<&mut Serializer<&mut Vec<u8>>>()
}

/// The name of the struct that `RawValue` uses.
pub(super) fn raw_name() -> &'static str {
    static NAME: LazyLock<&str> = LazyLock::new(|| {
        let mut name = "";
        // Fails, with the name learned.
        let _ = <&RawValue>::deserialize(Ask(&mut name));
        name
    });
    *NAME
}

/// Learns for which struct a type asks.
struct Ask<'a>(&'a mut &'static str);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = name;
        Err(Error::custom("only asked"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only asked"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}
