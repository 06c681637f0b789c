//! The fields of a JSON object in a document, scanned up to the first list or object among them.

use k8s_flowcontrol_types::json::string_end;

/// The position within fields.
#[derive(Debug, Default)]
pub(super) struct Fields {
    place: Place,
    is_escaped: bool,
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
    /// The end of the object.
    Object,
    /// A bracket that begins a list or an object.
    Nested(u8),
    /// The text is not JSON here, or ends too early.
    Broken,
}

impl Fields {
    /// The length of the fields in `bytes`, with the bracket that ends the object, or without the one that begins another; and the
    /// end, unless the fields go on behind these bytes.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, Option<End>) {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if let Place::Name | Place::Text = self.place {
                let Some(length) = string_length(&bytes[at..], &mut self.is_escaped) else {
                    return (bytes.len(), None);
                };
                self.place = match self.place {
                    Place::Name => Place::Colon,
                    _ => Place::Between,
                };
                at += length;
                continue;
            }
            self.place = match (self.place, byte) {
                (Place::Scalar, byte) if byte.is_ascii_whitespace() => Place::Between,
                (place, byte) if byte.is_ascii_whitespace() => place,
                (Place::Between, b'"') => Place::Name,
                (Place::Between | Place::Scalar, b',') => Place::Between,
                (Place::Between | Place::Scalar, b'}') => return (at + 1, Some(End::Object)),
                (Place::Colon, b':') => Place::Value,
                (Place::Value, b'"') => Place::Text,
                (Place::Value, b'{' | b'[') => return (at, Some(End::Nested(*byte))),
                (Place::Value | Place::Scalar, byte) if is_scalar(*byte) => Place::Scalar,
                _ => return (at, Some(End::Broken)),
            };
            at += 1;
        }
        (at, None)
    }
}

/// Whether a byte can be in a number or a literal.
fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
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
