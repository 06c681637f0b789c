//! The log files of containers, and the records that Fluent Bit and Fluentd make of them.
//!
//! Sources: Docker, "JSON File logging driver" (`log`, `stream`, `time`; a line of more than 16 KiB has several records, of which only the
//! last ends with a line break); Fluent Bit, "CRI parser" (`logtag` is `P` for a part of a line, and `F` for its end); Fluentd,
//! `partial_message` of the Docker logging driver.

use super::content::Content;
use super::record::Record;

pub(super) const FIELDS: &[&str] = &[
    "log",
    "logtag",
    "partial_last",
    "partial_message",
    "stream",
    "time",
];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    let text = record.text("log")?;
    let is_last = match (record.text("logtag"), record.text("partial_last")) {
        (Some(tag), _) => !tag.starts_with('P'),
        (None, Some(last)) => last == "true",
        (None, None) if record.has("partial_message") => false,
        // Without a line break only Docker's own files are cut.
        (None, None) => text.ends_with('\n') || !record.has("stream") || !record.has("time"),
    };
    Some(Content::Piece {
        stream: record.text("stream").unwrap_or_default(),
        text,
        is_last,
    })
}
