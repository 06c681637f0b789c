//! Grafana Loki.
//!
//! Sources: the HTTP API of Loki, "Query logs within a range of time" (`data.result[]` with `stream` and `values[]` of a time in
//! nanoseconds and a line) and "Ingest logs" (`streams[]` of the same form); `logcli --output=jsonl` (`labels`, `line`, `timestamp`).

use super::content::Content;
use super::record::Record;
use std::borrow::Cow;

pub(super) const FIELDS: &[&str] = &[
    "data", "labels", "line", "result", "stream", "streams", "values",
];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    if let Some(line) = record.text("line") {
        return Some(Content::Line(Cow::Borrowed(line)));
    }
    let result = record
        .json("result")
        .filter(|result| result.starts_with('['));
    let list = result
        .or(record.json("data"))
        .or(record.json("streams"))
        .or(record.json("values"));
    list.map(Content::List)
}
