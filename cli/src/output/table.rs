//! Tables in the style of kubectl: a header in capitals, and columns three blanks apart.
//!
//! On a terminal that is too narrow, long cells continue on the next line, and columns that still do not fit follow in
//! further tables, which repeat the columns that name a row.

use super::escape::one_line;
use super::streams::Stream;
use super::wrap::{longest_piece, wrap};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The blanks between two columns.
const GAP: usize = 3;
/// The blanks between two columns in a narrow terminal.
const NARROW_GAP: usize = 2;
/// The width up to which the cells of a column stay on one line.
const WHOLE: usize = 20;
/// The characters after which a cell can continue on the next line.
const BREAKS: [char; 5] = [' ', '-', '/', ':', ','];

/// A table.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// The number of columns that name a row.
    keys: usize,
}

impl Table {
    /// A table with a header.
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self {
            rows: vec![head.map(str::to_owned).to_vec()],
            keys: 1,
        }
    }

    /// A table whose columns are chosen at run time.
    pub(crate) fn with_head(head: &[&str]) -> Self {
        Self {
            rows: vec![head.iter().map(|cell| (*cell).to_owned()).collect()],
            keys: 1,
        }
    }

    /// The number of columns that together name a row; the default is one. A table in several parts repeats them.
    pub(crate) fn keys(mut self, keys: usize) -> Self {
        self.keys = keys;
        self
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
    pub(crate) fn write(&self, out: &mut Stream) -> io::Result<()> {
        let lines = self.lines(out.width());
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    /// Writes the table without its header, for programs: every row is a line.
    pub(crate) fn write_rows(&self, out: &mut Stream) -> io::Result<()> {
        let lines = lines(&self.rows[1..], &self.columns(), GAP);
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    /// The lines of the table for a terminal of a width, or for a file.
    fn lines(&self, width: Option<usize>) -> Vec<String> {
        let columns = self.columns();
        let fits = |gap| width.is_none_or(|width| total(&columns, gap) <= width);
        let gap = if fits(GAP) { GAP } else { NARROW_GAP };
        match width {
            Some(width) if !fits(gap) => self.fitted(&columns, width),
            _ => lines(&self.rows, &columns, gap),
        }
    }

    /// The lines of several tables, each of which has the columns that name a row and some of the others.
    fn fitted(&self, columns: &[Column], width: usize) -> Vec<String> {
        let has_room = |columns: &[Column], next: &Column| {
            let least = columns.iter().map(|column| column.least).sum::<usize>();
            least + next.least + NARROW_GAP * columns.len() <= width
        };
        let mut text = Vec::new();
        let mut rest = columns;
        while let Some((next, others)) = rest.split_first() {
            let is_first = text.is_empty();
            let mut shown = match is_first {
                true => Vec::new(),
                false if has_room(&columns[..self.keys], next) => columns[..self.keys].to_vec(),
                false => columns[..1].to_vec(),
            };
            shown.push(*next);
            rest = others;
            while let Some((next, others)) = rest.split_first() {
                if !has_room(&shown, next) {
                    break;
                }
                shown.push(*next);
                rest = others;
            }
            if !is_first {
                text.push(String::new());
            }
            fit(&mut shown, width);
            text.extend(lines(&self.rows, &shown, NARROW_GAP));
        }
        text
    }

    fn columns(&self) -> Vec<Column> {
        let column = |index: usize| {
            let widest = |width: fn(&str) -> usize| {
                let widths = self.rows.iter().map(|row| width(&row[index]));
                widths.max().unwrap_or_default()
            };
            let width = widest(|cell| cell.width());
            let least = WHOLE.max(widest(|cell| longest_piece(cell, &BREAKS)));
            Column {
                index,
                width,
                least: least.min(width),
            }
        };
        (0..self.rows[0].len()).map(column).collect()
    }
}

/// A column in its displayed form.
#[derive(Clone, Copy)]
struct Column {
    index: usize,
    width: usize,
    /// The smallest width at which no short cell and no word is broken.
    least: usize,
}

/// The width of a table.
fn total(columns: &[Column], gap: usize) -> usize {
    let widths = columns.iter().map(|column| column.width);
    widths.sum::<usize>() + gap * columns.len().saturating_sub(1)
}

/// Narrows the widest columns until the table fits. Words are only broken if nothing else helps.
fn fit(columns: &mut [Column], width: usize) {
    while total(columns, NARROW_GAP) > width {
        let slack = |column: &Column| (column.width > column.least, column.width);
        match columns.iter_mut().max_by_key(|column| slack(column)) {
            Some(widest) if widest.width > 1 => widest.width -= 1,
            _ => return,
        }
    }
}

fn lines(rows: &[Vec<String>], columns: &[Column], gap: usize) -> Vec<String> {
    let mut text = Vec::new();
    for row in rows {
        let cells = columns.iter().map(|column| {
            let cell = &row[column.index];
            match cell.as_str().width() <= column.width {
                true => vec![cell.clone()],
                false => wrap(cell, column.width, &BREAKS),
            }
        });
        let cells: Vec<_> = cells.collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        for part in 0..height {
            let mut line = String::new();
            for (cell, column) in cells.iter().zip(columns) {
                let cell = cell.get(part).map_or("", String::as_str);
                let blanks = column.width.saturating_sub(cell.width()) + gap;
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', blanks));
            }
            text.push(line.trim_end().to_owned());
        }
    }
    text
}
