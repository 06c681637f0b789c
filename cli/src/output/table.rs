//! Tables in the style of kubectl: a header in capitals, and columns three blanks apart.
//!
//! On a terminal that is too narrow, long cells continue on the next line, and columns that still do not fit follow in
//! further tables, which repeat the columns that name a row. Bars become shorter.

use super::escape::{longest_piece, one_line, wrap};
use super::streams::Stream;
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The blanks between two columns.
const GAP: usize = 3;
/// The blanks between two columns in a narrow terminal.
const NARROW_GAP: usize = 2;
/// The width up to which the cells of a column stay on one line.
const WHOLE: usize = 20;
/// The widths of a bar.
const BAR: std::ops::RangeInclusive<usize> = 10..=40;
/// The characters after which a cell can continue on the next line.
const BREAKS: [char; 5] = [' ', '-', '/', ':', ','];

pub(crate) enum Cell {
    Text(String),
    /// A bar for amounts of a whole, as long as the terminal has room.
    Bar([(char, i64); 3], i64),
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        // A cell stays in its row: line breaks in it are escaped, before the widths are computed.
        Self::Text(one_line(&text).into_owned())
    }
}

impl Cell {
    fn width(&self) -> usize {
        match self {
            Self::Text(text) => text.as_str().width(),
            Self::Bar(..) => *BAR.end(),
        }
    }

    /// The smallest width at which a short cell or a word is not broken.
    fn least(&self) -> usize {
        match self {
            Self::Text(text) => {
                let whole = text.as_str().width();
                longest_piece(text, &BREAKS).max(WHOLE).min(whole)
            }
            Self::Bar(..) => *BAR.start(),
        }
    }

    fn lines(&self, width: usize) -> Vec<Cow<'_, str>> {
        match self {
            Self::Bar(parts, of) => vec![bar(*parts, *of, width).into()],
            Self::Text(text) if text.as_str().width() <= width => vec![text.into()],
            Self::Text(text) => {
                let lines = wrap(text, width, &BREAKS).into_iter();
                lines.map(Cow::from).collect()
            }
        }
    }
}

pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
    /// The number of columns that name a row.
    keys: usize,
}

impl Table {
    /// A table with a header.
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self::with_head(&head)
    }

    /// A table whose columns are chosen at run time.
    pub(crate) fn with_head(head: &[&str]) -> Self {
        let head = head.iter().map(|cell| Cell::Text((*cell).to_owned()));
        Self {
            rows: vec![head.collect()],
            keys: 1,
        }
    }

    /// The number of columns that together name a row; the default is one. A table in several parts repeats them.
    pub(crate) fn keys(mut self, keys: usize) -> Self {
        self.keys = keys;
        self
    }

    /// Adds a row with as many cells as the header.
    pub(crate) fn add(&mut self, cells: impl IntoIterator<Item = impl Into<Cell>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.add(cells);
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
            let widest = |width: fn(&Cell) -> usize| {
                let widths = self.rows.iter().map(|row| width(&row[index]));
                widths.max().unwrap_or_default()
            };
            let (width, least) = (widest(Cell::width), widest(Cell::least));
            Column {
                index,
                width,
                least,
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

fn lines(rows: &[Vec<Cell>], columns: &[Column], gap: usize) -> Vec<String> {
    let mut text = Vec::new();
    for row in rows {
        let cells = columns.iter().map(|column| {
            let cell = &row[column.index];
            cell.lines(column.width)
        });
        let cells: Vec<_> = cells.collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        for part in 0..height {
            let mut line = String::new();
            for (cell, column) in cells.iter().zip(columns) {
                let cell = cell.get(part).map_or("", AsRef::as_ref);
                let blanks = column.width.saturating_sub(cell.width()) + gap;
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', blanks));
            }
            text.push(line.trim_end().to_owned());
        }
    }
    text
}

/// A bar of `width` characters for the amount `of`. Each part covers the amount by which it exceeds the parts before it.
pub(crate) fn bar<const N: usize>(parts: [(char, i64); N], of: i64, width: usize) -> String {
    let cells = |amount: i64| {
        let share = amount.clamp(0, of.max(1)) as f64 / of.max(1) as f64;
        let cells = (share * width as f64).round() as usize;
        // A positive amount gets at least one character.
        if amount > 0 { cells.max(1) } else { cells }
    };
    let mut bar = String::new();
    let mut length = 0;
    for (cell, amount) in parts {
        let until = cells(amount).max(length);
        bar.extend(std::iter::repeat_n(cell, until - length));
        length = until;
    }
    bar
}
