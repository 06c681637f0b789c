//! A JSON document of any length over many lines, cut into its records.
//!
//! Responses of clouds are one document with all entries: an array, or an object with lists such as `events` or `entries`. Only one entry
//! at a time is kept.

use super::envelope::Columns;
use super::source::Source;
use std::io::{self, BufRead};

/// The fields whose lists hold entries, or objects with such lists.
const LISTS: [&[u8]; 14] = [
    b"Records",
    b"data",
    b"entries",
    b"events",
    b"hits",
    b"items",
    b"logEvents",
    b"records",
    b"result",
    b"results",
    b"rows",
    b"streams",
    b"tables",
    b"values",
];
/// The most bytes of an entry.
pub(super) const LIMIT: u64 = 64 << 20;

/// The most nested lists and objects that hold entries.
const MOST_LEVELS: usize = 16;

/// The position in a document.
#[derive(Debug, Default)]
pub(super) struct Document {
    open: Vec<Level>,
    /// The columns of the table that is open.
    columns: Option<Columns>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// An array of entries.
    Array,
    /// An object, of which a list was found.
    Object,
}

/// A step through a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An entry of a list.
    Entry,
    /// An object without a list of entries, which is the whole document.
    Whole,
    /// An entry that is longer than any event.
    TooLong,
    /// The text is not JSON here, or ends too early.
    Broken,
    End,
}

impl Document {
    /// The columns of the rows.
    pub(super) fn columns(&self) -> Option<&Columns> {
        self.columns.as_ref()
    }

    /// Begins a document.
    pub(super) fn begin<R: BufRead>(
        &mut self,
        input: &mut Source<R>,
        text: &mut Vec<u8>,
    ) -> io::Result<Step> {
        self.open.clear();
        self.columns = None;
        text.clear();
        match input.peek()? {
            Some(b'[') => {
                input.bump();
                self.open.push(Level::Array);
                self.next(input, text)
            }
            Some(b'{') => Ok(match self.object(input, text)? {
                Step::Entry if self.open.is_empty() => Step::Whole,
                step => step,
            }),
            _ => Ok(Step::Broken),
        }
    }

    /// Reads the next entry into `text`.
    pub(super) fn next<R: BufRead>(
        &mut self,
        input: &mut Source<R>,
        text: &mut Vec<u8>,
    ) -> io::Result<Step> {
        text.clear();
        loop {
            let Some(level) = self.open.last().copied() else {
                return Ok(Step::End);
            };
            let Some(byte) = input.peek()? else {
                return Ok(Step::Broken);
            };
            match (level, byte) {
                (_, b',') => input.bump(),
                (Level::Array, b']') | (Level::Object, b'}') => {
                    input.bump();
                    self.open.pop();
                }
                (Level::Array, b'{') => return self.object(input, text),
                (Level::Array, b'}' | b':') => return Ok(Step::Broken),
                (Level::Array, _) => return self.value(input, text),
                (Level::Object, b'"') => {
                    if let Some(step) = self.field(input, text, false)? {
                        return Ok(step);
                    }
                    text.clear();
                }
                (Level::Object, _) => return Ok(Step::Broken),
            }
        }
    }

    /// Reads an object as an entry, unless one of its fields is a list of entries.
    fn object<R: BufRead>(
        &mut self,
        input: &mut Source<R>,
        text: &mut Vec<u8>,
    ) -> io::Result<Step> {
        input.bump();
        text.push(b'{');
        loop {
            match input.peek()? {
                Some(b'}') => {
                    input.bump();
                    text.push(b'}');
                    return Ok(Step::Entry);
                }
                Some(b',') => {
                    input.bump();
                    text.push(b',');
                }
                Some(b'"') => {
                    if let Some(step) = self.field(input, text, true)? {
                        return Ok(step);
                    }
                }
                _ => return Ok(Step::Broken),
            }
        }
    }

