//! Responses of Log Analytics, with the rows of any table.
//!
//! Source: the reference of the Log Analytics query API, "Response format" (`tables[]` with `columns[]` of `name` and `type`, and `rows[][]`).

use super::content::Content;
use super::record::Record;

pub(super) const FIELDS: &[&str] = &["columns", "name", "rows", "tables"];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    if let Some(tables) = record.json("tables") {
        return Some(Content::List(tables));
    }
    Some(Content::Rows {
        columns: record.json("columns")?,
        rows: record.json("rows")?,
    })
}
