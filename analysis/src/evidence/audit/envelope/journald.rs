//! The journal of systemd.
//!
//! Sources: `journalctl(1)`, `-o json`, and "Journal JSON Format" of systemd: `MESSAGE` is a text, or an array of bytes if it is not
//! valid UTF-8, or `null` if it is long and `--all` is not given.

use super::content::Content;
use super::record::{Field, Record};
use std::borrow::Cow;

pub(super) const FIELDS: &[&str] = &["MESSAGE"];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    Some(match record.field("MESSAGE")? {
        Field::Text(text) => Content::Line(Cow::Borrowed(text)),
        Field::Raw(bytes) => match serde_json::from_str::<Vec<u8>>(bytes) {
            Ok(bytes) => Content::Line(String::from_utf8_lossy(&bytes).into_owned().into()),
            Err(_) => Content::Nothing,
        },
    })
}
