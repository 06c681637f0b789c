//! Names of fields, ready to be found in JSON text.

/// The name of a field on the wire.
///
/// It is compared with JSON text eight bytes at a time, together with the quote and colon that follow it there.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    text: &'static str,
    /// The first bytes of the name, its quote and its colon, at most eight.
    start: u64,
    /// The bits of these bytes.
    mask: u64,
    /// The last eight bytes, if there are more than eight.
    end: u64,
}

/// The quote and the colon.
const BEHIND: &[u8] = b"\":";

impl Name {
    /// A name of the table of a type.
    pub const fn new(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let length = bytes.len() + BEHIND.len();
        let (mut start, mut mask, mut end) = (0, 0, 0);
        let mut is_plain = true;
        let mut at = 0;
        while at < length {
            let byte = match at < bytes.len() {
                true => {
                    is_plain &= bytes[at] != b'"' && bytes[at] != b'\\' && bytes[at] >= b' ';
                    bytes[at]
                }
                false => BEHIND[at - bytes.len()],
            };
            if at < 8 {
                start |= (byte as u64) << (8 * at);
                mask |= 0xff << (8 * at);
            }
            if length > 8 && at >= length - 8 {
                end |= (byte as u64) << (8 * (at + 8 - length));
            }
            at += 1;
        }
        // A name that JSON escapes is found by the slow way only: no text has this start.
        if !is_plain {
            (start, mask) = (u64::MAX, u64::MAX);
        }
        Self {
            text,
            start,
            mask,
            end,
        }
    }

    /// The name.
    pub(crate) const fn as_str(&self) -> &'static str {
        self.text
    }

    /// The length of the name with its quote and colon.
    pub(crate) const fn length(&self) -> usize {
        self.text.len() + BEHIND.len()
    }

    /// A number that differs for most lists of names. The lowest bits are zero, so that it can be combined with places.
    pub(crate) const fn hash(names: &[Self]) -> u64 {
        let mut hash = names.len() as u64;
        let mut index = 0;
        while index < names.len() {
            hash = (hash ^ names[index].start).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 32;
            index += 1;
        }
        hash << 8
    }

    /// Whether `text`, whose first eight bytes are `word`, begins with the name, its quote and its colon.
    #[inline]
    pub(crate) fn begins(&self, text: &[u8], word: u64) -> bool {
        (word ^ self.start) & self.mask == 0 && (self.length() <= 8 || self.goes_on(text))
    }

    /// The same for the bytes behind the first eight.
    #[inline]
    fn goes_on(&self, text: &[u8]) -> bool {
        let end = self.length() - 8;
        let word = text.get(end..).and_then(<[u8]>::first_chunk);
        word.is_some_and(|word| u64::from_le_bytes(*word) == self.end)
            && (end <= 8 || self.has_middle(text, end))
    }

    #[inline(never)]
    fn has_middle(&self, text: &[u8], end: usize) -> bool {
        text.get(8..end) == self.text.as_bytes().get(8..end)
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn names_are_found_with_their_quote_and_colon() {
        let name = "terminationGracePeriodSeconds";
        for length in 0..name.len() {
            let name = &name[..length];
            let text = format!("{name}\":12345678");
            let begins = |name: &'static str| {
                let word = u64::from_le_bytes(*text.as_bytes().first_chunk().unwrap());
                Name::new(name).begins(text.as_bytes(), word)
            };
            assert!(begins(name.to_owned().leak()), "{name}");
            for other in 0..length {
                let mut other_name = name.to_owned().into_bytes();
                other_name[other] = b'X';
                let other_name = String::from_utf8(other_name).unwrap();
                assert!(!begins(other_name.leak()), "{name} {other}");
            }
            assert!(!begins(format!("{name}s").leak()), "{name}");
            assert!(!begins(name[..length.saturating_sub(1)].to_owned().leak()) || length == 0);
        }
    }

    #[test]
    fn a_name_with_a_quote_is_not_found_in_other_text() {
        let text = b"a\":true,\"b\":1";
        let word = u64::from_le_bytes(*text.first_chunk().unwrap());
        assert!(Name::new("a").begins(text, word));
        assert!(!Name::new("a\":true,\"b").begins(text, word));
    }
}
