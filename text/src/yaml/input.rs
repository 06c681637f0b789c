//! Decodes bytes into the scanner's text: encodings, and characters that YAML forbids.

use crate::SyntaxError;

/// The block size in bytes of the Kubernetes YAML parser, which reports an illegal character only when it has read the
/// character's block.
const BLOCK: usize = 512;

/// The legal part of a text, and the error that ends it.
pub(super) struct Input {
    pub(super) text: String,
    pub(super) error: Option<SyntaxError>,
}

/// Decodes UTF-8, or UTF-16 if the text starts with its byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Input {
    if let Err(error) = crate::error::check_length(bytes) {
        return Input {
            text: String::new(),
            error: Some(error),
        };
    }
    let mut input = match bytes {
        [0xFF, 0xFE, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            let mut input = decode_utf8(rest);
            // The mark stays in the text and the scanner starts after it, so that offsets refer to the original
            // bytes.
            input.text.insert(0, BYTE_ORDER_MARK);
            input
        }
        _ => decode_utf8(bytes),
    };
    // The Kubernetes YAML parser reads an empty text as an empty line.
    if bytes.is_empty() {
        input.text.push('\n');
    }
    input
}

pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

fn decode_utf8(bytes: &[u8]) -> Input {
    let (valid, mut error) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let end = error.valid_up_to();
            let message = utf8_error(&bytes[end..]);
            // `valid_up_to` ends a valid prefix, so this cannot fail.
            let text = std::str::from_utf8(&bytes[..end]).unwrap_or_default();
            (text, Some(SyntaxError::new(message.into(), end)))
        }
    };
    let mut text = valid;
    if let Some((at, _)) = valid
        .char_indices()
        .find(|(_, character)| !is_allowed(*character))
    {
        error = Some(SyntaxError::new(
            "control characters are not allowed".into(),
            at,
        ));
        text = &valid[..at];
    }
    Input {
        text: read_before_error(text, error.as_ref()).into(),
        error,
    }
}

/// The part of the text that the Kubernetes YAML parser reads before it reports the error.
fn read_before_error<'a>(text: &'a str, error: Option<&SyntaxError>) -> &'a str {
    let Some(error) = error else { return text };
    let mut end = (error.offset() / BLOCK * BLOCK).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn utf8_error(bytes: &[u8]) -> &'static str {
    let Some(first) = bytes.first() else {
        return "incomplete UTF-8 octet sequence";
    };
    let width = match first {
        0x00..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    if bytes.len() < width {
        return "incomplete UTF-8 octet sequence";
    }
    if bytes[1..width].iter().any(|byte| byte & 0xC0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    match (first, bytes[1]) {
        (0xC0 | 0xC1, _) | (0xE0, 0x80..=0x9F) | (0xF0, 0x80..=0x8F) => {
            "invalid length of a UTF-8 sequence"
        }
        _ => "invalid Unicode character",
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Input {
    let mut text = String::new();
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut error = None;
    for decoded in char::decode_utf16(units) {
        let message = match decoded {
            Ok(character) if is_allowed(character) => {
                text.push(character);
                continue;
            }
            Ok(_) => "control characters are not allowed",
            Err(surrogate) if surrogate.unpaired_surrogate() >= 0xDC00 => {
                "unexpected low surrogate area"
            }
            Err(_) => "expected low surrogate area",
        };
        error = Some(SyntaxError::new(message.into(), text.len()));
        break;
    }
    if error.is_none() && !bytes.len().is_multiple_of(2) {
        error = Some(SyntaxError::new(
            "incomplete UTF-16 character".into(),
            text.len(),
        ));
    }
    text.truncate(read_before_error(&text, error.as_ref()).len());
    Input { text, error }
}

fn is_allowed(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n'
            | '\r'
            | ' '..='~'
            | '\u{85}'
            | '\u{a0}'..='\u{d7ff}'
            | '\u{e000}'..='\u{fffd}'
            | '\u{10000}'..='\u{10ffff}'
    )
}
