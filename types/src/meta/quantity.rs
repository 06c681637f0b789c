//! Kubernetes quantities.

use super::RawJson;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// An amount with a suffix, such as `500m` or `2Gi`, kept as it came.
///
/// Text that is a JSON number on the wire stays one.
#[derive(Clone, PartialEq)]
pub struct Quantity(RawJson);

impl Quantity {
    pub(crate) fn json(&self) -> &str {
        self.0.as_str()
    }

    /// The amount as text, without quotes.
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_matches('"')
    }
}

/// The amount `"0"`.
impl Default for Quantity {
    fn default() -> Self {
        Self::from("0")
    }
}

impl From<&str> for Quantity {
    fn from(text: &str) -> Self {
        // A string always has a JSON form; were it otherwise, `null` would be sent and refused.
        Self(RawJson::from_value(text).unwrap_or_default())
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        match raw.as_str().as_bytes().first() {
            Some(b'"' | b'-' | b'0'..=b'9') => Ok(Self(raw)),
            _ => Err(serde::de::Error::custom(format_args!(
                "expected a quantity such as \"500m\" or a number, found {raw}"
            ))),
        }
    }
}
