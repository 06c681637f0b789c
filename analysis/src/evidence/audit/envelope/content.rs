//! The content of a record.

use k8s_flowcontrol_types::json::{WriteJson, Writer};
use std::borrow::Cow;

/// The content of a record. Texts and values are opened again: an event may lie in several formats, such as a container log in Loki.
#[derive(Debug)]
pub(super) enum Content<'r> {
    /// A line of a log.
    Line(Cow<'r, str>),
    /// A part of a line, which a container runtime cut, with the stream that it belongs to.
    Piece {
        stream: &'r str,
        text: &'r str,
        is_last: bool,
    },
    /// The JSON text of a value in a record of the format.
    Value(&'r str),
    /// The JSON text of entries, or of an object with entries, which show their format themselves.
    List(&'r str),
    /// The rows of a table, with its columns.
    Rows { columns: &'r str, rows: &'r str },
    /// The JSON text of an event that was made from the record.
    Event(String),
    /// Text in base64, compressed or not.
    Encoded(&'r str),
    /// The format is known, and this record does not have an event.
    Nothing,
}

/// Unchanged JSON text. Damaged text makes a damaged event, which the reader of events notices.
pub(super) struct Json<'a>(pub(super) &'a str);

impl WriteJson for Json<'_> {
    fn write_json(&self, writer: &mut Writer) {
        writer.raw(self.0);
    }
}
