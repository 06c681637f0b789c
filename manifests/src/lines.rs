//! From the bytes of a text to its lines and columns.

use k8s_flowcontrol_text::Position;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The lines of a text: finds the line and column of a byte without a search from the start.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The first byte of each line.
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub fn of(text: &[u8]) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
        Self {
            starts: std::iter::once(0).chain(breaks).collect(),
        }
    }

    /// The line and column of a byte of the same text, both counted from 1; columns count characters. A byte order mark
    /// does not count as a column, and an offset after the end counts as the end.
    pub fn position(&self, text: &[u8], offset: usize) -> Position {
        let offset = offset.min(text.len());
        // The first line starts at 0, so at least one line starts at or before the offset.
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let before = without_mark(text.get(start..offset).unwrap_or_default());
        Position {
            column: Position::of(before, before.len()).column,
            line,
        }
    }
}

/// The text without its byte order mark.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters() {
        let text = "\u{feff}aü\nb".as_bytes();
        let lines = Lines::of(text);
        let at = |offset| {
            let position = lines.position(text, offset);
            (position.line, position.column)
        };
        assert_eq!([at(3), at(4), at(6)], [(1, 1), (1, 2), (1, 3)]);
        assert_eq!([at(7), at(8), at(99)], [(2, 1), (2, 2), (2, 2)]);
    }
}
