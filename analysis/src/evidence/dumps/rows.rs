//! Splits the rows of a table into cells.

use super::columns::{Column, Format, NONE};
use std::borrow::Cow;

/// Maximum number of surplus commas that are assigned to columns.
const MOST_SURPLUS: usize = 32;

/// The titles of a table.
pub(super) struct Header {
    /// The title, format and starting character of each column.
    titles: Vec<Title>,
}

struct Title {
    name: String,
    format: Format,
    start: usize,
}

/// The cells of a row, by title.
pub(super) struct Row<'a> {
    header: &'a Header,
    cells: Vec<Cow<'a, str>>,
}

impl Row<'_> {
    /// The cell below `title`; `None` if the table has no such column.
    pub(super) fn cell(&self, title: &str) -> Option<&str> {
        let index = self
            .header
            .titles
            .iter()
            .position(|known| known.name == title)?;
        self.cells.get(index).map(|cell| &**cell)
    }

    /// Whether the row contains only the level's name.
    pub(super) fn is_none(&self) -> bool {
        self.cells.len() > 1 && self.cells.iter().skip(1).all(|cell| *cell == NONE)
    }
}

impl Header {
    /// Parses the title line, which must have all required columns of `columns`. Columns with an unknown title are read
    /// as text.
    pub(super) fn parse(line: &str, columns: &[Column]) -> Option<Self> {
        let mut titles = Vec::new();
        let mut start = 0;
        for part in line.split(',') {
            let name = part.trim();
            if name.is_empty() {
                return None;
            }
            let leading = part.chars().take_while(|c| c.is_whitespace()).count();
            let known = columns.iter().find(|column| column.title == name);
            titles.push(Title {
                name: name.to_owned(),
                format: known.map_or(Format::Text, |column| column.format),
                start: start + leading,
            });
            start += part.chars().count() + 1;
        }
        let has = |column: &Column| titles.iter().any(|title| title.name == column.title);
        let complete = columns
            .iter()
            .filter(|column| column.is_in_every_release())
            .all(has);
        complete.then_some(Self { titles })
    }

    /// Splits a line into cells.
    pub(super) fn row<'a>(&'a self, line: &'a str) -> Result<Row<'a>, &'static str> {
        let cells = match self.aligned(line) {
            Some(cells) if self.accepts(&cells) => cells,
            _ => self.at_commas(line)?,
        };
        Ok(Row {
            header: self,
            cells,
        })
    }

    fn accepts(&self, cells: &[Cow<'_, str>]) -> bool {
        cells.len() == self.titles.len()
            && cells
                .iter()
                .zip(&self.titles)
                .all(|(cell, title)| title.format.accepts(cell))
    }

    /// Splits at the starts of the titles; `None` if a cell does not end there.
    fn aligned<'a>(&self, line: &'a str) -> Option<Vec<Cow<'a, str>>> {
        let mut starts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
        starts.push(line.len());
        let last = self.titles.len() - 1;
        let mut cells = Vec::with_capacity(self.titles.len());
        for (index, title) in self.titles.iter().enumerate() {
            // Trailing padding may be missing together with an empty last cell.
            let from = starts.get(title.start).copied();
            let from = if index == last {
                from.unwrap_or(line.len())
            } else {
                from?
            };
            let cell = if index == last {
                line.get(from..)?.trim_end()
            } else {
                let to = starts
                    .get(self.titles[index + 1].start)
                    .copied()
                    .unwrap_or(line.len());
                let padded = line.get(from..to)?;
                padded.trim_end_matches(' ').strip_suffix(',')?
            };
            cells.push(Cow::Borrowed(cell));
        }
        Some(cells)
    }

    /// Splits at commas, and joins surplus parts if there is exactly one way to do so.
    fn at_commas<'a>(&self, line: &'a str) -> Result<Vec<Cow<'a, str>>, &'static str> {
        let parts: Vec<&str> = line.split(',').collect();
        let surplus = parts
            .len()
            .checked_sub(self.titles.len())
            .ok_or("there are fewer cells than titles")?;
        if surplus > MOST_SURPLUS {
            return Err("there are far more commas than titles");
        }
        let mut found = Vec::new();
        self.join_parts(&parts, surplus, &mut Vec::new(), &mut found);
        match (found.pop(), found.is_empty()) {
            (Some(cells), true) => Ok(cells),
            (Some(_), false) => Err("there are several ways to read the surplus commas"),
            (None, _) if surplus > 0 => Err("there are more cells than titles"),
            (None, _) => Err("a cell has an unexpected format"),
        }
    }

    /// Collects up to two ways to join `parts` into cells.
    fn join_parts<'a>(
        &self,
        parts: &[&'a str],
        surplus: usize,
        cells: &mut Vec<Cow<'a, str>>,
        found: &mut Vec<Vec<Cow<'a, str>>>,
    ) {
        let Some(title) = self.titles.get(cells.len()) else {
            if parts.is_empty() {
                found.push(cells.clone());
            }
            return;
        };
        let most = if title.format.can_contain_comma() {
            surplus
        } else {
            0
        };
        for extra in 0..=most {
            if found.len() > 1 || parts.len() <= extra {
                return;
            }
            let (own, rest) = parts.split_at(extra + 1);
            let cell = match own {
                [one] => Cow::Borrowed(one.trim()),
                several => Cow::Owned(several.join(",").trim().to_owned()),
            };
            if title.format.accepts(&cell) {
                cells.push(cell);
                self.join_parts(rest, surplus - extra, cells, found);
                cells.pop();
            }
        }
    }
}
