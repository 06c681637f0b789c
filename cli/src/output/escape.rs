//! Text from objects, files, servers and logs, made safe for a terminal.
//!
//! kubectl writes ESC as `^[` and a carriage return as `\r`, so these two look the same here. The other characters that can
//! change what a reader sees are escaped too: all other control characters, in 7 and 8 bits, the line separators of Unicode,
//! and the characters that reverse the direction of text.

use std::borrow::Cow;

/// The text with every unsafe character in a visible form. Line breaks and tabs stay.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    escape_with(text, is_unsafe)
}

/// The text in one line, with every unsafe character, line break and tab in a visible form: a value cannot look like a
/// separate line.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escape_with(text, |c| is_unsafe(c) || matches!(c, '\n' | '\t'))
}

fn escape_with(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&is_escaped) else {
        return Cow::Borrowed(text);
    };
    let mut escaped = text[..first].to_owned();
    for c in text[first..].chars() {
        if is_escaped(c) {
            push_visible(&mut escaped, c);
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

fn is_unsafe(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Line separators, and the marks, embeddings, overrides and isolates of bidirectional text.
        '\u{2028}' | '\u{2029}' => true,
        '\u{061c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// Adds the visible form of a character: that of kubectl, caret notation for other ASCII characters, and JSON's notation for
/// the rest.
fn push_visible(text: &mut String, c: char) {
    match c {
        '\r' => text.push_str("\\r"),
        '\n' => text.push_str("\\n"),
        '\t' => text.push_str("\\t"),
        '\0'..='\x1f' => text.extend(['^', char::from(c as u8 ^ 0x40)]),
        '\x7f' => text.push_str("^?"),
        c => text.push_str(&format!("\\u{:04x}", u32::from(c))),
    }
}
