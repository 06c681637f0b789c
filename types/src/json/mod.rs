//! Reads types from JSON text and writes them as JSON text. Every other format is read and written through JSON.
//!
//! The types also implement serde's traits. Those implementations use this module: they make JSON text of the data that a
//! deserializer gives and read it with these functions, or write the text and hand its values on. The functions themselves
//! are faster, and compile once instead of once for each type.
//!
//! ```
//! use k8s_flowcontrol_types::{json, List};
//! use k8s_flowcontrol_types::api::v1::FlowSchema;
//!
//! let text = r#"{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}],"new":1.50}"#;
//! let list: List<FlowSchema> = json::from_str(text)?;
//! assert_eq!(list, serde_json::from_str(text)?);
//! assert_eq!(json::to_string(&list), serde_json::to_string(&list)?);
//!
//! let error = json::from_str::<FlowSchema>("{\"spec\":\n {\"rules\": 5}}").unwrap_err();
//! assert_eq!(error.to_string(), "spec.rules: invalid type: integer `5`, expected a JSON array at line 2 column 12");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! serde's other formats work too, and so do `#[serde(flatten)]` and untagged and internally tagged enums. The table shows
//! the result when a field that the type does not know is written and read:
//!
#![doc = include_str!("formats.md")]
//!
//! Field names that are numbers or booleans in such a format are read as text. TOML's dates have to be strings.
//!
//! An error of `serde_json::from_str` names the same line and column, counted from the first character of the value:
//! for a value inside a structure of the caller, or behind white space, only these functions know the whole text.

mod compact;
mod fault;
mod field_predictor;
mod name;
mod plain_string;
mod raw_json;
mod reader;
mod same_value;
mod shared_json;
mod through;
mod tokens;
mod transcode;
mod values;
mod writer;

#[doc(hidden)]
pub use self::{
    fault::Fault,
    field_predictor::FieldPredictor,
    name::Name,
    plain_string::string_end,
    reader::{Mark, Reader},
    transcode::{deserialize, serialize},
    writer::Writer,
};
use field_predictor::Predictor;
pub use raw_json::{InvalidJson, RawJson};
pub(crate) use shared_json::SharedJson;
pub(crate) use values::{Elements, read_elements};

#[doc(hidden)]
pub use serde;
use serde::de::Error as _;
use serde_json::{Error, Value};

/// A value that can be read from JSON text.
pub trait ReadJson: Default {
    /// Whether the default is written as `null`.
    #[doc(hidden)]
    const HOLDS_NULL: bool = false;

    /// Reads the next value into `self`, which holds the default. A `null` has been handled before.
    ///
    /// # Errors
    /// The text is not JSON, or does not fit the type.
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault>;
}

/// A value that can be written as JSON text.
pub trait WriteJson {
    /// Writes the value.
    fn write_json(&self, writer: &mut Writer);
}

/// Reads a value from JSON text.
///
/// # Errors
/// The text is not exactly one JSON value, or does not fit the type; the error has its line and column, and the path of the field.
pub fn from_str<T: ReadJson>(text: &str) -> Result<T, Error> {
    let mut value = T::default();
    read_whole(text, |reader| read(&mut value, reader))?;
    Ok(value)
}

fn read<T: ReadJson>(value: &mut T, reader: &mut Reader<'_>) -> Result<(), Fault> {
    match T::HOLDS_NULL {
        true => reader.value(value),
        false => value.read_json(reader),
    }
}

/// Reads a value from JSON text in bytes.
///
/// # Errors
/// The bytes are not UTF-8, or [`from_str`] fails.
pub fn from_slice<T: ReadJson>(bytes: &[u8]) -> Result<T, Error> {
    from_str(utf8(bytes)?)
}

/// Reads a value from a tree.
///
/// # Errors
/// The tree does not fit the type; the error has the path of the field.
pub fn from_value<T: ReadJson>(tree: &Value) -> Result<T, Error> {
    let text = tree.to_string();
    let mut value = T::default();
    // A tree does not have lines.
    read(&mut value, &mut Reader::new(&text)).map_err(|fault| Error::custom(fault.with_path()))?;
    Ok(value)
}

/// Writes a value as compact JSON text.
pub fn to_string<T: WriteJson + ?Sized>(value: &T) -> String {
    let mut writer = Writer::default();
    value.write_json(&mut writer);
    writer.into_text()
}

/// Writes a value as compact JSON text in bytes.
pub fn to_vec<T: WriteJson + ?Sized>(value: &T) -> Vec<u8> {
    to_string(value).into_bytes()
}

/// Writes a value as a tree.
///
/// # Errors
/// A field that the type does not know has a value that a tree cannot represent: a number such as `1e400`, or more than 128
/// levels of nesting. The text of [`to_string`] can hold both.
pub fn to_value<T: WriteJson + ?Sized>(value: &T) -> Result<Value, Error> {
    to_string(value).parse()
}

/// The text of `bytes`.
///
/// # Errors
/// The bytes are not UTF-8; the error has the line and column of the first wrong one.
#[doc(hidden)]
pub fn utf8(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        Fault::new(valid.len(), "invalid unicode code point").into_positioned(&valid)
    })
}

/// Reads the whole text with `read`, after which nothing may be left.
///
/// # Errors
/// `read` fails, or leaves text behind the value.
#[doc(hidden)]
pub fn read_whole<'a, T>(
    text: &'a str,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, Fault>,
) -> Result<T, Error> {
    let mut reader = Reader::new(text);
    let value = read(&mut reader);
    end(value, &mut reader)
}

/// The same for a text that is like those before it: the predictor learned from them, and learns from this one.
///
/// # Errors
/// As of [`read_whole`].
#[doc(hidden)]
pub fn read_whole_like<'a, T>(
    text: &'a str,
    predictor: &'a mut FieldPredictor,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, Fault>,
) -> Result<T, Error> {
    let mut reader = Reader::with_predictor(text, Predictor::Lent(predictor));
    let value = read(&mut reader);
    end(value, &mut reader)
}

fn end<T>(value: Result<T, Fault>, reader: &mut Reader<'_>) -> Result<T, Error> {
    match value {
        Ok(value) if reader.is_at_end() => Ok(value),
        Ok(_) => Err(reader.fault("trailing characters").into_error(reader.text)),
        Err(fault) => Err(fault.into_error(reader.text)),
    }
}
