//! JSON that is kept, not interpreted.

use super::same_value::same_value;
use crate::rt::json::is_compact;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;

/// A JSON value kept as text: compact, with its numbers, duplicate members and member order as they came.
///
/// Two values are equal when they mean the same: member order and the spelling of numbers and strings
/// do not count (`1.50` equals `15e-1`). What is nested deeper than 128 levels is compared as text.
///
/// It reads and writes through `serde_json` only.
///
/// ```
/// use k8s_flowcontrol_types::meta::RawJson;
///
/// let value: RawJson = serde_json::from_str(r#"{ "n": 12345678901234567890123, "t": 1.50 }"#)?;
/// assert_eq!(value.as_str(), r#"{"n":12345678901234567890123,"t":1.50}"#);
/// assert_eq!(value, RawJson::parse(r#"{"t":15e-1,"n":12345678901234567890123}"#).unwrap());
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
    /// [`InvalidJson`] when the value has no JSON form, such as a map with keys that are no strings.
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

    /// Takes JSON that was found to be one compact value.
    pub(crate) fn from_compact(text: &str) -> Self {
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
        if is_compact(raw.get()) {
            Self(raw.into())
        } else {
            Self(compact(raw.get()))
        }
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self(compact(raw.get()))
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        same_value(&self.0, &other.0)
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

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // serde_json takes raw text from its own type only, and that reads it.
        serde_json::from_str::<&RawValue>(&self.0)
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

/// Text that is not JSON, or JSON that does not fit a type.
#[derive(Debug)]
pub struct InvalidJson(serde_json::Error);

impl fmt::Display for InvalidJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for InvalidJson {}

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
