//! A text with its name, and the line and column of each of its bytes.

use k8s_flowcontrol_text::Position;
use std::sync::OnceLock;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A text with its name.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path as given or found; `-` for the standard input.
    pub(crate) name: String,
    /// The bytes, unchanged.
    pub(crate) text: Vec<u8>,
    /// Whether the user named this file; files found in a folder are not named.
    pub(crate) is_named: bool,
    /// The first byte of each line, computed on first use.
    lines: OnceLock<Vec<usize>>,
}

impl Source {
    pub(crate) fn new(name: String, text: Vec<u8>, is_named: bool) -> Self {
        Self {
            name,
            text,
            is_named,
            lines: OnceLock::new(),
        }
    }

    /// The line and column of a byte, both counted from 1. A byte order mark does not count as a column.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let lines = self.lines.get_or_init(|| {
            let breaks = memchr::memchr_iter(b'\n', &self.text).map(|at| at + 1);
            std::iter::once(0).chain(breaks).collect()
        });
        let offset = offset.min(self.text.len());
        // The first line starts at 0, so at least one line starts at or before the offset.
        let line = lines.partition_point(|start| *start <= offset).max(1);
        let start = lines.get(line - 1).copied().unwrap_or_default();
        let before = without_mark(&self.text[start..offset]);
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
        let source = Source::new("x".into(), "\u{feff}aü\nb".into(), true);
        let at = |offset| {
            let position = source.position(offset);
            (position.line, position.column)
        };
        assert_eq!([at(3), at(4), at(6)], [(1, 1), (1, 2), (1, 3)]);
        assert_eq!([at(7), at(8), at(99)], [(2, 1), (2, 2), (2, 2)]);
    }
}
