//! Percent escapes in URLs, with the errors of Go's `net/url`.

use std::borrow::Cow;

/// Decodes percent escapes, and `+` in a query; `None` if an escape is malformed.
pub fn decode(text: &str, plus_is_space: bool) -> Option<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Some(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                digits.iter().try_fold(0, |value, digit| {
                    Some(value << 4 | char::from(*digit).to_digit(16)? as u8)
                })?
            }
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    Some(Cow::Owned(match String::from_utf8(decoded) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}
