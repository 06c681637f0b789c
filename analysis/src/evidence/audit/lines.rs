//! The JSON values of a log: one a line, or spread over several lines.

use std::io::{self, BufRead, Read};

/// The most bytes of a JSON value.
const LIMIT: u64 = 64 << 20;

/// Reads JSON values from front to back.
pub(super) struct Values<R> {
    input: R,
    /// The number of the last line that was read.
    line: u64,
}

/// The next value, or a line that is not a value.
pub(super) enum Found {
    /// The text is in the buffer. The number is that of its first line.
    Value(u64),
    /// A line that is longer than any value.
    TooLong(u64),
    End,
}

impl<R: BufRead> Values<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, line: 0 }
    }

    /// Reads the next value into `text`.
    pub(super) fn next(&mut self, text: &mut Vec<u8>) -> io::Result<Found> {
        loop {
            text.clear();
            if !self.read_line(text)? {
                return Ok(Found::TooLong(self.line));
            }
            if text.is_empty() {
                return Ok(Found::End);
            }
            // A value over several lines begins with a bracket on its own line, and ends likewise.
            let end: &[u8] = match text.trim_ascii() {
                b"" => continue,
                b"{" => b"}",
                b"[" => b"]",
                _ => return Ok(Found::Value(self.line)),
            };
            return self.read_until(end, text);
        }
    }

    /// Reads the lines up to the line `end`.
    fn read_until(&mut self, end: &[u8], text: &mut Vec<u8>) -> io::Result<Found> {
        let first = self.line;
        loop {
            let start = text.len();
            if !self.read_line(text)? || text.len() as u64 >= LIMIT {
                return Ok(Found::TooLong(first));
            }
            let line = &text[start..];
            if line.is_empty() || line.trim_ascii_end() == end {
                return Ok(Found::Value(first));
            }
        }
    }

    /// Appends a line with its line break; nothing at the end. Of a line that is too long, the rest is skipped and `false` is
    /// returned.
    fn read_line(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        let start = text.len();
        self.input.by_ref().take(LIMIT).read_until(b'\n', text)?;
        let line = &text[start..];
        if line.is_empty() {
            return Ok(true);
        }
        self.line += 1;
        if (line.len() as u64) < LIMIT || line.ends_with(b"\n") {
            return Ok(true);
        }
        self.input.skip_until(b'\n')?;
        Ok(false)
    }
}
