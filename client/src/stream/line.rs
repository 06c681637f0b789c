//! Lines from chunks of any size, without I/O.

use crate::error::{Error, ErrorKind};
use bytes::Bytes;
use std::fmt;

/// The default maximum length of a line, and so of a watch event: 16 MiB.
///
/// Stored objects are smaller than 2 MiB. Encoding and `managedFields` enlarge them by less than ten times.
pub const DEFAULT_MAX_LINE: usize = 16 * 1024 * 1024;

/// Splits a stream of bytes into lines, for chunks of any size.
///
/// Lines end in `\n` or `\r\n`. Empty lines are skipped. The decoder holds at most one unfinished line and the last chunk, and
/// copies only lines that span several chunks.
///
/// ```
/// use k8s_flowcontrol::watch::LineDecoder;
///
/// let mut lines = LineDecoder::new(1024);
/// lines.push(b"{\"a\":1}\r\n\n{\"b\"");
/// assert_eq!(lines.next_line()?, Some(&b"{\"a\":1}"[..]));
/// assert_eq!(lines.next_line()?, None);
/// lines.push(b":2}");
/// assert_eq!(lines.finish(), Some(&b"{\"b\":2}"[..]));
/// # Ok::<(), k8s_flowcontrol::watch::LineTooLong>(())
/// ```
#[derive(Clone)]
pub struct LineDecoder {
    /// The beginning of a line, from earlier chunks.
    begun: Vec<u8>,
    /// Whether `begun` was returned as a complete line, and can be dropped.
    returned: bool,
    chunk: Bytes,
    /// The position in the chunk.
    at: usize,
    max_line: usize,
    keeps_empty: bool,
}

impl LineDecoder {
    /// A decoder for lines of at most `max_line` bytes, not counting the line end.
    pub fn new(max_line: usize) -> Self {
        Self {
            begun: Vec::new(),
            returned: false,
            chunk: Bytes::new(),
            at: 0,
            max_line,
            keeps_empty: false,
        }
    }

    /// A decoder that returns empty lines, too.
    pub(crate) fn keeping_empty(max_line: usize) -> Self {
        Self {
            keeps_empty: true,
            ..Self::new(max_line)
        }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.push_chunk(Bytes::copy_from_slice(bytes));
    }

    /// Adds the next bytes of the stream without copying them.
    pub(crate) fn push_chunk(&mut self, chunk: Bytes) {
        let rest = &self.chunk[self.at..];
        self.chunk = if rest.is_empty() {
            chunk
        } else {
            [rest, &chunk].concat().into()
        };
        self.at = 0;
    }

    /// The next complete line without its end; `None` if more bytes are needed.
    ///
    /// # Errors
    /// [`LineTooLong`] if the line, complete or not, is longer than the limit.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, LineTooLong> {
        self.drop_returned();
        loop {
            let Some(length) = memchr::memchr(b'\n', &self.chunk[self.at..]) else {
                self.keep_rest();
                // One more byte may be the `\r` of a line end.
                return if self.begun.len() > self.max_line.saturating_add(1) {
                    Err(self.too_long())
                } else {
                    Ok(None)
                };
            };
            let (start, end) = (self.at, self.at + length);
            self.at = end + 1;
            if !self.begun.is_empty() {
                self.begun.extend_from_slice(&self.chunk[start..end]);
                self.returned = true;
            }
            let line = if self.returned {
                &self.begun
            } else {
                &self.chunk[start..end]
            };
            let length = without_return(line).len();
            if length > self.max_line {
                return Err(self.too_long());
            }
            match (length, self.returned) {
                (0, _) if !self.keeps_empty => self.drop_returned(),
                (_, true) => return Ok(Some(&self.begun[..length])),
                (_, false) => return Ok(Some(&self.chunk[start..start + length])),
            }
        }
    }

    /// The last line without a line end, after the end of the stream. It may be one byte longer than the limit: the first byte of
    /// a line end that never came.
    pub fn finish(&mut self) -> Option<&[u8]> {
        self.drop_returned();
        self.keep_rest();
        let rest = without_return(&self.begun);
        (!rest.is_empty()).then_some(rest)
    }

    fn drop_returned(&mut self) {
        if std::mem::take(&mut self.returned) {
            self.begun.clear();
            // Releases the memory of a long line.
            self.begun.shrink_to(1024 * 1024);
        }
    }

    fn keep_rest(&mut self) {
        self.begun.extend_from_slice(&self.chunk[self.at..]);
        self.chunk = Bytes::new();
        self.at = 0;
    }

    fn too_long(&self) -> LineTooLong {
        LineTooLong {
            limit: self.max_line,
        }
    }
}

impl fmt::Debug for LineDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineDecoder")
            .field("waiting", &(self.begun.len() + self.chunk.len() - self.at))
            .field("max_line", &self.max_line)
            .finish()
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line that is longer than the decoder's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineTooLong {
    limit: usize,
}

impl LineTooLong {
    /// The limit in bytes.
    pub fn limit(self) -> usize {
        self.limit
    }

    pub(super) fn into_error(self, what: &'static str, setting: &'static str) -> Error {
        let limit = self.limit;
        Error::new(ErrorKind::TooLong {
            what,
            limit,
            setting,
        })
        .with_source(self)
    }
}

impl fmt::Display for LineTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a line is longer than {} bytes", self.limit)
    }
}

impl std::error::Error for LineTooLong {}
