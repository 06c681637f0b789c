//! A JSON document of any length over many lines, cut into its records.
//!
//! Responses of clouds are one document with all entries: an array, or an object with lists such as `events` or `entries`. Only one entry
//! at a time is kept.

use super::envelope::Columns;
use super::fields::{End, FieldScan, string_length};
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
    pub(super) columns: Option<Columns>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// An array of entries.
    Array,
    /// An object, of which a list was found.
    Object,
}

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

/// The end of the fields that were read.
enum Fields {
    /// The end of the object.
    End,
    /// A list of entries, which is open now. It may have none: its caller goes on, not this call, as a document has any number of them.
    Entered,
    /// An entry, or a problem.
    Step(Step),
}

impl Document {
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
            Some(b'{') => match self.object(input, text)? {
                Some(Step::Entry) if self.open.is_empty() => Ok(Step::Whole),
                Some(step) => Ok(step),
                None => self.next(input, text),
            },
            _ => Ok(Step::Broken),
        }
    }

    /// Reads the next entry into `text`.
    pub(super) fn next<R: BufRead>(
        &mut self,
        input: &mut Source<R>,
        text: &mut Vec<u8>,
    ) -> io::Result<Step> {
        loop {
            text.clear();
            let Some(level) = self.open.last().copied() else {
                return Ok(Step::End);
            };
            let Some(byte) = input.peek()? else {
                return Ok(Step::Broken);
            };
            let step = match (level, byte) {
                (_, b',') => {
                    input.bump();
                    None
                }
                (Level::Array, b']') | (Level::Object, b'}') => {
                    input.bump();
                    self.open.pop();
                    None
                }
                (Level::Array, b'{') => self.object(input, text)?,
                (Level::Array, b'}' | b':') => Some(Step::Broken),
                (Level::Array, _) => Some(self.value(input, text)?),
                (Level::Object, b'"') => match self.fields(input, text, true)? {
                    Fields::Step(step) => Some(step),
                    Fields::Entered => None,
                    Fields::End => {
                        self.open.pop();
                        None
                    }
                },
                (Level::Object, _) => Some(Step::Broken),
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// Reads an object as an entry; `None` if a field is a list of entries, which is open then.
    fn object<R: BufRead>(
        &mut self,
        input: &mut Source<R>,
        text: &mut Vec<u8>,
    ) -> io::Result<Option<Step>> {
        input.bump();
        text.push(b'{');
        Ok(match self.fields(input, text, false)? {
            Fields::Step(step) => Some(step),
            Fields::Entered => None,
            Fields::End => Some(entry(text)),
        })
    }

    /// Reads the fields of an object to its end, or to a list of entries. In an object of which a list was entered, all other fields are
    /// skipped.
    fn fields<R: BufRead>(
        &mut self,
        input: &mut Source<R>,
        text: &mut Vec<u8>,
        is_entered: bool,
    ) -> io::Result<Fields> {
        loop {
            if is_entered {
                text.clear();
            }
            let mut scan = FieldScan::default();
            let bracket = match copy_fields(&mut scan, input, text)? {
                End::Object => return Ok(Fields::End),
                End::Nested(bracket) => bracket,
                End::Broken => return Ok(Fields::Step(Step::Broken)),
            };
            if LISTS.contains(&scan.name()) && self.open.len() < MOST_LEVELS {
                text.clear();
                if !is_entered {
                    // The rest of the object is read by `next`.
                    self.open.push(Level::Object);
                }
                if bracket == b'{' {
                    let step = self.object(input, text)?;
                    return Ok(step.map_or(Fields::Entered, Fields::Step));
                }
                input.bump();
                self.open.push(Level::Array);
                return Ok(Fields::Entered);
            }
            let start = text.len();
            if !copy_value(input, text)? {
                return Ok(Fields::Step(Step::Broken));
            }
            if scan.name() == b"columns" {
                let columns = std::str::from_utf8(&text[start..]).ok();
                self.columns = columns.and_then(Columns::of_json);
            }
        }
    }

    /// Appends any value.
    fn value<R: BufRead>(&self, input: &mut Source<R>, text: &mut Vec<u8>) -> io::Result<Step> {
        Ok(match copy_value(input, text)? {
            false => Step::Broken,
            true => entry(text),
        })
    }
}

/// The step to a whole entry.
fn entry(text: &[u8]) -> Step {
    match text.len() as u64 >= LIMIT {
        true => Step::TooLong,
        false => Step::Entry,
    }
}

/// Appends fields up to the end of their object, or up to an object or a list among them.
fn copy_fields<R: BufRead>(
    fields: &mut FieldScan,
    input: &mut Source<R>,
    text: &mut Vec<u8>,
) -> io::Result<End> {
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(End::Broken);
        }
        let (length, end) = fields.scan(bytes);
        input.take_into(length, text, LIMIT)?;
        if let Some(end) = end {
            return Ok(end);
        }
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
        length += taken;
        input.take_into(taken, text, LIMIT)?;
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
        let Some(length) = string_length(bytes, &mut self.is_escaped) else {
            return bytes.len();
        };
        self.is_string = false;
        self.is_at_end = self.depth == 0;
        length
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
