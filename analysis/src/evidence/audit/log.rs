//! Reading a log.

use super::decompressed::decompressed;
use super::envelope::{Columns, Format, Found, Opener, Outcome, Pieces};
use super::event::{Event, Stage};
use super::join::{Joined, Joiner};
use super::lines::{Entries, Entry};
use super::minutes::Minutes;
use super::parse::{Parsed, parse, parse_element};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// A reader of audit logs, which reports each request once.
///
/// [`read`](Self::read) can be called for several logs: the logs of several servers, or the parts of a rotated log with the oldest first.
/// [`finish`](Self::finish) reports the incomplete requests.
///
/// Up to 65,536 requests that are not complete are kept, in up to 64 MiB; then the oldest is reported. Events that a log has twice
/// count once if at most 131,072 requests lie between them.
#[derive(Debug)]
pub struct AuditLog {
    /// `None` if events are not joined.
    joiner: Option<Joiner>,
    counts: Counts,
    pieces: Pieces,
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
    /// The entries of known formats that are not audit events, such as the lines of other components of a control plane.
    pub other: u64,
    /// The events by the format in which they were delivered.
    pub formats: BTreeMap<Format, u64>,
    /// The events by stage, in the order of [`Stage::ALL`].
    pub stages: [u64; 4],
    /// The events by the level of the audit policy, in the order of [`Level::ALL`](super::Level::ALL).
    pub levels: [u64; 4],
    /// The minutes in which the events were written.
    pub(crate) minutes: Minutes,
}

impl Default for AuditLog {
    fn default() -> Self {
        Self {
            joiner: Some(Joiner::default()),
            counts: Counts::default(),
            pieces: Pieces::default(),
        }
    }
}

impl AuditLog {
    /// A reader that has read nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reader that reports every event, also each of several about one request, and keeps none.
    pub fn of_events() -> Self {
        Self {
            joiner: None,
            ..Self::default()
        }
    }

