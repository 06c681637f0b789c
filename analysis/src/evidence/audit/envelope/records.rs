//! Records of log shippers that have the event in a field: as a text, or as an object.
//!
//! Sources: Fluentd, "in_tail" and "parser_none" (`message`); Vector, "Log event" (`message`); the Elastic Common Schema (`message`);
//! Cloud Logging, `LogEntry` (`textPayload`, `jsonPayload`, for clusters that are not GKE); lists of such records.

use super::content::Content;
use super::record::Record;
use std::borrow::Cow;

pub(super) const FIELDS: &[&str] = &[
    "entries",
    "items",
    "jsonPayload",
    "log",
    "message",
    "textPayload",
];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    let names = ["message", "log", "textPayload"];
    if let Some(text) = names.iter().find_map(|name| record.text(name)) {
        return Some(Content::Line(Cow::Borrowed(text)));
    }
    let names = ["jsonPayload", "log", "message"];
    if let Some(value) = names.iter().find_map(|name| record.json(name)) {
        return Some(Content::Value(value));
    }
    let list = record.json("entries").or(record.json("items"));
    list.map(Content::List)
}
