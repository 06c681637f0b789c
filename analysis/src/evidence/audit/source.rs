//! The bytes of a log, of which some were read ahead, with the number of the line.

use std::io::{self, BufRead, Read};

/// The bytes of a log.
pub(super) struct Source<R> {
    /// Bytes that were read, and are read again.
    ahead: Vec<u8>,
    at: usize,
    input: R,
    /// The number of line breaks so far.
    lines: u64,
    /// Whether nothing but white space was read since the last line break.
    pub(super) is_at_line_start: bool,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            ahead: Vec::new(),
            at: 0,
            input,
            lines: 0,
            is_at_line_start: true,
        }
    }

    /// The number of the line at the position, from 1.
    pub(super) fn line(&self) -> u64 {
        self.lines + 1
    }

    /// Appends a line with its line break, but at most `limit` bytes.
    pub(super) fn read_line(&mut self, text: &mut Vec<u8>, limit: u64) -> io::Result<()> {
        let start = text.len();
        let mut room = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut is_whole = false;
        while !is_whole && room > 0 {
            let bytes = match self.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            if bytes.is_empty() {
                break;
            }
            let bytes = &bytes[..bytes.len().min(room)];
            let end = memchr::memchr(b'\n', bytes);
            let length = end.map_or(bytes.len(), |end| end + 1);
            text.extend_from_slice(&bytes[..length]);
            is_whole = end.is_some();
            room -= length;
            self.consume(length);
        }
        self.lines += u64::from(is_whole);
        self.is_at_line_start = is_whole || text.len() == start;
        Ok(())
    }

    pub(super) fn skip_line(&mut self) -> io::Result<()> {
        if self.skip_until(b'\n')? > 0 {
            self.lines += 1;
        }
        self.is_at_line_start = true;
        Ok(())
    }

    /// Makes bytes the next ones to be read, with the line breaks in them.
    pub(super) fn unread(&mut self, bytes: &mut Vec<u8>) {
        debug_assert!(self.at == self.ahead.len(), "bytes are unread only once");
        self.lines -= memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.is_at_line_start = true;
        self.ahead.clear();
        std::mem::swap(&mut self.ahead, bytes);
        self.at = 0;
    }

    /// The next byte that is not white space, which is not consumed.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let bytes = self.fill_buf()?;
            match bytes.first() {
                None => return Ok(None),
                Some(byte) if !byte.is_ascii_whitespace() => return Ok(Some(*byte)),
                Some(_) => {}
            }
            let space = bytes.iter().take_while(|byte| byte.is_ascii_whitespace());
            let length = space.count();
            let next = bytes.get(length).copied();
            let breaks = memchr::memchr_iter(b'\n', &bytes[..length]).count();
            self.lines += breaks as u64;
            self.is_at_line_start |= breaks > 0;
            self.consume(length);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Consumes the byte that [`peek`](Self::peek) returned.
    pub(super) fn bump(&mut self) {
        self.is_at_line_start = false;
        self.consume(1);
    }

    /// Moves bytes of the buffer into a text, as far as it does not become longer than `limit`.
    pub(super) fn take_into(
        &mut self,
        length: usize,
        text: &mut Vec<u8>,
        limit: u64,
    ) -> io::Result<()> {
        let was_at_line_start = self.is_at_line_start;
        let bytes = self.fill_buf()?.get(..length).unwrap_or_default();
        let room = limit.saturating_sub(text.len() as u64);
        let kept = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        text.extend_from_slice(&bytes[..kept]);
        let breaks = memchr::memchr_iter(b'\n', bytes).count();
        let is_at_line_start = match memchr::memrchr(b'\n', bytes) {
            Some(last) => bytes[last..].trim_ascii().is_empty(),
            None => was_at_line_start && bytes.trim_ascii().is_empty(),
        };
        self.lines += breaks as u64;
        self.is_at_line_start = is_at_line_start;
        self.consume(length);
        Ok(())
    }
}

impl<R: BufRead> Read for Source<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let length = bytes.len().min(into.len());
        into[..length].copy_from_slice(&bytes[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.at < self.ahead.len() {
            true => Ok(&self.ahead[self.at..]),
            false => self.input.fill_buf(),
        }
    }

    fn consume(&mut self, length: usize) {
        match self.at < self.ahead.len() {
            true => self.at += length,
            false => self.input.consume(length),
        }
    }
}
