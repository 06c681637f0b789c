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

/// The index of the first quote at or after `at` without a backslash that escapes it. A text that is a string in another has an escape
/// for every few bytes, so that they do not interrupt the search.
#[doc(hidden)]
pub fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(word) = bytes.get(at..)?.first_chunk() {
        let word = u64::from_le_bytes(*word);
        let (quotes, backslashes) = (equal(word, b'"'), equal(word, b'\\'));
        if backslashes & (backslashes << 8) != 0 {
            // A backslash may be escaped itself: on behind the first one.
            let first = backslashes.trailing_zeros();
            if quotes.trailing_zeros() < first {
                return Some(at + quotes.trailing_zeros() as usize / 8);
            }
            at += first as usize / 8 + 2;
            continue;
        }
        let ends = quotes & !(backslashes << 8);
        if ends != 0 {
            return Some(at + ends.trailing_zeros() as usize / 8);
        }
        // The last byte may escape the next one.
        at += 8 + (backslashes >> 63) as usize;
    }
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The high bits of the bytes that are equal to `byte`.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    const LOW: u64 = u64::MAX / 0xff * 0x7f;
    let word = word ^ (u64::MAX / 0xff * u64::from(byte));
    !(((word & LOW) + LOW) | word | LOW)
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
