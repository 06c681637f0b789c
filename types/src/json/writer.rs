//! JSON text, written piece by piece.

use super::WriteJson;
use super::plain_string::plain_string_end;
use std::fmt;

/// Compact JSON text, written from front to back.
#[derive(Default)]
pub struct Writer {
    text: String,
    /// Inside an object that is written without required fields that have their default.
    pub(crate) partial: bool,
}

/// The length only: the text may contain secrets.
impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Writer");
        shown
            .field("length", &self.text.len())
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// The text so far.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Whether nothing is written yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The bytes written so far.
    pub(crate) fn length(&self) -> usize {
        self.text.len()
    }

    /// Takes back all but the first `length` bytes, which end before a comma.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
    }

    /// Writes text that is JSON already.
    pub fn raw(&mut self, json: &str) {
        self.text.push_str(json);
    }

    /// Writes a value whose display form is JSON, such as an integer.
    pub fn display(&mut self, json: impl fmt::Display) {
        use fmt::Write as _;
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{json}");
    }

    /// Writes a string.
    pub fn string(&mut self, value: &str) {
        self.text.push('"');
        let mut rest = value;
        while let Some(index) = plain_string_end(rest.as_bytes(), 0) {
            let (plain, special) = rest.split_at(index);
            self.text.push_str(plain);
            let mut characters = special.chars();
            self.escape(characters.next().unwrap_or_default());
            rest = characters.as_str();
        }
        self.text.push_str(rest);
        self.text.push('"');
    }

    fn escape(&mut self, special: char) {
        self.text.push('\\');
        match special {
            '"' | '\\' => self.text.push(special),
            '\u{8}' => self.text.push('b'),
            '\u{c}' => self.text.push('f'),
            '\n' => self.text.push('n'),
            '\r' => self.text.push('r'),
            '\t' => self.text.push('t'),
            control => self.display(format_args!("u{:04x}", u32::from(control))),
        }
    }

    /// A field of the open object.
    pub fn field(&mut self, name: &str, value: &(impl WriteJson + ?Sized)) {
        self.name(name);
        value.write_json(self);
    }

    /// The name of a field of the open object.
    pub(crate) fn name(&mut self, name: &str) {
        if !self.text.ends_with('{') {
            self.text.push(',');
        }
        self.string(name);
        self.text.push(':');
    }

    /// A field of the open object that is `null`.
    pub(crate) fn null_field(&mut self, name: &str) {
        self.name(name);
        self.raw("null");
    }

    /// Writes an object with the fields that `fields` writes.
    pub fn object(&mut self, fields: impl FnOnce(&mut Self)) {
        self.open_object();
        fields(self);
        self.close_object();
    }

    pub(crate) fn open_object(&mut self) {
        self.text.push('{');
    }

    pub(crate) fn close_object(&mut self) {
        self.text.push('}');
    }

    /// Writes an array of `length` elements, each with `element`.
    pub fn array(&mut self, length: usize, element: &mut dyn FnMut(usize, &mut Self)) {
        self.text.push('[');
        for index in 0..length {
            if index > 0 {
                self.text.push(',');
            }
            element(index, self);
        }
        self.text.push(']');
    }
}
