//! serde's traits, by way of the text.

use super::{Fault, ReadJson, Reader, WriteJson, from_str, to_string};
use serde::de::Error as _;
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::any::type_name;
use std::cell::RefCell;

/// Reads a value with a deserializer of serde_json.
///
/// # Errors
/// The format is not JSON, the text is not JSON, or it does not fit the type.
pub fn deserialize<'de, T: ReadJson, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    if !(deserializer.is_human_readable() && is_of_serde_json::<D::Error>()) {
        return Err(D::Error::custom(
            "Kubernetes types can only be read from JSON, with serde_json: from another format, read a \
             `serde_json::Value` and hand it to `json::from_value`",
        ));
    }
    let text = Box::<RawValue>::deserialize(deserializer).map_err(|error| {
        // serde's own copy of a value has no raw values, and serde_json words the error like this.
        match error.to_string().contains("any valid JSON value") {
            true => D::Error::custom(
                "Kubernetes types cannot be read inside `flatten` or an untagged or internally tagged enum: \
                 read a `serde_json::Value` there and hand it to `json::from_value`",
            ),
            false => error,
        }
    })?;
    from_str(text.get()).map_err(D::Error::custom)
}

/// Whether a serializer or deserializer with this error is serde_json's. Others take a raw value, in which serde_json hands
/// text on as it is, for a struct with an odd name.
fn is_of_serde_json<E>() -> bool {
    type_name::<E>().starts_with("serde_json::")
}

/// Writes a value with a serializer of serde_json.
///
/// # Errors
/// The format is not JSON, or the serializer fails.
pub fn serialize<T: WriteJson + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if !(serializer.is_human_readable() && is_of_serde_json::<S::Error>()) {
        return Err(S::Error::custom(
            "Kubernetes types can only be written as JSON, with serde_json: for another format, write the \
             `serde_json::Value` of `json::to_value`",
        ));
    }
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
