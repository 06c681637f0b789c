//! The parts of lines that container runtimes cut.

use std::collections::BTreeMap;

/// The most bytes of a line.
const LIMIT: usize = 64 << 20;
/// The most streams with an unfinished line. A pod has two.
const STREAMS: usize = 64;

/// The beginnings of unfinished lines, by stream.
#[derive(Debug, Default)]
pub(in crate::evidence::audit) struct Pieces(BTreeMap<String, String>);

/// The decision about a part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// The part is a line by itself.
    Alone,
    /// The end of a line, which is this.
    Line(String),
    /// A part that is kept.
    Kept,
    /// A line that is longer than any event.
    TooLong,
}

impl Pieces {
    /// Adds a part of a line.
    pub(super) fn add(&mut self, stream: &str, text: &str, is_last: bool) -> Joined {
        let begun = self.0.remove(stream);
        if begun.is_none() && is_last {
            return Joined::Alone;
        }
        let mut line = begun.unwrap_or_default();
        if line.len() + text.len() > LIMIT || self.0.len() >= STREAMS {
            return Joined::TooLong;
        }
        line.push_str(text);
        if is_last {
            return Joined::Line(line);
        }
        self.0.insert(stream.to_owned(), line);
        Joined::Kept
    }

    /// Whether no line is unfinished.
    pub(in crate::evidence::audit) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all parts, and returns the number of unfinished lines.
    pub(in crate::evidence::audit) fn clear(&mut self) -> u64 {
        let unfinished = self.0.len() as u64;
        self.0.clear();
        unfinished
    }
}
