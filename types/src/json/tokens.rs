//! Strings, numbers and values that are not interpreted.

use super::compact::compact_value_end;
use super::plain_string::plain_string_end;
use super::{Fault, RawJson, Reader};
use serde::de::{Deserialize, DeserializeOwned};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The space for a string with escapes, in bytes.
const LONG: usize = 512;

impl<'a> Reader<'a> {
    pub(super) fn literal(&mut self, literal: &str) -> bool {
        let found = self.rest().starts_with(literal);
        if found {
            self.mark.at += literal.len();
        }
        found
    }

    /// `true` or `false`.
    pub fn bool(&mut self) -> Result<bool, Fault> {
        match self.peek() {
            b't' if self.literal("true") => Ok(true),
            b'f' if self.literal("false") => Ok(false),
            _ => self.by_serde_json(),
        }
    }

    /// The next value, if it is an integer that fits the type. Otherwise nothing is read.
    pub(super) fn small_integer<T: TryFrom<i64>>(&mut self) -> Option<T> {
        self.peek();
        let start = self.mark.at;
        let value = self.integer()?.try_into().ok();
        if value.is_none() {
            self.mark.at = start;
        }
        value
    }

    /// The next value, if it is an integer of at most 18 digits without fraction and exponent.
    pub fn integer(&mut self) -> Option<i64> {
        let minus = self.peek() == b'-';
        let start = self.mark.at + usize::from(minus);
        let bytes = self.text.as_bytes().get(start..)?;
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
        let (mut value, mut length) = (0, 0);
        for digit in digits.take(18) {
            value = value * 10 + i64::from(digit - b'0');
            length += 1;
        }
        let is_plain = match (length, bytes.first()) {
            (1, Some(b'0')) => !minus,
            (1..=18, first) => first != Some(&b'0'),
            _ => false,
        };
        if !is_plain || matches!(bytes.get(length), Some(b'0'..=b'9' | b'.' | b'e' | b'E')) {
            return None;
        }
        self.mark.at = start + length;
        Some(if minus { -value } else { value })
    }

    pub(super) fn number(&mut self) -> Result<&'a str, Fault> {
        match self.peek() {
            b'-' | b'0'..=b'9' => self.raw().map(RawValue::get),
            _ => Err(self.mismatch(&"a number")),
        }
    }

    /// A string, without its quotes and escapes.
    pub fn string(&mut self, expected: &dyn fmt::Display) -> Result<Cow<'a, str>, Fault> {
        match self.plain_string() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.odd_string(expected),
        }
    }

    /// The next string, if it is written without escapes.
    #[inline]
    pub(super) fn plain_string(&mut self) -> Option<&'a str> {
        if self.peek() != b'"' {
            return None;
        }
        let bytes = self.text.as_bytes();
        let start = self.mark.at + 1;
        let end = plain_string_end(bytes, start)?;
        if bytes[end] != b'"' {
            return None;
        }
        self.mark.at = end + 1;
        self.text.get(start..end)
    }

    #[cold]
    pub(super) fn odd_string(
        &mut self,
        expected: &dyn fmt::Display,
    ) -> Result<Cow<'a, str>, Fault> {
        if self.peek() != b'"' {
            return Err(self.mismatch(expected));
        }
        match self.escaped_string() {
            Some(text) => Ok(Cow::Owned(text)),
            None => self.by_serde_json().map(Cow::Owned),
        }
    }

    /// The next string, if all of its escapes are a backslash and one character.
    fn escaped_string(&mut self) -> Option<String> {
        let bytes = self.text.as_bytes();
        let mut at = self.mark.at + 1;
        // A text in a text has many escapes, and growing with each of them takes longer than reading them.
        let mut text = String::with_capacity(bytes.len().saturating_sub(at).min(LONG));
        loop {
            let end = plain_string_end(bytes, at)?;
            text.push_str(self.text.get(at..end)?);
            match bytes[end] {
                b'"' => {
                    self.mark.at = end + 1;
                    text.shrink_to(2 * text.len());
                    return Some(text);
                }
                b'\\' => {}
                // A control character, which is an error.
                _ => return None,
            }
            text.push(match bytes.get(end + 1)? {
                escaped @ (b'"' | b'\\' | b'/') => char::from(*escaped),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                _ => return None,
            });
            at = end + 2;
        }
    }

    /// The text of the next value.
    pub fn raw(&mut self) -> Result<&'a RawValue, Fault> {
        self.peek();
        let mut deserializer = serde_json::Deserializer::from_str(self.rest());
        let raw = <&RawValue>::deserialize(&mut deserializer)
            .map_err(|error| Fault::from_json(self.mark.at, &error))?;
        self.mark.at += raw.get().len();
        Ok(raw)
    }

    /// The next value, to be kept.
    pub fn raw_json(&mut self) -> Result<RawJson, Fault> {
        let raw = match self.compact() {
            Some(text) => RawJson::from_compact(text),
            None => self.raw().map(RawJson::from)?,
        };
        if raw.as_str() == "[]" {
            self.mark.default_end = self.mark.at;
        }
        Ok(raw)
    }

    /// Skips the next value.
    pub fn skip(&mut self) -> Result<(), Fault> {
        match self.compact() {
            Some(_) => Ok(()),
            None => self.raw().map(drop),
        }
    }

    /// The next value, if it is compact and plain.
    fn compact(&mut self) -> Option<&'a str> {
        self.peek();
        let rest = self.rest();
        let text = rest.get(..compact_value_end(rest.as_bytes())?)?;
        self.mark.at += text.len();
        Some(text)
    }

    /// Reads the next value by serde_json.
    pub fn by_serde_json<T: DeserializeOwned>(&mut self) -> Result<T, Fault> {
        let raw = self.raw()?;
        let start = self.mark.at - raw.get().len();
        serde_json::from_str(raw.get()).map_err(|error| Fault::from_json(start, &error))
    }
}
