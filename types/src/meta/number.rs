//! Numbers that are not known to be integers.

use crate::json::{Fault, RawJson, ReadJson, Reader, WriteJson, Writer};
use crate::rt::v1::scalars;
use std::fmt;

/// A JSON number that keeps its text: `0`, `0.0` and `18446744073709551616` are written unchanged.
///
/// ```
/// use k8s_flowcontrol_types::meta::Number;
///
/// let number: Number = serde_json::from_str("1.50")?;
/// assert_eq!(number.as_f64(), 1.5);
/// assert_eq!(serde_json::to_string(&number)?, "1.50");
/// assert_eq!(Number::from(3).as_str(), "3");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(RawJson);

impl Number {
    /// The number `value`; `None` for infinities and NaN, which JSON cannot represent.
    pub fn from_f64(value: f64) -> Option<Self> {
        let text = value.is_finite().then(|| RawJson::from_value(&value).ok());
        text.flatten().map(Self)
    }

    /// The nearest `f64`.
    pub fn as_f64(&self) -> f64 {
        // JSON numbers are Rust's too.
        self.0.as_str().parse().unwrap_or_default()
    }

    /// The number as JSON text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// The number `0`.
impl Default for Number {
    fn default() -> Self {
        Self::from(0)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        // An integer always has a JSON form.
        Self(RawJson::from_value(&value).unwrap_or_default())
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

scalars! { Number Number, }

impl ReadJson for Number {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        let raw = reader.raw_json()?;
        match raw.as_str().as_bytes().first() {
            Some(b'-' | b'0'..=b'9') => {
                *self = Self(raw);
                Ok(())
            }
            _ => Err(reader.fault(format!("expected a number, found {raw}"))),
        }
    }
}

impl WriteJson for Number {
    fn write_json(&self, writer: &mut Writer) {
        self.0.write_json(writer);
    }
}

crate::__serde_by_json!(Number);
