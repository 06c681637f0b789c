//! serde's traits, through JSON text: a value of any format is converted to JSON and then read, and the reverse.
//!
//! Generated types therefore do not need separate code for serde, and every format keeps everything that JSON keeps,
//! including fields that a type does not know. serde_json passes the text through unchanged.

use super::reader::MAX_DEPTH;
use super::through::{is_of_serde_json, raw_name, writes_compact_text};
use super::{Fault, ReadJson, Reader, WriteJson, Writer, from_str, read, to_string};
use crate::meta::Number;
use serde::Deserializer;
use serde::de::{self, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Reads a value with the deserializer of any self-describing format.
///
/// # Errors
/// The deserializer fails, or the value does not fit the type.
pub fn deserialize<'de, T: ReadJson, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let (text, is_whole) = text(deserializer)?;
    if is_whole {
        return from_str(&text).map_err(D::Error::custom);
    }
    let mut reader = Reader::new(&text);
    let mut value = T::default();
    // The text has other lines than the source of the value.
    read(&mut value, &mut reader).map_err(|fault| D::Error::custom(fault.with_path()))?;
    Ok(value)
}

/// The next value as JSON, and whether it is the text of the source.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(Cow<'de, str>, bool), D::Error> {
    let mut writer = Writer::default();
    let mut whole = None;
    let to = Transcode {
        writer: &mut writer,
        whole: Some(&mut whole),
    };
    match is_of_serde_json::<D::Error>() {
        true => deserializer.deserialize_newtype_struct(raw_name(), to)?,
        false => deserializer.deserialize_any(to)?,
    }
    Ok(match whole {
        Some(text) => (text, true),
        None => (writer.into_text().into(), false),
    })
}

/// The name under which serde_json, with its feature `arbitrary_precision`, gives the text of a number.
const NUMBER: &str = "$serde_json::private::Number";

/// Writes what a deserializer reads as JSON.
struct Transcode<'w, 'de> {
    writer: &'w mut Writer,
    /// At the outermost value, takes the text that serde_json hands through.
    whole: Option<&'w mut Option<Cow<'de, str>>>,
}

impl<'w> Transcode<'w, '_> {
    /// For a value inside another one.
    fn inside(writer: &'w mut Writer) -> Self {
        Self {
            writer,
            whole: None,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Transcode<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Transcode<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON can hold")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut next = map.next_key_seed(Name)?;
        if let Some(whole) = self.whole
            && next.as_deref() == Some(raw_name())
            && is_of_serde_json::<A::Error>()
        {
            *whole = Some(map.next_value_seed(Name)?);
            return Ok(());
        }
        if next.as_deref() == Some(NUMBER) && is_of_serde_json::<A::Error>() {
            let text = map.next_value_seed(Name)?;
            let number: Number = from_str(&text).map_err(A::Error::custom)?;
            number.write_json(self.writer);
            return Ok(());
        }
        self.writer.open_object();
        while let Some(name) = next {
            self.writer.name(&name);
            map.next_value_seed(Transcode::inside(self.writer))?;
            next = map.next_key_seed(Name)?;
        }
        self.writer.close_object();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        self.writer.raw("[");
        let mut length = 0;
        loop {
            // The comma goes again where no element follows it.
            let end = self.writer.length();
            if length > 0 {
                self.writer.raw(",");
            }
            if elements
                .next_element_seed(Transcode::inside(self.writer))?
                .is_none()
            {
                self.writer.truncate(end);
                self.writer.raw("]");
                return Ok(());
            }
            length += 1;
        }
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.writer.raw("null");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.writer.raw("null");
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.writer.display(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.writer.display(value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.writer.display(value);
        Ok(())
    }

    fn visit_i128<E>(self, value: i128) -> Result<(), E> {
        self.writer.display(value);
        Ok(())
    }

    fn visit_u128<E>(self, value: u128) -> Result<(), E> {
        self.writer.display(value);
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        if !value.is_finite() {
            return Err(E::custom(format_args!("JSON has no number `{value}`")));
        }
        value.write_json(self.writer);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.writer.string(value);
        Ok(())
    }
}

/// Takes a string, or a name of a field that a format read as a number or truth.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(value.to_owned().into())
    }

    fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(value.to_string().into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(value.to_string().into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(value.to_string().into())
    }
}

/// Writes a value with any serializer.
///
/// # Errors
/// The serializer fails, or its format cannot represent the value: a number beyond `f64`, or text that is not Unicode.
pub fn serialize<T: WriteJson + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    write(&to_string(value), serializer)
}

