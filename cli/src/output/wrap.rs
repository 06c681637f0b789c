//! Breaking text into lines for a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
