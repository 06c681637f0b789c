//! Opening a text layer by layer, until its events are found.

use super::super::event::Event;
use super::super::parse::{Parsed, parse, parse_element};
use super::content::Content;
use super::encoded::{GZIP_IN_BASE64, decoded};
use super::format::Format;
use super::formats;
use super::pieces::{Joined, Pieces};
use super::prefix::{Unprefixed, without};
use super::record::Record;
use super::shapes::{begins_like_event, is_json_list, is_rest, line_of_pair};
use super::table::Columns;
use k8s_flowcontrol_types::json::Reader;
use std::ops::ControlFlow;

/// The most layers. Loki over a container log over a record of Fluent Bit has three.
const MOST_LAYERS: usize = 8;

/// The values of a log that are not events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::evidence::audit) struct Found {
    /// Values that are damaged, or not of any known format.
    pub(in crate::evidence::audit) broken: u64,
    /// Entries of a known format with the text of another log.
    pub(in crate::evidence::audit) other: u64,
}

/// Opens texts.
pub(in crate::evidence::audit) struct Opener<'s> {
    pub(in crate::evidence::audit) pieces: &'s mut Pieces,
    pub(in crate::evidence::audit) found: &'s mut Found,
    /// Receives each event with its JSON text and its format.
    pub(in crate::evidence::audit) each:
        &'s mut dyn FnMut(&Event<'_>, &str, Format) -> ControlFlow<()>,
    /// The format of the layers so far.
    format: Format,
    layers: usize,
    /// The lists in lists that are open.
    lists: usize,
}

/// The result of opening a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::evidence::audit) enum Outcome {
    /// Events were found, or an entry that is known to have none.
    Opened,
    /// The text does not have an event or a known format.
    Other,
    /// The text is damaged.
    Broken,
    /// The receiver wants no more events.
    Stop,
}

