//! Reading and writing JSON text without the generic way through serde.
//!
//! The client and the rules read and write text only, so here is what does just that: compiled once, not once for
//! each type and format, values read in their place, and strings taken from the text. Types also have serde's
//! traits; both ways know the same members and give the same values.

mod compact;
mod fault;
mod object;
mod reader;
mod values;
mod words;
mod writer;

pub use fault::Fault;
pub use object::{read_object, write_object};
pub use reader::Reader;
pub use writer::Writer;

/// A value that JSON text is read into.
pub trait ReadJson: Default {
    /// Reads the next value into `self`, which is its zero. The value is not `null`, unless that means something.
    ///
    /// # Errors
    /// The text is no JSON or does not fit.
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault>;
}

/// A value that is written as JSON text.
pub trait WriteJson {
    /// Writes the value.
    fn write_json(&self, writer: &mut Writer);
}

/// Reads a whole text.
///
/// # Errors
/// The text is not exactly one JSON value, or does not fit; with line and column.
pub fn from_str<T: ReadJson>(text: &str) -> Result<T, serde_json::Error> {
    let mut value = T::default();
    read_whole(text, |reader| value.read_json(reader))?;
    Ok(value)
}

/// Reads a whole text, which is UTF-8 if it is JSON.
///
/// # Errors
/// Those of [`from_str`].
pub fn from_slice<T: ReadJson>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    from_str(utf8(bytes)?)
}

pub fn utf8(bytes: &[u8]) -> Result<&str, serde_json::Error> {
    std::str::from_utf8(bytes).map_err(|error| {
        // What is UTF-8 ends where the fault is.
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        Fault::new(valid.len(), "invalid unicode code point").into_positioned(&valid)
    })
}

/// Lets `read` read the text, and nothing may be left.
pub fn read_whole<'a, T>(
    text: &'a str,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, Fault>,
) -> Result<T, serde_json::Error> {
    let mut reader = Reader::new(text);
    match read(&mut reader) {
        Ok(value) if reader.is_at_end() => Ok(value),
        Ok(_) => Err(reader.fault("trailing characters").into_error(text)),
        Err(fault) => Err(fault.into_error(text)),
    }
}

/// The value as compact JSON text.
pub fn to_string(value: &(impl WriteJson + ?Sized)) -> String {
    let mut writer = Writer::default();
    value.write_json(&mut writer);
    writer.into_text()
}

/// Whether a JSON value is known to have no white space between its tokens.
pub fn is_compact(value: &str) -> bool {
    compact::compact_value_end(value.as_bytes()) == Some(value.len())
}

/// The value as a tree.
///
/// # Errors
/// An unknown member holds a number that no tree can, such as `1e400`.
pub fn to_tree(value: &(impl WriteJson + ?Sized)) -> Result<serde_json::Value, serde_json::Error> {
    serde_json::from_str(&to_string(value))
}

/// The value that a tree describes.
///
/// # Errors
/// The tree does not fit.
pub fn from_tree<T: ReadJson>(tree: &serde_json::Value) -> Result<T, serde_json::Error> {
    from_str(&tree.to_string())
}
