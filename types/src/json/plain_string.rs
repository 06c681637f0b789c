//! Searching eight bytes at a time.

/// The index of the first quote, escape or control character at or after `at`.
#[inline]
pub(super) fn plain_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(word) = bytes.get(end..)?.first_chunk() {
        let special = special(u64::from_le_bytes(*word));
        if special != 0 {
            return Some(end + special.trailing_zeros() as usize / 8);
        }
        end += 8;
    }
    last_plain_string_end(bytes, end)
}

/// The same among the last bytes.
#[cold]
fn last_plain_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut rest = bytes.get(at..)?.iter();
    let end = rest.position(|byte| matches!(byte, b'"' | b'\\' | 0..b' '))?;
    Some(at + end)
}

/// The high bits of the bytes that are quotes, escapes or control characters; the lowest one is right, those above it
/// may be too many.
#[inline]
fn special(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    let is_below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word;
    let is = |byte: u8| is_below(word ^ (ONES * u64::from(byte)), 1);
    (is_below(word, b' ') | is(b'"') | is(b'\\')) & (ONES * 0x80)
}
