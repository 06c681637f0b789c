//! Tables in the style of kubectl: a header in capitals, and columns three blanks apart.

use super::escape::one_line;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The blanks between two columns.
const GAP: usize = 3;

/// A table.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a header.
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self {
            rows: vec![head.map(str::to_owned).to_vec()],
        }
    }

    /// A table whose columns are chosen at run time.
    pub(crate) fn with_head(head: &[&str]) -> Self {
        Self {
            rows: vec![head.iter().map(|cell| (*cell).to_owned()).collect()],
        }
    }

    /// Adds a row with as many cells as the header. A cell stays in its row: line breaks in it are escaped.
    pub(crate) fn add(&mut self, cells: Vec<String>) {
        // Escaped before the widths are computed.
        let cells = cells.iter().map(|cell| one_line(cell).into_owned());
        self.rows.push(cells.collect());
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.add(cells.to_vec());
    }

    /// Writes the table; the last column is not padded.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_from(0, out)
    }

    /// Writes the table without its header.
    pub(crate) fn write_rows(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_from(1, out)
    }

    fn write_from(&self, first: usize, out: &mut impl Write) -> io::Result<()> {
        let columns = self.rows[0].len();
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].as_str().width());
            cells.max().unwrap_or_default()
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        for row in &self.rows[first..] {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let blanks = width - cell.as_str().width() + GAP;
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', blanks));
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
