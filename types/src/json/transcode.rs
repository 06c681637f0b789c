//! serde's traits, by way of the text.

use super::{Fault, ReadJson, Reader, WriteJson, from_str, to_string};
use serde::de::Error as _;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::cell::RefCell;

/// Reads a value with a deserializer, whose format must be JSON.
///
/// # Errors
/// The format is not JSON, the text is not JSON, or it does not fit the type.
pub fn deserialize<'de, T: ReadJson, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = raw_text(deserializer)?;
    from_str(text.get()).map_err(D::Error::custom)
}

fn raw_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RawValue>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map_err(|error| {
        // Formats other than JSON have no raw values, and serde_json words the error like this.
        match is_foreign(&error.to_string()) {
            true => D::Error::custom(
                "this type can only be read from JSON: hand its JSON text to `json::from_str`",
            ),
            false => error,
        }
    })
}

fn is_foreign(error: &str) -> bool {
    error.contains("any valid JSON value") || error.contains("raw value")
}

/// Writes a value with a serializer.
///
/// # Errors
/// The serializer fails.
pub fn serialize<T: WriteJson + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = to_string(value);
    let odd = text.contains("\\u") || text.contains("\\/");
    let reader = RefCell::new(Reader::new(&text));
    Rest { reader, odd }.serialize(serializer)
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

/// The rest of a compact text, whose next value is handed to a serializer. Its structure goes there as such; a number or
/// string that the serializer would spell differently goes as raw text, and so does an object with such a name.
struct Rest<'a> {
    reader: RefCell<Reader<'a>>,
    /// Whether the text may contain such names or strings.
    odd: bool,
}

impl Serialize for Rest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let next = self.reader.borrow_mut().peek();
        match next {
            b'{' | b'[' if self.reader.borrow().is_deepest() => self.raw(serializer),
            b'{' if self.odd && self.has_odd_name() => self.raw(serializer),
            b'{' => {
                let mut map = serializer.serialize_map(None)?;
                let mut more = self.read(|reader| reader.object(&"a JSON object"))?;
                while more {
                    map.serialize_entry(&*self.read(Reader::name)?, self)?;
                    more = self.read(Reader::more_fields)?;
                }
                map.end()
            }
            b'[' => {
                let mut list = serializer.serialize_seq(None)?;
                let mut more = self.read(Reader::elements)?;
                while more {
                    list.serialize_element(self)?;
                    more = self.read(Reader::more_elements)?;
                }
                list.end()
            }
            b'"' => {
                let start = self.reader.borrow().clone();
                let string = self.reader.borrow_mut().string(&"a string");
                match string {
                    Ok(string) if !self.odd || start.rest().starts_with(&to_string(&*string)) => {
                        serializer.serialize_str(&string)
                    }
                    // Also text that is no Unicode, such as a lone surrogate.
                    _ => {
                        self.reader.replace(start);
                        self.raw(serializer)
                    }
                }
            }
            b't' | b'f' => serializer.serialize_bool(self.read(Reader::bool)?),
            b'n' if self.reader.borrow_mut().null() => serializer.serialize_unit(),
            _ => {
                let integer = self.reader.borrow_mut().integer();
                match integer {
                    Some(integer) => serializer.serialize_i64(integer),
                    None => self.raw(serializer),
                }
            }
        }
    }
}

impl<'a> Rest<'a> {
    /// Reads with `read`. Text of our own is never at fault.
    fn read<T, E: serde::ser::Error>(
        &self,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, Fault>,
    ) -> Result<T, E> {
        let error = |fault: Fault| E::custom(fault.into_error(""));
        read(&mut self.reader.borrow_mut()).map_err(error)
    }

    /// Whether the next object has a name that a serializer would spell differently.
    fn has_odd_name(&self) -> bool {
        let mut reader = self.reader.borrow().clone();
        let mut more = reader.object(&"a JSON object");
        while let Ok(true) = more {
            let start = reader.clone();
            match reader.name() {
                Ok(name) if start.rest().starts_with(&to_string(&*name)) => {}
                _ => return true,
            }
            more = reader.skip().and_then(|()| reader.more_fields());
        }
        false
    }

    fn raw<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.read(Reader::raw)?.serialize(serializer)
    }
}