impl<'s> Opener<'s> {
    pub(in crate::evidence::audit) fn new(
        pieces: &'s mut Pieces,
        found: &'s mut Found,
        each: &'s mut dyn FnMut(&Event<'_>, &str, Format) -> ControlFlow<()>,
    ) -> Self {
        Self {
            pieces,
            found,
            each,
            format: Format::Events,
            layers: 0,
            lists: 0,
        }
    }

    /// Opens a line of a log: JSON, with or without a prefix.
    pub(in crate::evidence::audit) fn line(&mut self, text: &str) -> Outcome {
        let text = text.trim_ascii();
        match text.as_bytes() {
            [] => Outcome::Other,
            // A list that is cut into lines.
            [b',' | b']' | b'}', ..] => match text.trim_start_matches([',', ']', '}']) {
                "" => Outcome::Opened,
                rest => self.line(rest),
            },
            [b'{', ..] => self.values(text),
            [b'[', rest @ ..] if is_json_list(rest) => self.values(text),
            _ if text.starts_with(GZIP_IN_BASE64) => {
                self.format = Format::CloudWatch;
                self.encoded(text)
            }
            _ => match without(text) {
                Some(Unprefixed::Json(json)) => {
                    let outer = self.enter(Format::PrefixedLines);
                    let outcome = self.values(json);
                    self.format = outer;
                    outcome
                }
                Some(Unprefixed::Cri {
                    stream,
                    text,
                    is_last,
                }) => {
                    let outer = self.enter(Format::ContainerLog);
                    let outcome = self.piece(stream, text, is_last);
                    self.format = outer;
                    outcome
                }
                None => Outcome::Other,
            },
        }
    }

    /// Opens an element of a list, whose columns are known if it is a row of a table.
    pub(in crate::evidence::audit) fn element(
        &mut self,
        text: &str,
        columns: Option<&Columns>,
    ) -> Outcome {
        if begins_like_event(text)
            && let Some(Parsed::Event(event)) = parse(text)
        {
            return self.event(&event, text);
        }
        self.element_of(&mut Reader::new(text), text, columns)
    }

    /// Opens the JSON values of a text, which follow each other.
    fn values(&mut self, text: &str) -> Outcome {
        if self.layers >= MOST_LAYERS {
            return Outcome::Broken;
        }
        if begins_like_event(text) {
            match parse(text) {
                Some(Parsed::Event(event)) => return self.event(&event, text),
                Some(Parsed::Batch(items)) => return self.batch(&items),
                None => {}
            }
        }
        self.layers += 1;
        let outcome = self.values_of(text);
        self.layers -= 1;
        outcome
    }

    fn values_of(&mut self, text: &str) -> Outcome {
        let mut reader = Reader::new(text);
        let mut all = Outcome::Other;
        loop {
            let outcome = match text.as_bytes().get(reader.offset()) {
                Some(b'[') => self.list_of(&mut reader, text, None),
                _ => self.record(&mut reader, text),
            };
            match outcome {
                // A list of events that is cut into lines ends with a comma.
                Outcome::Broken if all == Outcome::Opened && is_rest(text, &mut reader) => {
                    return all;
                }
                Outcome::Stop | Outcome::Broken => return outcome,
                Outcome::Opened => all = Outcome::Opened,
                Outcome::Other => {}
            }
            if reader.is_at_end() {
                return all;
            }
        }
    }

    /// The list that follows.
    fn list_of<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        text: &'a str,
        columns: Option<&Columns>,
    ) -> Outcome {
        let Ok(mut more) = reader.elements() else {
            return Outcome::Broken;
        };
        // An answer without entries does not have an event.
        let mut all = match more {
            true => Outcome::Other,
            false => Outcome::Opened,
        };
        while more {
            match self.element_of(reader, text, columns) {
                Outcome::Stop => return Outcome::Stop,
                Outcome::Broken => return Outcome::Broken,
                Outcome::Opened => all = Outcome::Opened,
                Outcome::Other => {
                    match self.layers > 1 {
                        true => self.found.other += 1,
                        false => self.found.broken += 1,
                    }
                    all = Outcome::Opened;
                }
            }
            more = match reader.more_elements() {
                Ok(more) => more,
                // A list that is cut into lines.
                Err(_) if all == Outcome::Opened && reader.is_at_end() => return all,
                Err(_) => return Outcome::Broken,
            };
        }
        all
    }

    /// The element that follows: a record, a line, a line with its time, a row, or a list of fields.
    fn element_of<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        text: &'a str,
        columns: Option<&Columns>,
    ) -> Outcome {
        if reader.is_string() {
            return match reader.string(&"a line") {
                Ok(line) => self.inner_line(&line),
                Err(_) => Outcome::Broken,
            };
        }
        match text.as_bytes().get(reader.offset()) {
            Some(b'{') => self.record(reader, text),
            Some(b'[') => match (columns, reader.raw()) {
                (_, Err(_)) => Outcome::Broken,
                (Some(columns), Ok(row)) => match columns.object_of_array(row.get()) {
                    Some(object) => self.record(&mut Reader::new(&object), &object),
                    None => Outcome::Broken,
                },
                (None, Ok(row)) => self.pair_or_fields(row.get()),
            },
            _ => match reader.skip() {
                Ok(()) => Outcome::Other,
                Err(_) => Outcome::Broken,
            },
        }
    }

    /// A time and a line, as in Loki; or a list of fields, as in Logs Insights.
    fn pair_or_fields(&mut self, text: &str) -> Outcome {
        match line_of_pair(text) {
            Some(line) => {
                let outer = self.enter(Format::Loki);
                let outcome = self.inner_line(&line);
                self.format = outer;
                outcome
            }
            None if self.lists >= MOST_LAYERS => Outcome::Other,
            None => {
                self.lists += 1;
                let outcome = self.list_of(&mut Reader::new(text), text, None);
                self.lists -= 1;
                outcome
            }
        }
    }

    /// The object that follows.
    fn record<'a>(&mut self, reader: &mut Reader<'a>, text: &'a str) -> Outcome {
        let start = reader.offset();
        let Ok(record) = Record::read(reader, formats::known) else {
            return Outcome::Broken;
        };
        if record.is_event {
            let text = text.get(start..reader.offset()).unwrap_or_default();
            return match parse_element(text) {
                Some(event) => self.event(&event, text),
                None => Outcome::Broken,
            };
        }
        let Some((format, content)) = formats::open(&record) else {
            return Outcome::Other;
        };
        if let Content::List(list) = content {
            return self.nested(list, None);
        }
        let outer = self.enter(format);
        let outcome = self.content(content);
        self.format = outer;
        outcome
    }

    fn content(&mut self, content: Content<'_>) -> Outcome {
        match content {
            Content::Line(line) => self.inner_line(&line),
            Content::Piece {
                stream,
                text,
                is_last,
            } => self.piece(stream, text, is_last),
            Content::Value(text) | Content::List(text) => self.nested(text, None),
            Content::Rows { columns, rows } => match Columns::of_json(columns) {
                Some(columns) => self.nested(rows, Some(&columns)),
                None => Outcome::Broken,
            },
            Content::Event(text) => match parse_element(&text) {
                Some(event) => self.event(&event, &text),
                None => Outcome::Broken,
            },
            Content::Encoded(text) => self.encoded(text),
            Content::Nothing => Outcome::Opened,
        }
    }

    /// The JSON text of a value in a record.
    fn nested(&mut self, text: &str, columns: Option<&Columns>) -> Outcome {
        if self.layers >= MOST_LAYERS {
            return Outcome::Broken;
        }
        self.layers += 1;
        let mut reader = Reader::new(text);
        let outcome = match text.starts_with('[') {
            true => self.list_of(&mut reader, text, columns),
            false => self.record(&mut reader, text),
        };
        self.layers -= 1;
        outcome
    }

    /// A line in a record. Other logs than audit logs have entries, too.
    fn inner_line(&mut self, line: &str) -> Outcome {
        if self.layers >= MOST_LAYERS {
            return Outcome::Broken;
        }
        self.layers += 1;
        let outcome = self.line(line);
        self.layers -= 1;
        match outcome {
            Outcome::Stop | Outcome::Opened => outcome,
            // Only a cut event is a loss.
            Outcome::Broken if line.contains("auditID") => {
                self.found.broken += 1;
                Outcome::Opened
            }
            Outcome::Broken | Outcome::Other => {
                self.found.other += 1;
                Outcome::Opened
            }
        }
    }

    fn piece(&mut self, stream: &str, text: &str, is_last: bool) -> Outcome {
        match self.pieces.add(stream, text, is_last) {
            Joined::Alone => self.inner_line(text),
            Joined::Line(line) => self.inner_line(&line),
            Joined::Kept => Outcome::Opened,
            Joined::TooLong => Outcome::Broken,
        }
    }

    fn encoded(&mut self, text: &str) -> Outcome {
        let Some(bytes) = decoded(text) else {
            return Outcome::Broken;
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut all = Outcome::Other;
        for line in text.lines().filter(|line| !line.trim_ascii().is_empty()) {
            match self.inner_line(line) {
                Outcome::Stop => return Outcome::Stop,
                outcome => all = outcome,
            }
        }
        all
    }

    fn batch(&mut self, items: &[&str]) -> Outcome {
        for item in items {
            match parse_element(item) {
                Some(event) => {
                    if self.event(&event, item) == Outcome::Stop {
                        return Outcome::Stop;
                    }
                }
                None => self.found.broken += 1,
            }
        }
        Outcome::Opened
    }

    fn event(&mut self, event: &Event<'_>, text: &str) -> Outcome {
        match (self.each)(event, text, self.format) {
            ControlFlow::Continue(()) => Outcome::Opened,
            ControlFlow::Break(()) => Outcome::Stop,
        }
    }

    /// Enters a layer, and returns the format before. The outermost format counts, unless an inner one lacks fields.
    fn enter(&mut self, format: Format) -> Format {
        let outer = self.format;
        if outer == Format::Events || !format.lacks().is_empty() {
            self.format = format;
        }
        outer
    }
}
