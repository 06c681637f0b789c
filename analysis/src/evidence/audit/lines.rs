//! The entries of a log: its lines, and the records of JSON documents over several lines.

use super::document::{Document, LIMIT, Step};
use super::envelope::{Columns, is_open};
use super::source::Source;
use std::io::{self, BufRead};

/// Reads the entries from front to back.
pub(super) struct Entries<R> {
    input: Source<R>,
    document: Document,
    is_in_document: bool,
}

/// The next entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The buffer has a line, or a JSON object over several lines. The number is that of its first line.
    Line(u64),
    /// The buffer has an entry of a list in a document over several lines.
    Element(u64),
    /// An entry that is longer than any event, or damaged.
    Broken(u64),
    End,
}

impl<R: BufRead> Entries<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: Source::new(input),
            document: Document::default(),
            is_in_document: false,
        }
    }

    /// The columns of the table that the last element is a row of.
    pub(super) fn columns(&self) -> Option<&Columns> {
        self.document.columns.as_ref()
    }

    /// Reads the next entry into `text`.
    pub(super) fn next(&mut self, text: &mut Vec<u8>) -> io::Result<Entry> {
        if self.is_in_document {
            let line = self.input.line();
            let step = self.document.next(&mut self.input, text)?;
            return match self.entry(step, line)? {
                Some(entry) => Ok(entry),
                None => self.next_line(text),
            };
        }
        self.next_line(text)
    }

    /// Appends lines to a row of a table in CSV, as long as it ends inside of quotes.
    pub(super) fn complete_row(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        while is_open(text) && (text.len() as u64) < LIMIT {
            let length = text.len();
            self.input.read_line(text, LIMIT)?;
            if text.len() == length {
                break;
            }
        }
        Ok(())
    }

    fn next_line(&mut self, text: &mut Vec<u8>) -> io::Result<Entry> {
        loop {
            text.clear();
            let line = self.input.line();
            self.input.read_line(text, LIMIT)?;
            if text.is_empty() {
                return Ok(Entry::End);
            }
            let is_cut = text.len() as u64 >= LIMIT && !text.ends_with(b"\n");
            let trimmed = text.trim_ascii();
            if trimmed.is_empty() {
                continue;
            }
            if !begins_document(trimmed, is_cut) {
                if is_cut {
                    self.input.skip_line()?;
                    return Ok(Entry::Broken(line));
                }
                return Ok(Entry::Line(line));
            }
            self.input.unread(text);
            let step = self.document.begin(&mut self.input, text)?;
            self.is_in_document = true;
            if let Some(entry) = self.entry(step, line)? {
                return Ok(entry);
            }
        }
    }

    /// The entry of a step; `None` at the end of the document.
    fn entry(&mut self, step: Step, line: u64) -> io::Result<Option<Entry>> {
        Ok(Some(match step {
            Step::Entry => Entry::Element(line),
            Step::TooLong => Entry::Broken(line),
            Step::Whole => {
                self.is_in_document = false;
                Entry::Line(line)
            }
            Step::Broken => {
                self.is_in_document = false;
                if !self.input.is_at_line_start {
                    self.input.skip_line()?;
                }
                Entry::Broken(line)
            }
            Step::End => {
                self.is_in_document = false;
                return Ok(None);
            }
        }))
    }
}

/// Whether a line begins a JSON document over several lines: it ends with an open bracket. So does a longer line than any event.
fn begins_document(line: &[u8], is_cut: bool) -> bool {
    let is_json = match line {
        [b'{'] | [b'['] => return true,
        [b'{', rest @ ..] => rest.trim_ascii_start().starts_with(b"\""),
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start().first(), Some(b'{' | b'[')),
        _ => false,
    };
    is_json && (is_cut || matches!(line.last(), Some(b'{' | b'[')))
}
