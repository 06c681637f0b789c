//! The fields of a JSON object in a document, scanned up to the first list or object among them.

use k8s_flowcontrol_types::json::string_end;

/// The most bytes of a name that are kept. The names that a document is searched for fit, with the closing quote.
const NAME: usize = 16;

/// The position within fields.
#[derive(Debug, Default)]
pub(super) struct FieldScan {
    place: Place,
    is_escaped: bool,
    /// The beginning of the last name, and its whole length with the closing quote.
    name: ([u8; NAME], usize),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before a name, a comma or the end of the object.
    #[default]
    Between,
    Name,
    Colon,
    /// Before a value.
    Value,
    /// In a string that is a value.
    Text,
    /// In a number or a literal.
    Scalar,
}

/// The end of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Object,
    /// A bracket that begins a list or an object.
    Nested(u8),
    /// The text is not JSON here, or ends too early.
    Broken,
}

impl FieldScan {
    /// The last name with its escapes; empty if it is too long.
    pub(super) fn name(&self) -> &[u8] {
        let (name, length) = &self.name;
        name.get(..length.saturating_sub(1)).unwrap_or_default()
    }

    /// Keeps a part of a name.
    fn keep(&mut self, bytes: &[u8]) {
        let (name, length) = &mut self.name;
        let room = name.get_mut(*length..).unwrap_or_default();
        for (to, from) in room.iter_mut().zip(bytes) {
            *to = *from;
        }
        *length += bytes.len();
    }

    /// The length of the fields in `bytes`, with the bracket that ends the object, or without the bracket of a nested value; and the
    /// end, unless the fields go on behind these bytes.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, Option<End>) {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if let Place::Name | Place::Text = self.place {
                let length = string_length(&bytes[at..], &mut self.is_escaped);
                let string = &bytes[at..length.map_or(bytes.len(), |length| at + length)];
                let next = match self.place {
                    Place::Name => {
                        self.keep(string);
                        Place::Colon
                    }
                    _ => Place::Between,
                };
                if length.is_none() {
                    return (bytes.len(), None);
                }
                self.place = next;
                at += string.len();
                continue;
            }
            self.place = match (self.place, byte) {
                (Place::Scalar, byte) if byte.is_ascii_whitespace() => Place::Between,
                (place, byte) if byte.is_ascii_whitespace() => place,
                (Place::Between, b'"') => {
                    self.name.1 = 0;
                    Place::Name
                }
                (Place::Between | Place::Scalar, b',') => Place::Between,
                (Place::Between | Place::Scalar, b'}') => return (at + 1, Some(End::Object)),
                (Place::Colon, b':') => Place::Value,
                // Damage before a value is damage of its entry alone.
                (Place::Value | Place::Scalar, b'"') => Place::Text,
                (Place::Value | Place::Scalar, b'{' | b'[') => {
                    return (at, Some(End::Nested(*byte)));
                }
                (Place::Colon | Place::Between, _) | (_, b'}' | b']' | b',' | b':') => {
                    return (at, Some(End::Broken));
                }
                // The parser of the entry decides whether it is a number or a literal.
                _ => Place::Scalar,
            };
            at += 1;
        }
        (at, None)
    }
}

/// The length of a string with its closing quote; `None` if the string goes on behind these bytes. `is_escaped` is for the first byte,
/// and then for the first one behind them.
pub(super) fn string_length(bytes: &[u8], is_escaped: &mut bool) -> Option<usize> {
    let start = usize::from(std::mem::take(is_escaped));
    let end = string_end(bytes, start);
    if end.is_none() {
        let rest = bytes.get(start..).unwrap_or_default().iter();
        let backslashes = rest.rev().take_while(|byte| **byte == b'\\').count();
        *is_escaped = backslashes % 2 == 1;
    }
    Some(end? + 1)
}
