//! Kubernetes quantities.

use crate::json::{Fault, RawJson, ReadJson, Reader, WriteJson, Writer};
use crate::rt::Field;
use crate::schema::Shape;
use std::fmt;

/// An amount with a suffix, such as `500m` or `2Gi`, kept as it came.
///
/// Text that is a JSON number on the wire stays one.
#[derive(Clone, PartialEq)]
pub struct Quantity(RawJson);

impl Quantity {
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

impl Field for Quantity {
    const SHAPE: Shape = Shape::Quantity;
}

impl ReadJson for Quantity {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        let raw = reader.raw_json()?;
        match raw.as_str().as_bytes().first() {
            Some(b'"' | b'-' | b'0'..=b'9') => {
                *self = Self(raw);
                Ok(())
            }
            _ => Err(reader.fault(format!(
                "expected a quantity such as \"500m\" or a number, found {raw}"
            ))),
        }
    }
}

impl WriteJson for Quantity {
    fn write_json(&self, writer: &mut Writer) {
        self.0.write_json(writer);
    }
}

crate::__serde_by_json!(Quantity);
