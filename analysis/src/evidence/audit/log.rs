//! Reading a log.

use super::decompressed::decompressed;
use super::event::{Event, Stage};
use super::join::{Joined, Joiner};
use super::lines::{Found, Values};
use super::parse::{Parsed, parse, parse_element};
use std::borrow::Cow;
use std::io::{self, BufRead};

/// A reader of audit logs, which reports each request once.
///
/// [`read`](Self::read) can be called for several logs: the logs of several servers, or the parts of a rotated log with the oldest first.
/// [`finish`](Self::finish) reports the incomplete requests.
///
/// Up to 65,536 requests that are not complete are kept, in up to 64 MiB; then the oldest is reported. Events that a log has twice
/// count once if at most 131,072 requests lie between them.
#[derive(Debug, Default)]
pub struct AuditLog {
    joiner: Joiner,
    counts: Counts,
}

/// The content of logs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// The events.
    pub events: u64,
    /// The requests that were reported.
    pub requests: u64,
    /// The reported requests without a last event: they were running when the log ended.
    pub incomplete: u64,
    /// The values that are not events, such as a truncated line.
    pub broken: u64,
    /// The number of the line of the first of them, in its log.
    pub first_broken: Option<u64>,
}

impl AuditLog {
    /// A reader that has read nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a log, compressed with gzip or not, and calls `each` with the last event of every request that is complete.
    ///
    /// Values that are not events are counted and skipped.
    ///
    /// # Errors
    /// `input` cannot be read, or `each` fails.
    pub fn read<E: From<io::Error>>(
        &mut self,
        input: impl BufRead,
        mut each: impl FnMut(&Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut values = Values::new(decompressed(input)?);
        let mut bytes = Vec::new();
        loop {
            let line = match values.next(&mut bytes)? {
                Found::End => return Ok(()),
                Found::TooLong(line) => {
                    self.broken(line);
                    continue;
                }
                Found::Value(line) => line,
            };
            // Checking is faster than replacing, which almost no log needs.
            let text = match std::str::from_utf8(&bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => String::from_utf8_lossy(&bytes),
            };
            match parse(&text) {
                Some(Parsed::Event(event)) => self.event(&event, &text, &mut each)?,
                Some(Parsed::Batch(items)) => {
                    for item in items {
                        match parse_element(item) {
                            Some(event) => self.event(&event, item, &mut each)?,
                            None => self.broken(line),
                        }
                    }
                }
                None => self.broken(line),
            }
        }
    }

    /// Calls `each` with the requests that are not complete, and returns the counts of all logs.
    ///
    /// # Errors
    /// `each` fails.
    pub fn finish<E>(
        mut self,
        mut each: impl FnMut(&Event<'_>) -> Result<(), E>,
    ) -> Result<Counts, E> {
        while let Some(text) = self.joiner.pop() {
            self.report_incomplete(&text, &mut each)?;
        }
        Ok(self.counts)
    }

    /// The counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The number of requests that are not complete so far.
    pub fn open(&self) -> usize {
        self.joiner.open()
    }

    fn event<E>(
        &mut self,
        event: &Event<'_>,
        text: &str,
        each: &mut impl FnMut(&Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.counts.events += 1;
        match self.joiner.add(event, text) {
            Joined::Nothing => Ok(()),
            Joined::Report(earlier) => {
                self.counts.requests += 1;
                let earlier = earlier.as_deref().filter(|_| event.verb == "watch");
                let started = earlier
                    .and_then(parse_element)
                    .filter(|earlier| earlier.stage == Stage::ResponseStarted);
                match started {
                    Some(started) => each(&Event {
                        watch_started: started.stage_time,
                        ..event.clone()
                    }),
                    None => each(event),
                }
            }
            Joined::Evict(text) => self.report_incomplete(&text, each),
        }
    }

    fn report_incomplete<E>(
        &mut self,
        text: &str,
        each: &mut impl FnMut(&Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        // The text was an event before.
        let Some(event) = parse_element(text) else {
            return Ok(());
        };
        self.counts.requests += 1;
        self.counts.incomplete += 1;
        each(&event)
    }

    fn broken(&mut self, line: u64) {
        self.counts.broken += 1;
        self.counts.first_broken.get_or_insert(line);
    }
}
