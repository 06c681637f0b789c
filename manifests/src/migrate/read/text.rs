//! The text of a file without its byte order mark, addressed by lines.

use crate::cut::floor;
use k8s_flowcontrol_text::Span;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The maximum number of bytes of a line in which its first word begins and ends.
const MAX_INDENTATION: usize = 1_000;

pub(in crate::migrate) struct Text<'a> {
    pub(in crate::migrate) text: &'a str,
    /// The length of the byte order mark.
    pub(in crate::migrate) mark: usize,
    /// The places of all line feeds.
    breaks: Vec<usize>,
}

impl<'a> Text<'a> {
    pub(in crate::migrate) fn new(text: &'a str) -> Self {
        let rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        Self {
            text: rest,
            mark: text.len() - rest.len(),
            breaks: memchr::memchr_iter(b'\n', rest.as_bytes()).collect(),
        }
    }

    pub(in crate::migrate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    pub(in crate::migrate) fn line_break(&self) -> &'static str {
        match self.breaks.first() {
            Some(at) if self.text[..*at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// The line of a byte, counted from 1.
    pub(in crate::migrate) fn line(&self, offset: usize) -> usize {
        self.breaks.partition_point(|at| *at < offset) + 1
    }

    /// The start of the line that contains a byte.
    pub(in crate::migrate) fn line_start(&self, offset: usize) -> usize {
        let before = self.breaks.partition_point(|at| *at < offset);
        before
            .checked_sub(1)
            .map_or(0, |last| self.breaks[last] + 1)
    }

    /// The beginning of the line that contains a byte, behind its indentation and up to the byte. A line that is indented by more than
    /// [`MAX_INDENTATION`] bytes has none.
    pub(in crate::migrate) fn indented(&self, offset: usize) -> &'a str {
        let start = self.line_start(offset);
        let line = &self.text[start..floor(self.text, offset.min(start + MAX_INDENTATION))];
        line.trim_start()
    }

    /// The end of the line that contains a byte, without its line break.
    pub(in crate::migrate) fn line_end(&self, offset: usize) -> usize {
        let next = self.breaks.partition_point(|at| *at < offset);
        let end = self.breaks.get(next).copied().unwrap_or(self.text.len());
        let line = &self.text[offset..end];
        end - usize::from(line.ends_with('\r'))
    }
}