    /// Reads a log in any known [`Format`], compressed with gzip or zstd or not, and calls `each` with the last event of every request
    /// that is complete. Formats can alternate within a log. [`finish`](Self::finish) returns the other requests.
    ///
    /// Values that are not events are counted and skipped.
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::audit::AuditLog;
    ///
    /// let text = r#"{"kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "7", "stage": "ResponseComplete",
    ///     "requestURI": "/version", "verb": "get", "user": {"username": "alice"}}"#.replace('\n', "");
    /// let mut log = AuditLog::new();
    /// let mut users = Vec::new();
    /// log.read(text.as_bytes(), |event| {
    ///     users.push(event.attributes().user.name.to_string());
    ///     Ok::<(), std::io::Error>(())
    /// })?;
    /// assert_eq!((users.as_slice(), log.counts().broken), (["alice".to_owned()].as_slice(), 0));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// `input` cannot be read, or `each` fails.
    pub fn read<E: From<io::Error>>(
        &mut self,
        input: impl BufRead,
        each: impl FnMut(&Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read_part(input, each)?;
        let cut = self.pieces.clear();
        self.counts.broken += cut;
        Ok(())
    }

    /// Reads a part of a log that ends with the end of a line, as [`read`](Self::read) does. A line that a container runtime has cut into
    /// several can continue in the next part.
    ///
    /// # Errors
    /// As of [`read`](Self::read).
    pub fn read_part<E: From<io::Error>>(
        &mut self,
        input: impl BufRead,
        each: impl FnMut(&Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failure = None;
        let read = self.read_entries(decompressed(input)?, &mut stopping(each, &mut failure));
        failure.map_or(Ok(()), Err)?;
        Ok(read?)
    }

    /// Reads until the end, or until `each` stops it.
    fn read_entries(&mut self, input: Box<dyn BufRead + '_>, each: Each<'_>) -> io::Result<()> {
        let mut entries = Entries::new(input);
        let mut bytes = Vec::new();
        let mut table = None::<Columns>;
        let mut is_first = true;
        loop {
            let entry = entries.next(&mut bytes)?;
            let (line, columns) = match entry {
                Entry::End => break,
                Entry::Broken(line) => {
                    self.broken(line, 1);
                    continue;
                }
                Entry::Line(line) => (line, None),
                Entry::Element(line) => (line, entries.columns().cloned()),
            };
            if table.is_some() {
                entries.complete_row(&mut bytes)?;
            }
            // Checking is faster than replacing, which almost no log needs.
            let text = match std::str::from_utf8(&bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => String::from_utf8_lossy(&bytes),
            };
            if std::mem::take(&mut is_first) {
                table = Columns::of_header(&text);
                if table.is_some() {
                    continue;
                }
            }
            let row = table.as_ref().map(|table| table.object_of_csv(&text));
            let text = match row {
                Some(Some(row)) => Cow::Owned(row),
                Some(None) => {
                    self.broken(line, 1);
                    continue;
                }
                None => text,
            };
            let is_element = matches!(entry, Entry::Element(_)) || table.is_some();
            if self
                .open_entry(&text, line, is_element, columns.as_ref(), each)
                .is_break()
            {
                break;
            }
        }
        Ok(())
    }

    /// Whether the end of a line that a container runtime has cut is still to be read.
    pub fn is_within_line(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Calls `each` with the requests that are not complete, and returns the counts of all logs.
    ///
    /// # Errors
    /// `each` fails.
    pub fn finish<E>(mut self, each: impl FnMut(&Event<'_>) -> Result<(), E>) -> Result<Counts, E> {
        let mut failure = None;
        self.report_open(&mut stopping(each, &mut failure));
        failure.map_or(Ok(self.counts), Err)
    }

    /// The counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The number of requests that are not complete so far.
    pub fn open(&self) -> usize {
        self.joiner.as_ref().map_or(0, Joiner::open)
    }

    fn report_open(&mut self, each: Each<'_>) {
        let mut joiner = self.joiner.take().unwrap_or_default();
        while let Some(text) = joiner.pop() {
            if self.counts.report_incomplete(&text, each).is_break() {
                break;
            }
        }
    }

    fn open_entry(
        &mut self,
        text: &str,
        line: u64,
        is_element: bool,
        columns: Option<&Columns>,
        each: Each<'_>,
    ) -> ControlFlow<()> {
        let (mut joiner, counts) = (self.joiner.as_mut(), &mut self.counts);
        let mut found = Found::default();
        let mut receive = |event: &Event<'_>, text: &str, format: Format| {
            counts.event(joiner.as_deref_mut(), event, text, format, each)
        };
        let mut opener = Opener::new(&mut self.pieces, &mut found, &mut receive);
        let outcome = match is_element {
            true => opener.element(text, columns),
            false => opener.line(text),
        };
        match outcome {
            Outcome::Broken => found.broken += 1,
            Outcome::Other if is_element => found.other += 1,
            Outcome::Other => found.broken += 1,
            Outcome::Opened => {}
            Outcome::Stop => return ControlFlow::Break(()),
        }
        self.counts.other += found.other;
        self.broken(line, found.broken);
        ControlFlow::Continue(())
    }

    fn broken(&mut self, line: u64, count: u64) {
        if count > 0 {
            self.counts.broken += count;
            self.counts.first_broken.get_or_insert(line);
        }
    }
}

/// Receives events, and may stop the reading. One form for all callers, so that the reading is compiled once.
type Each<'a> = &'a mut dyn FnMut(&Event<'_>) -> ControlFlow<()>;

/// Calls `each` until it fails, and keeps its error.
fn stopping<E>(
    mut each: impl FnMut(&Event<'_>) -> Result<(), E>,
    failure: &mut Option<E>,
) -> impl FnMut(&Event<'_>) -> ControlFlow<()> {
    move |event| match each(event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            *failure = Some(error);
            ControlFlow::Break(())
        }
    }
}

impl Counts {
    fn event(
        &mut self,
        joiner: Option<&mut Joiner>,
        event: &Event<'_>,
        text: &str,
        format: Format,
        each: Each<'_>,
    ) -> ControlFlow<()> {
        self.events += 1;
        *self.formats.entry(format).or_default() += 1;
        self.stages[event.stage as usize] += 1;
        self.levels[event.level as usize] += 1;
        self.minutes.add(event);
        let Some(joiner) = joiner else {
            self.requests += u64::from(event.is_last());
            return each(event);
        };
        match joiner.add(event, text) {
            Joined::Nothing => ControlFlow::Continue(()),
            Joined::Report(earlier) => {
                self.requests += 1;
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

    fn report_incomplete(&mut self, text: &str, each: Each<'_>) -> ControlFlow<()> {
        // The text was an event before.
        let Some(event) = parse_element(text) else {
            return ControlFlow::Continue(());
        };
        self.requests += 1;
        self.incomplete += 1;
        each(&event)
    }
}

/// The error of [`read_batch`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The text is not an `EventList` of `audit.k8s.io`.
    NotABatch,
    /// An item is not an audit event. The number is its index.
    NotAnEvent(usize),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotABatch => f.write_str(
                "the body is not a batch of audit events: expected an EventList of audit.k8s.io/v1 in JSON",
            ),
            Self::NotAnEvent(index) => write!(
                f,
                "items[{index}] is not an audit event: expected an Event of audit.k8s.io/v1"
            ),
        }
    }
}

impl std::error::Error for BatchError {}

/// Reads a batch as kube-apiserver posts it to an audit webhook: an `EventList` of `audit.k8s.io/v1` or `v1beta1` in JSON. Calls `each`
/// with every event, and returns their number.
///
/// # Errors
/// The text is not a batch, or an item is not an event. `each` may have been called with the items before it.
pub fn read_batch(text: &str, mut each: impl FnMut(&Event<'_>)) -> Result<u64, BatchError> {
    let Some(Parsed::Batch(items)) = parse(text) else {
        return Err(BatchError::NotABatch);
    };
    for (index, item) in items.iter().enumerate() {
        let event = parse_element(item).ok_or(BatchError::NotAnEvent(index))?;
        each(&event);
    }
    Ok(items.len() as u64)
}
