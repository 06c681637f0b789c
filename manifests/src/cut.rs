//! Cutting texts at the boundaries of characters, and behind the characters of a word.

/// The last boundary of a character at or before a byte.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The first boundary of a character at or after a byte.
pub(crate) fn ceil(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The characters with which a text begins, up to the first character that is not part of a word.
pub(crate) fn leading(text: &str, is_part: impl Fn(char) -> bool) -> &str {
    let rest = text.trim_start_matches(is_part);
    &text[..text.len() - rest.len()]
}

/// The letters and digits with which a text begins.
pub(crate) fn leading_word(text: &str) -> &str {
    leading(text, |next| next.is_ascii_alphanumeric())
}
