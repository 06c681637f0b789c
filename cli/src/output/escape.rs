//! Text from objects, files, servers and logs: made safe for a terminal, and broken into its lines.

use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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

/// The lines of `text`, each at most `width` columns wide. A line ends after a character of `breaks`; a longer piece
/// is broken anywhere.
pub(super) fn wrap(text: &str, width: usize, breaks: &[char]) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for piece in text.split_inclusive(breaks) {
        let needed = piece.trim_end().width();
        if used > 0 && used + needed > width {
            lines.push(String::new());
            used = 0;
        }
        for char in piece.chars() {
            let columns = char.width().unwrap_or_default();
            if used + columns > width && char != ' ' {
                lines.push(String::new());
                used = 0;
            }
            if let Some(line) = lines.last_mut() {
                line.push(char);
            }
            used += columns;
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

/// The width of the longest piece that [`wrap`] keeps together.
pub(super) fn longest_piece(text: &str, breaks: &[char]) -> usize {
    let pieces = text.split_inclusive(breaks);
    let widths = pieces.map(|piece| piece.trim_end().width());
    widths.max().unwrap_or_default()
}
