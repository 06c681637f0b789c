//! Splunk.
//!
//! Sources: the REST API reference of Splunk, `search/jobs/export` with `output_mode=json` (`result._raw`); "Format events for HTTP Event
//! Collector" (`event`, a text or an object, with `time`, `host`, `source`, `sourcetype`).

use super::content::Content;
use super::record::Record;
use std::borrow::Cow;

pub(super) const FIELDS: &[&str] = &["_raw", "event", "result"];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    let text = record.text("_raw").or(record.text("event"));
    if let Some(text) = text {
        return Some(Content::Line(Cow::Borrowed(text)));
    }
    if let Some(event) = record.json("event") {
        return Some(Content::Value(event));
    }
    record.json("result").map(Content::List)
}
