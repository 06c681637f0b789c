//! Tables with a column for each field: CSV exports, and the rows of Log Analytics.
//!
//! Source: RFC 4180. The portal of Azure writes the time zone behind the name of a column, as in `TimeGenerated [UTC]`.

use super::formats;
use k8s_flowcontrol_types::json::{Reader, Writer};

/// The columns that carry events, of which a header must have one.
const CARRIERS: [&str; 6] = ["log_s", "AuditId", "_raw", "@message", "message", "Line"];

#[derive(Clone, Debug, Default)]
pub(in crate::evidence::audit) struct Columns(Vec<Option<&'static str>>);

impl Columns {
    /// The columns of a header in CSV, if they carry events.
    pub(in crate::evidence::audit) fn of_header(line: &str) -> Option<Self> {
        let line = line.trim_start_matches('\u{feff}');
        if line.contains('{') || line.len() > 1 << 16 {
            return None;
        }
        let cells = cells(line.trim_end_matches(['\r', '\n']))?;
        let carries = cells.iter().any(|cell| CARRIERS.contains(&bare(cell)));
        carries.then(|| Self::new(cells.iter().map(String::as_str)))
    }

    /// The columns of a response of Log Analytics: objects with a `name`.
    pub(in crate::evidence::audit) fn of_json(text: &str) -> Option<Self> {
        let mut names = Vec::new();
        let mut reader = Reader::new(text);
        let mut more = reader.elements().ok()?;
        while more {
            let mut own = String::new();
            let read = reader.fields(&"a column", &mut |name, reader| {
                match name.as_ref() {
                    "name" => own = reader.string(&"a name")?.into_owned(),
                    _ => reader.skip()?,
                }
                Ok(())
            });
            read.ok()?;
            names.push(own);
            more = reader.more_elements().ok()?;
        }
        Some(Self::new(names.iter().map(String::as_str)))
    }

    fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let known = |name| match bare(name) {
            // The export of Logs Insights and that of Grafana.
            "@message" | "Line" => Some("message"),
            name => formats::known(name),
        };
        Self(names.map(known).collect())
    }

    /// The JSON object of a row in CSV, with the known columns; `None` if it has another number of cells.
    pub(in crate::evidence::audit) fn object_of_csv(&self, row: &str) -> Option<String> {
        let cells = cells(row.trim_end_matches(['\r', '\n']))?;
        if cells.len() != self.0.len() {
            return None;
        }
        let mut writer = Writer::default();
        writer.object(|writer| {
            for (name, cell) in self.0.iter().zip(&cells) {
                if let Some(name) = name
                    && !cell.is_empty()
                {
                    writer.field(name, cell.as_str());
                }
            }
        });
        Some(writer.into_text())
    }

    /// The JSON object of a row, which is a JSON array.
    pub(super) fn object_of_array(&self, row: &str) -> Option<String> {
        let mut writer = Writer::default();
        let mut reader = Reader::new(row);
        let mut names = self.0.iter();
        writer.raw("{");
        let mut is_first = true;
        let mut more = reader.elements().ok()?;
        while more {
            let value = reader.raw().ok()?.get();
            if let Some(Some(name)) = names.next()
                && value != "null"
            {
                writer.raw(if is_first { "" } else { "," });
                writer.string(name);
                writer.raw(":");
                writer.raw(value);
                is_first = false;
            }
            more = reader.more_elements().ok()?;
        }
        writer.raw("}");
        Some(writer.into_text())
    }
}

/// The name of a column without its time zone.
fn bare(name: &str) -> &str {
    name.split(" [").next().unwrap_or(name)
}

/// Whether a row ends inside of quotes, and goes on in the next line.
pub(in crate::evidence::audit) fn is_open(row: &[u8]) -> bool {
    memchr::memchr_iter(b'"', row).count() % 2 == 1
}

/// The cells of a row; `None` if its quotes are not balanced.
fn cells(row: &str) -> Option<Vec<String>> {
    let mut cells = Vec::new();
    let mut rest = row;
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_cell(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        cells.push(cell);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None if after.is_empty() => return Some(cells),
            None => return None,
        }
    }
}

/// A cell up to its closing quote, and the text behind it.
fn quoted_cell(text: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        cell.push_str(part);
        match after.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => return Some((cell, after)),
        }
    }
}