    /// Reads a field. A list of entries is entered, and its first entry or a problem is returned.
    fn field<R: BufRead>(
        &mut self,
        input: &mut Source<R>,
        text: &mut Vec<u8>,
        is_kept: bool,
    ) -> io::Result<Option<Step>> {
        let start = text.len();
        if !copy_value(input, text)? {
            return Ok(Some(Step::Broken));
        }
        let name = text[start..].trim_ascii();
        let name = name
            .get(1..name.len().saturating_sub(1))
            .unwrap_or_default();
        let (is_list, is_columns) = (LISTS.contains(&name), name == b"columns");
        if input.peek()? != Some(b':') {
            return Ok(Some(Step::Broken));
        }
        input.bump();
        text.push(b':');
        let next = input.peek()?;
        if is_list && matches!(next, Some(b'[' | b'{')) && self.open.len() < MOST_LEVELS {
            text.clear();
            // The rest of a skipped object is read by `next`.
            self.open.push(Level::Object);
            return Ok(Some(match next {
                Some(b'{') => self.object(input, text)?,
                _ => {
                    input.bump();
                    self.open.push(Level::Array);
                    self.next(input, text)?
                }
            }));
        }
        let start = text.len();
        match self.value(input, text)? {
            Step::Entry => {}
            Step::TooLong if !is_kept => {}
            step => return Ok(Some(step)),
        }
        if is_columns {
            let columns = std::str::from_utf8(&text[start..]).ok();
            self.columns = columns.and_then(Columns::of_json);
        }
        Ok(None)
    }

    /// Appends any value.
    fn value<R: BufRead>(&self, input: &mut Source<R>, text: &mut Vec<u8>) -> io::Result<Step> {
        Ok(match copy_value(input, text)? {
            false => Step::Broken,
            true if text.len() as u64 >= LIMIT => Step::TooLong,
            true => Step::Entry,
        })
    }
}

/// Appends a value, as far as it is not longer than any event; `false` if the input ends in it, or if there is none.
fn copy_value<R: BufRead>(input: &mut Source<R>, text: &mut Vec<u8>) -> io::Result<bool> {
    let mut scan = Scan::default();
    let mut length = 0;
    while !scan.is_at_end {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            // A number does not have its own end.
            return Ok(length > 0 && scan.depth == 0 && !scan.is_string);
        }
        let taken = scan.value(bytes);
        let breaks = memchr::memchr_iter(b'\n', &bytes[..taken]).count();
        let room = LIMIT.saturating_sub(text.len() as u64);
        let kept = taken.min(usize::try_from(room).unwrap_or(usize::MAX));
        text.extend_from_slice(&bytes[..kept]);
        length += taken;
        input.take_bytes(taken, breaks);
    }
    Ok(length > 0)
}

/// The position within a value.
#[derive(Debug, Default)]
struct Scan {
    depth: u64,
    is_string: bool,
    is_escaped: bool,
    is_at_end: bool,
}

impl Scan {
    /// The bytes that belong to the value. Each kind of byte has its own loop, because most bytes decide nothing.
    fn value(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && !self.is_at_end {
            at += match self.is_string {
                true => self.string(&bytes[at..]),
                false => self.structure(&bytes[at..]),
            };
        }
        at
    }

    /// The bytes up to the end of a string.
    fn string(&mut self, bytes: &[u8]) -> usize {
        let mut at = usize::from(std::mem::take(&mut self.is_escaped));
        loop {
            let Some(special) = quote_or_backslash(bytes, at) else {
                return bytes.len();
            };
            if bytes[special] == b'"' {
                self.is_string = false;
                self.is_at_end = self.depth == 0;
                return special + 1;
            }
            at = special + 2;
            if at > bytes.len() {
                self.is_escaped = true;
                return bytes.len();
            }
        }
    }

    /// The bytes up to the begin of a string, to a bracket, or to the end of a number or of a literal.
    fn structure(&mut self, bytes: &[u8]) -> usize {
        if self.depth > 0 {
            let special = bytes
                .iter()
                .position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'));
            let Some(at) = special else {
                return bytes.len();
            };
            match bytes[at] {
                b'"' => self.is_string = true,
                b'{' | b'[' => self.depth += 1,
                _ => {
                    self.depth -= 1;
                    self.is_at_end = self.depth == 0;
                }
            }
            return at + 1;
        }
        match bytes.first() {
            Some(b'"') => self.is_string = true,
            Some(b'{' | b'[') => self.depth += 1,
            Some(b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n') => {
                self.is_at_end = true;
                return 0;
            }
            _ => {}
        }
        1
    }
}

/// The index of the first quote or backslash at or after `at`. Eight bytes are looked at together: a text in a string has an escape for
/// every few bytes.
fn quote_or_backslash(bytes: &[u8], at: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    let is = |word: u64, byte: u8| {
        let word = word ^ (ONES * u64::from(byte));
        word.wrapping_sub(ONES) & !word
    };
    let mut at = at;
    while let Some(word) = bytes.get(at..)?.first_chunk() {
        let word = u64::from_le_bytes(*word);
        // The lowest bit is right, those above it may be too many.
        let found = (is(word, b'"') | is(word, b'\\')) & (ONES * 0x80);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let mut rest = bytes.get(at..)?.iter();
    let found = rest.position(|byte| matches!(byte, b'"' | b'\\'))?;
    Some(at + found)
}
