//! From the bytes of a text to its lines and columns.

use k8s_flowcontrol_text::Position;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The distance of the bytes before which characters are counted once.
const STRIDE: usize = 4096;

/// The lines of a text: finds the line and column of a byte without a search from the start, even in a text of one line.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The first byte of each line.
    starts: Vec<usize>,
    /// The number of characters before every [`STRIDE`]th byte.
    counts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub fn of(text: &[u8]) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
        let mut total = 0;
        let counts = text.chunks(STRIDE).map(|chunk| {
            let before = total;
            total += characters(chunk);
            before
        });
        Self {
            counts: counts.collect(),
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
        let has_mark =
            start == 0 && offset >= BYTE_ORDER_MARK.len() && text.starts_with(BYTE_ORDER_MARK);
        let before = self.characters(text, offset) - self.characters(text, start);
        Position {
            column: 1 + before - usize::from(has_mark),
            line,
        }
    }

    /// The number of characters before a byte.
    fn characters(&self, text: &[u8], offset: usize) -> usize {
        let known = self.counts.get(offset / STRIDE).copied();
        match known {
            Some(known) => known + characters(&text[offset / STRIDE * STRIDE..offset]),
            // The end of a text that is a multiple of the stride.
            None => {
                let last = self.counts.len().saturating_sub(1);
                self.counts
                    .last()
                    .map_or(0, |known| known + characters(&text[last * STRIDE..offset]))
            }
        }
    }
}

/// The number of characters. Bytes that continue a UTF-8 sequence are part of the character before them.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// The text without its byte order mark.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}
