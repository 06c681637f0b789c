//! JSON that is kept, not interpreted.

use super::compact::compact_value_end;
use super::same_value::{hash_value, same_value};
use super::{Fault, ReadJson, Reader, WriteJson, Writer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A JSON value kept as compact text, with the spelling of its numbers, duplicate fields and field order.
///
/// Two values are equal if they have the same meaning: field order and the spelling of numbers and strings
/// do not count (`1.50` equals `15e-1`). Below 128 levels of nesting, values are compared as text.
///
/// ```
/// use k8s_flowcontrol_types::meta::RawJson;
///
/// let value: RawJson = serde_json::from_str(r#"{ "n": 12345678901234567890123, "t": 1.50 }"#)?;
/// assert_eq!(value.as_str(), r#"{"n":12345678901234567890123,"t":1.50}"#);
/// assert_eq!(value, RawJson::parse(r#"{"t":15e-1,"n":12345678901234567890123}"#).unwrap());
/// assert_eq!(RawJson::from(serde_json::json!({"a": [1, "x"]})).as_str(), r#"{"a":[1,"x"]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct RawJson(Box<str>);

impl RawJson {
    /// Takes JSON text.
    ///
    /// # Errors
    /// [`InvalidJson`] when `text` is not exactly one JSON value.
    pub fn parse(text: &str) -> Result<Self, InvalidJson> {
        serde_json::from_str::<&RawValue>(text)
            .map(Self::from)
            .map_err(InvalidJson)
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    /// [`InvalidJson`] when JSON cannot represent the value, such as a map with keys that are not strings.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, InvalidJson> {
        // A value may hold raw values with spaces.
        serde_json::value::to_raw_value(value)
            .map(Self::from)
            .map_err(InvalidJson)
    }

    /// Reads the value as a type.
    ///
    /// # Errors
    /// [`InvalidJson`] when the text does not fit the type.
    pub fn to<'a, T: Deserialize<'a>>(&'a self) -> Result<T, InvalidJson> {
        serde_json::from_str(self.as_str()).map_err(InvalidJson)
    }

    /// The JSON text, without white space between tokens.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn into_text(self) -> Box<str> {
        self.0
    }

    /// Takes JSON that was found to be one compact value.
    pub(crate) fn from_compact(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }
}

/// The value `null`.
impl Default for RawJson {
    fn default() -> Self {
        Self::from_compact("null")
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        let text = raw.get();
        if compact_value_end(text.as_bytes()) == Some(text.len()) {
            Self(raw.into())
        } else {
            Self(compact(text))
        }
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self(compact(raw.get()))
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self::from_compact(value.to_string())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        same_value(&self.0, &other.0)
    }
}

impl Eq for RawJson {}

impl Hash for RawJson {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(&self.0, state);
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ReadJson for RawJson {
    const HOLDS_NULL: bool = true;

    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        *self = reader.raw_json()?;
        Ok(())
    }
}

impl WriteJson for RawJson {
    fn write_json(&self, writer: &mut Writer) {
        writer.raw(self.as_str());
    }
}

crate::__serde_by_json!(RawJson);

/// Text that is not JSON, or JSON that does not fit a type.
#[derive(Debug)]
pub struct InvalidJson(serde_json::Error);

impl fmt::Display for InvalidJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for InvalidJson {}

impl From<serde_json::Error> for InvalidJson {
    fn from(error: serde_json::Error) -> Self {
        Self(error)
    }
}

/// Drops the white space between tokens.
fn compact(text: &str) -> Box<str> {
    let mut inside_string = false;
    let mut escaped = false;
    let mut is_space = |byte: u8| {
        if inside_string {
            if escaped {
                escaped = false;
            } else if byte == b'\\' {
                escaped = true;
            } else if byte == b'"' {
                inside_string = false;
            }
            return false;
        }
        inside_string = byte == b'"';
        matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
    };
    let mut kept = Vec::with_capacity(text.len());
    kept.extend(text.bytes().filter(|byte| !is_space(*byte)));
    // Only ASCII bytes between tokens were dropped, so the text is still UTF-8; if that were not so the text as it came
    // is kept.
    match String::from_utf8(kept) {
        Ok(kept) => kept.into(),
        Err(_) => text.into(),
    }
}
