//! Comma-separated values as kube-apiserver reads them, with Go's `encoding/csv`: unlike other readers it does not guess what a wrong quote means.

use std::fmt;

/// A record, and the line on which it starts, counted from one.
pub(super) struct Record {
    pub(super) line: usize,
    pub(super) fields: Vec<String>,
}

/// A quote at a wrong place. The error shows no content of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuoteError {
    Bare,
    Inner,
    Open,
}

impl fmt::Display for QuoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bare => {
                "a column contains a quote, but does not start with one: write the whole column in quotes, without a space before \
                 them, and double the quotes in it"
            }
            Self::Inner => "after the closing quote of a column, expected a comma or the end of the line: double the quotes in a column",
            Self::Open => "the closing quote of a column is missing",
        })
    }
}

/// The records of a text, without empty lines.
pub(super) struct Records<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Records<'a> {
    /// `text` has [`unix_lines`].
    pub(super) fn of(text: &'a str) -> Self {
        Self {
            rest: text,
            line: 1,
        }
    }
}

/// The text with `\n` at the end of its lines, also in quotes.
pub(super) fn unix_lines(text: &str) -> String {
    let mut text = text.replace("\r\n", "\n");
    if text.ends_with('\r') {
        text.pop();
    }
    text
}

impl Iterator for Records<'_> {
    type Item = Result<Record, (usize, QuoteError)>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.rest.trim_start_matches('\n');
        let line = self.line + self.rest.len() - text.len();
        let (fields, rest) = match (!text.is_empty()).then(|| record(text))? {
            Ok(record) => record,
            Err(error) => {
                self.rest = "";
                return Some(Err((line, error)));
            }
        };
        self.line = line + text[..text.len() - rest.len()].matches('\n').count();
        self.rest = rest;
        Some(Ok(Record { line, fields }))
    }
}

/// The fields of the first record, and the text after it.
fn record(text: &str) -> Result<(Vec<String>, &str), QuoteError> {
    let mut fields = Vec::new();
    let mut rest = text;
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted)?,
            None => bare_field(rest)?,
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok((fields, after.strip_prefix('\n').unwrap_or(after))),
        }
    }
}

fn bare_field(text: &str) -> Result<(String, &str), QuoteError> {
    let (field, after) = text.split_at(text.find([',', '\n']).unwrap_or(text.len()));
    match field.contains('"') {
        true => Err(QuoteError::Bare),
        false => Ok((field.to_owned(), after)),
    }
}

/// Of the text after the opening quote.
fn quoted_field(text: &str) -> Result<(String, &str), QuoteError> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"').ok_or(QuoteError::Open)?;
        field.push_str(part);
        match after.chars().next() {
            Some('"') => field.push('"'),
            Some(',' | '\n') | None => return Ok((field, after)),
            Some(_) => return Err(QuoteError::Inner),
        }
        rest = &after[1..];
    }
}
