//! A value that is an integer or a string.

use crate::json::{Fault, ReadJson, Reader, WriteJson, Writer};
use crate::rt::v1::scalars;
use std::fmt;

/// An integer or a string, such as a port number or a port name.
///
/// ```
/// use k8s_flowcontrol_types::meta::IntOrString;
///
/// let of = |percent: u32| IntOrString::from(format!("{percent}%"));
/// assert_eq!(of(25), IntOrString::from("25%"));
/// assert_eq!(IntOrString::from(80).to_string(), "80");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IntOrString {
    /// An integer.
    Int(i64),
    /// A string.
    String(String),
}

/// The integer 0.
impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl From<i64> for IntOrString {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<i32> for IntOrString {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<&str> for IntOrString {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for IntOrString {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::String(value) => value.fmt(f),
        }
    }
}

scalars! { IntOrString IntOrString, }

impl ReadJson for IntOrString {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        if reader.is_string() {
            *self = Self::String(reader.string(&"a string")?.into_owned());
            return Ok(());
        }
        let mut value = 0;
        value.read_json(reader)?;
        *self = Self::Int(value);
        Ok(())
    }
}

impl WriteJson for IntOrString {
    fn write_json(&self, writer: &mut Writer) {
        match self {
            Self::Int(value) => value.write_json(writer),
            Self::String(value) => value.write_json(writer),
        }
    }
}

crate::__serde_by_json!(IntOrString);
