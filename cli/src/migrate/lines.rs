//! Bytes to lines and columns, for many places of one text.

use k8s_flowcontrol_text::Position;

/// Where the lines of a text begin.
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a [u8]) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(breaks).collect(),
        }
    }

    /// The place of a byte. A byte order mark is no column.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let before = &self.text[start..offset];
        let before = before.strip_prefix("\u{feff}".as_bytes()).unwrap_or(before);
        // Bytes that continue a UTF-8 sequence are part of the character before them.
        let characters = before.iter().filter(|byte| **byte & 0xC0 != 0x80);
        Position {
            line,
            column: 1 + characters.count(),
        }
    }
}
