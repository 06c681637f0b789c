//! Skipping compact JSON, which is how servers write it.

use super::plain_string::plain_string_end;

/// The end of the JSON value at the start of `bytes`, if it is compact and made of plain tokens.
///
/// After `None` the text may still be JSON, and serde_json has to read it. serde_json accepts every value accepted here.
pub(super) fn compact_value_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut open = Open::default();
    loop {
        match bytes.get(at)? {
            b'{' => {
                at += 1;
                if bytes.get(at)? != &b'}' {
                    at = name_end(bytes, at)?;
                    open.push(true)?;
                    continue;
                }
                at += 1;
            }
            b'[' => {
                at += 1;
                if bytes.get(at)? != &b']' {
                    open.push(false)?;
                    continue;
                }
                at += 1;
            }
            b'"' => at = string_end(bytes, at)?,
            b'-' | b'0'..=b'9' => at = number_end(bytes, at)?,
            b't' => at = literal_end(bytes, at, b"true")?,
            b'f' => at = literal_end(bytes, at, b"false")?,
            b'n' => at = literal_end(bytes, at, b"null")?,
            _ => return None,
        }
        // After a value.
        loop {
            let Some(is_object) = open.last() else {
                return Some(at);
            };
            match (bytes.get(at)?, is_object) {
                (b',', true) => {
                    at = name_end(bytes, at + 1)?;
                    break;
                }
                (b',', false) => {
                    at += 1;
                    break;
                }
                (b'}', true) | (b']', false) => {
                    at += 1;
                    open.pop();
                }
                _ => return None,
            }
        }
    }
}

/// The open objects (`true`) and arrays, of which there are at most 63.
#[derive(Default)]
struct Open {
    /// Their bits, the innermost lowest.
    bits: u64,
    count: u32,
}

impl Open {
    fn push(&mut self, is_object: bool) -> Option<()> {
        self.bits = self.bits << 1 | u64::from(is_object);
        self.count += 1;
        (self.count < u64::BITS).then_some(())
    }

    fn pop(&mut self) {
        self.bits >>= 1;
        self.count -= 1;
    }

    fn last(&self) -> Option<bool> {
        (self.count > 0).then_some(self.bits & 1 == 1)
    }
}

/// The end of a field's name and its colon.
pub(super) fn name_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = string_end(bytes, at)?;
    (bytes.get(end)? == &b':').then_some(end + 1)
}

#[inline]
pub(super) fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at)? != &b'"' {
        return None;
    }
    let end = plain_string_end(bytes, at + 1)?;
    match bytes[end] {
        b'"' => Some(end + 1),
        _ => escaped_string_end(bytes, end),
    }
}

/// The end of a string whose first escape or control character is at `at`.
#[cold]
fn escaped_string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes[at] {
            b'"' => return Some(at + 1),
            b'\\' => match bytes.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                _ => return None,
            },
            _ => return None,
        }
        at = plain_string_end(bytes, at)?;
    }
}

/// The end of an integer. Numbers with a fraction or an exponent are left to serde_json.
fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(bytes[at] == b'-');
    let mut end = start;
    while bytes.get(end)?.is_ascii_digit() {
        end += 1;
    }
    let is_plain = match end - start {
        0 => false,
        1 => true,
        _ => bytes[start] != b'0',
    };
    (is_plain && !matches!(bytes[end], b'.' | b'e' | b'E')).then_some(end)
}

fn literal_end(bytes: &[u8], at: usize, literal: &[u8]) -> Option<usize> {
    bytes
        .get(at..)?
        .starts_with(literal)
        .then_some(at + literal.len())
}