fn write<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match writes_compact_text::<S>() {
        true => Raw(text).serialize(serializer),
        false => Part { text, depth: 0 }.serialize(serializer),
    }
}

/// Text that serde_json writes unchanged.
struct Raw<'a>(&'a str);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(raw_name(), 1)?;
        raw.serialize_field(raw_name(), self.0)?;
        raw.end()
    }
}

/// Implements `Serialize` and `Deserialize` for a type that implements `WriteJson` and `ReadJson`.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_by_json {
    ($($type:ident)*) => {$(
        impl $crate::json::serde::Serialize for $type {
            fn serialize<S: $crate::json::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::json::serialize(self, serializer)
            }
        }

        impl<'de> $crate::json::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::json::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::json::deserialize(deserializer)
            }
        }
    )*};
}

/// A value in compact text, which is handed to a serializer, to some twice. What only text can hold goes to serde_json as text.
struct Part<'a> {
    text: &'a str,
    /// How many objects and lists are around it.
    depth: u8,
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let error = |fault: Fault| S::Error::custom(fault.with_path());
        let reader = &mut Reader::new(self.text);
        match reader.peek() {
            b'{' | b'[' if self.depth + 1 >= MAX_DEPTH => {
                self.odd(serializer, "more than 128 levels of nesting")
            }
            b'{' => {
                let mut map = serializer.serialize_map(None)?;
                let mut more = reader.object(&"a JSON object").map_err(error)?;
                while more {
                    let name = reader.name().map_err(error)?;
                    let value = self.inner(reader).map_err(error)?;
                    map.serialize_entry(&*name, &value)?;
                    more = reader.more_fields().map_err(error)?;
                }
                map.end()
            }
            b'[' => {
                let mut list = serializer.serialize_seq(None)?;
                let mut more = reader.elements().map_err(error)?;
                while more {
                    list.serialize_element(&self.inner(reader).map_err(error)?)?;
                    more = reader.more_elements().map_err(error)?;
                }
                list.end()
            }
            b'"' => match reader.string(&"a string") {
                Ok(string) => serializer.serialize_str(&string),
                // A lone surrogate.
                Err(_) => self.odd(serializer, "text that is not Unicode"),
            },
            b't' | b'f' => serializer.serialize_bool(reader.bool().map_err(error)?),
            b'n' => serializer.serialize_none(),
            _ => match reader.integer() {
                Some(integer) => serializer.serialize_i64(integer),
                None => self.number(serializer),
            },
        }
    }
}

impl<'a> Part<'a> {
    /// The value that the reader is at, and moves behind it.
    fn inner(&self, reader: &mut Reader<'a>) -> Result<Self, Fault> {
        let start = reader.position();
        reader.skip()?;
        Ok(Self {
            text: reader.since(start),
            depth: self.depth + 1,
        })
    }

    fn number<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if is_of_serde_json::<S::Error>() {
            return Raw(self.text).serialize(serializer);
        }
        if let Ok(integer) = self.text.parse() {
            return serializer.serialize_i64(integer);
        }
        if let Ok(integer) = self.text.parse() {
            return serializer.serialize_u64(integer);
        }
        match self.text.parse() {
            Ok(number) if f64::is_finite(number) => serializer.serialize_f64(number),
            _ => self.odd(serializer, "a number that is too large"),
        }
    }

    /// Writes the value as text, where the format takes it.
    fn odd<S: Serializer>(&self, serializer: S, what: &str) -> Result<S::Ok, S::Error> {
        match is_of_serde_json::<S::Error>() {
            true => Raw(self.text).serialize(serializer),
            false => Err(S::Error::custom(format_args!(
                "{what} can only be written as JSON, with serde_json or `json::to_string`"
            ))),
        }
    }
}
