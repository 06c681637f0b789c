//! A parsed dump.

use super::columns::Column;
use super::rows::{Header, Row};
use std::fmt;

/// A dump: the parsed rows, and the lines that are not valid rows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dump<R> {
    /// The rows in the dump's order.
    pub rows: Vec<R>,
    /// The lines that are not valid rows.
    pub problems: Vec<DumpProblem>,
}

impl<R> Dump<R> {
    /// Parses a table with titles from `columns`, of which the first is required.
    pub(super) fn parse(
        text: &str,
        columns: &'static [Column],
        read: impl Fn(&Row<'_>) -> Option<R>,
    ) -> Result<Self, NotADump> {
        let mut rows = Vec::new();
        let problems = take_rows(text, columns, &mut |row| {
            rows.push(read(row)?);
            Some(())
        })?;
        Ok(Self { rows, problems })
    }
}

/// Calls `take` with every row, and returns the lines that are not rows or that `take` rejects.
fn take_rows(
    text: &str,
    columns: &'static [Column],
    take: &mut dyn FnMut(&Row<'_>) -> Option<()>,
) -> Result<Vec<DumpProblem>, NotADump> {
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let header = lines
        .next()
        .and_then(|(_, line)| Header::parse(line, columns));
    let header = header.ok_or(NotADump { expected: columns })?;
    let mut problems = Vec::new();
    for (index, line) in lines {
        let parsed = header
            .row(line)
            .and_then(|row| take(&row).ok_or("a cell has an unexpected format"));
        if let Err(reason) = parsed {
            problems.push(DumpProblem {
                line: index + 1,
                text: line.to_owned(),
                reason,
            });
        }
    }
    Ok(problems)
}

/// A line that is not a valid row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpProblem {
    /// The number of the line, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
    /// The reason.
    pub reason: &'static str,
}

impl fmt::Display for DumpProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: `{}`", self.line, self.reason, self.text)
    }
}

/// The error for text that does not start with the titles of the expected dump.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NotADump {
    expected: &'static [Column],
}

impl NotADump {
    /// The error for text that is not a dump.
    pub(super) const OF_ANY_KIND: Self = Self { expected: &[] };
}

impl fmt::Display for NotADump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.expected.is_empty() {
            return f.write_str(
                "not a dump: expected the titles of dump_priority_levels, dump_queues or dump_requests first",
            );
        }
        let titles: Vec<&str> = self
            .expected
            .iter()
            .filter(|column| column.is_in_every_release())
            .map(|column| column.title)
            .collect();
        write!(
            f,
            "not the expected dump: it does not start with the titles {}",
            titles.join(", ")
        )
    }
}

/// As the text, which a program prints whose `main` returns the error.
impl fmt::Debug for NotADump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for NotADump {}
