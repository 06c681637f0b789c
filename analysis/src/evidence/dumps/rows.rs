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
        let ways = self.ways(&parts, surplus);
        match ways[0][surplus].count {
            1 => Ok(self.joined(&parts, surplus, &ways)),
            2.. => Err("there are several ways to read the surplus commas"),
            0 if surplus > 0 => Err("there are more cells than titles"),
            0 => Err("a cell has an unexpected format"),
        }
    }

    /// The ways to read the last titles with so many surplus commas, from the last title to the first: trying all ways from the first
    /// title on would take exponential time.
    fn ways(&self, parts: &[&str], surplus: usize) -> Vec<Vec<Ways>> {
        let mut ways = vec![vec![Ways::default(); surplus + 1]; self.titles.len() + 1];
        ways[self.titles.len()][0].count = 1;
        for (index, title) in self.titles.iter().enumerate().rev() {
            for left in 0..=surplus {
                let own = &parts[index + surplus - left..];
                let most = match title.format.can_contain_comma() {
                    true => left,
                    false => 0,
                };
                let mut here = Ways::default();
                for extra in 0..=most {
                    let rest = ways[index + 1][left - extra].count;
                    if rest > 0 && title.format.accepts(&join(&own[..=extra])) {
                        here.count = (here.count + rest).min(2);
                        here.extra = extra;
                    }
                }
                ways[index][left] = here;
            }
        }
        ways
    }

    /// The cells of the only way.
    fn joined<'a>(
        &self,
        parts: &[&'a str],
        surplus: usize,
        ways: &[Vec<Ways>],
    ) -> Vec<Cow<'a, str>> {
        let (mut rest, mut left) = (parts, surplus);
        let mut cells = Vec::with_capacity(self.titles.len());
        for at in &ways[..self.titles.len()] {
            let extra = at[left].extra;
            let (own, after) = rest.split_at(extra + 1);
            cells.push(join(own));
            (rest, left) = (after, left - extra);
        }
        cells
    }
}

/// The ways to read a part of a row.
#[derive(Clone, Copy, Default)]
struct Ways {
    /// 2 stands for several.
    count: u8,
    /// The surplus commas of the first cell, in the last way.
    extra: usize,
}

fn join<'a>(parts: &[&'a str]) -> Cow<'a, str> {
    match parts {
        [one] => Cow::Borrowed(one.trim()),
        several => Cow::Owned(several.join(",").trim().to_owned()),
    }
}
