//! Names of fields, ready to be found in JSON text.

/// The name of a field on the wire, without characters that JSON escapes. Made by [`name!`](crate::rt::v1::name).
///
/// It is compared with JSON text eight bytes at a time, together with the quote and colon that follow it there.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The name.
    pub text: &'static str,
    /// The name, its quote and its colon, and spaces, so that there are at least eight bytes.
    pub padded: &'static str,
}

/// The name of a field. Joining literals takes the compiler much less time than evaluating a function for each of them.
#[doc(hidden)]
#[macro_export]
macro_rules! __name {
    ($name:literal) => {
        $crate::rt::v1::Name {
            text: $name,
            padded: concat!($name, "\":      "),
        }
    };
}

impl Name {
    /// The length of the name with its quote and colon.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.text.len() + 2
    }

    /// A number that differs for most lists of names. The lowest bits are zero, so that it can be combined with places.
    pub(crate) const fn hash(names: &[Self]) -> u64 {
        let mut hash = names.len() as u64;
        let mut index = 0;
        while index < names.len() {
            let bytes = names[index].padded.as_bytes();
            hash = hash << 16 ^ hash >> 48 ^ (bytes[0] as u64) << 8 ^ bytes.len() as u64;
            index += 1;
        }
        hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) << 8
    }

    /// Whether `text`, whose first eight bytes are `word`, begins with the name, its quote and its colon.
    #[inline]
    pub(crate) fn begins(&self, text: &[u8], word: u64) -> bool {
        let length = self.length();
        let behind = 8usize.saturating_sub(length);
        word_at(self.padded.as_bytes(), 0).is_some_and(|start| (word ^ start) << (8 * behind) == 0)
            && (length <= 8 || self.goes_on(text, length - 8))
    }

    /// The same for the last eight bytes, which begin at `end`, and for those before them.
    #[inline]
    fn goes_on(&self, text: &[u8], end: usize) -> bool {
        let padded = self.padded.as_bytes();
        word_at(text, end).is_some_and(|word| Some(word) == word_at(padded, end))
            && (end <= 8 || text.get(8..end) == padded.get(8..end))
    }
}

/// Eight bytes of the text as a word.
#[inline]
pub(super) fn word_at(text: &[u8], at: usize) -> Option<u64> {
    let bytes = text.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}
