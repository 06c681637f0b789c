//! Reading audit logs: several files, compressed or not, and the standard input.

use crate::failure::Failure;
use crate::input;
use crate::output::{Streams, note, plural};
use k8s_flowcontrol::rules::matching::RequestAttributes;
use k8s_flowcontrol_analysis::audit::{AuditLog, Counts, Event, decompressed};
use k8s_flowcontrol_analysis::traffic::CoverageTally;
use std::cell::RefCell;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Reads logs, and calls `each` with the last event of every request and the index of its log. Requests that are not complete come at
/// the end, with the number of logs as the index.
///
/// Lines without an audit event are skipped with a warning for each log. A log without any event is an error.
///
/// Gaps of the logs are printed as notes at the end: times without events, sampling, missing stages, fields and kinds of requests.
pub(crate) fn read_logs(
    files: &[PathBuf],
    streams: &mut Streams,
    each: impl FnMut(&Event<'_>, usize, &mut Streams) -> Result<(), Failure>,
) -> Result<Counts, Failure> {
    read_logs_of(files, "", streams, each)
}

/// As [`read_logs`]; notes begin with `whose`, which tells the logs from others of the same run.
pub(crate) fn read_logs_of(
    files: &[PathBuf],
    whose: &str,
    streams: &mut Streams,
    mut each: impl FnMut(&Event<'_>, usize, &mut Streams) -> Result<(), Failure>,
) -> Result<Counts, Failure> {
    let mut coverage = CoverageTally::default();
    let counts = read_logs_without_notes(files, streams, &mut |event, log, streams| {
        coverage.add_event(event);
        each(event, log, streams)
    })?;
    coverage.add_counts(&counts);
    for gap in coverage.report(counts.requests).notes {
        note(streams, &format!("{whose}{gap}"))?;
    }
    Ok(counts)
}

/// The requests of audit logs that a simulation leaves out, or of which it does not know all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unsimulated {
    long_running: usize,
    /// They can have executed or not.
    without_duration: usize,
}

impl Unsimulated {
    /// Counts a request, if flow control does not apply to it, or if its execution is unknown.
    pub(crate) fn add(&mut self, event: &Event<'_>, attributes: &RequestAttributes) {
        if !attributes.is_subject_to_flow_control() {
            self.long_running += usize::from(event.is_last());
            return;
        }
        let is_simulated = event.reached_flow_control() && event.received_us().is_some();
        let is_rejected = event.is_rejected_by_flow_control();
        if is_simulated && !is_rejected && event.execution_time().is_none() {
            self.without_duration += 1;
        }
    }

    /// Prints the numbers that are not zero.
    pub(crate) fn note(self, streams: &mut Streams) -> Result<(), Failure> {
        if self.long_running > 0 {
            let requests = plural(self.long_running, "long-running request");
            let text = format!(
                "flow control does not apply to {requests} of the logs, which are not simulated"
            );
            note(streams, &text)?;
        }
        if self.without_duration > 0 {
            let requests = plural(self.without_duration, "request");
            let text = format!(
                "the logs do not have the duration of {requests}: simulated with the average of similar requests, or else of all, or with 10ms if the logs have no duration"
            );
            note(streams, &text)?;
        }
        Ok(())
    }
}

/// The error of a command that has nothing to show about logs without requests.
pub(crate) fn no_requests() -> Failure {
    Failure::input("the audit logs contain no requests").hint(
        "give the logs of an API server that runs with --audit-policy-file and --audit-log-path; \
        `kubectl flowcontrol traffic export --help` shows how to get them from a cloud",
    )
}

/// As [`read_logs`], for a report that has the gaps itself.
pub(crate) fn read_logs_without_notes(
    files: &[PathBuf],
    streams: &mut Streams,
    each: &mut dyn FnMut(&Event<'_>, usize, &mut Streams) -> Result<(), Failure>,
) -> Result<Counts, Failure> {
    let mut log = AuditLog::new();
    for (index, file) in files.iter().enumerate() {
        let before = log.counts().clone();
        let (input, problem) = Input::open(file)?;
        log.read(input, |event| each(event, index, streams))?;
        let name = input::name(file);
        if let Some(error) = problem.take() {
            // A log whose server is still writing it, or that was copied in part.
            if error.kind() != io::ErrorKind::UnexpectedEof {
                return Err(input::unreadable(&name, &error));
            }
            let warning = format!("{name} is incomplete: {error}");
            streams.err.warning(&warning)?;
        }
        let counts = log.counts();
        let broken = counts.broken - before.broken;
        let other = counts.other - before.other;
        if broken + other > 0 && counts.events == before.events {
            let failure = Failure::input(format!("{name} contains no audit events"));
            return Err(failure.hint(
                "expected events of audit.k8s.io/v1 in JSON, or an export of CloudWatch, Cloud Logging, Azure Monitor, Loki, Elasticsearch, Splunk or a log shipper that has them; \
                `kubectl flowcontrol traffic export --help` shows how to get one",
            ));
        }
        if other > 0 {
            let records = plural(other, "record");
            let warning = format!("{name}: skipped {records} of logs other than the audit log");
            streams.err.warning(&warning)?;
        }
        if broken > 0 {
            let first = match (before.broken, counts.first_broken) {
                (0, Some(line)) => format!("{name}:{line}"),
                _ => name,
            };
            let lines = plural(broken, "line");
            let warning = format!("{first}: skipped {lines} without an audit event");
            streams.err.warning(&warning)?;
        }
    }
    log.finish(|event| each(event, files.len(), streams))
}

/// The text of a log. An error of reading ends the text, and is kept apart from errors of writing.
struct Input {
    text: Box<dyn BufRead>,
    problem: Problem,
}

type Problem = Rc<RefCell<Option<io::Error>>>;

impl Input {
    fn open(file: &Path) -> Result<(Self, Problem), Failure> {
        let failed = |error: io::Error| input::unreadable(&input::name(file), &error);
        let text = input::open(file).and_then(decompressed).map_err(failed)?;
        let problem = Problem::default();
        let input = Self {
            text,
            problem: Rc::clone(&problem),
        };
        Ok((input, problem))
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = {
            let bytes = self.fill_buf()?;
            let length = bytes.len().min(into.len());
            into[..length].copy_from_slice(&bytes[..length]);
            length
        };
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.text.fill_buf() {
            Ok(bytes) => Ok(bytes),
            Err(error) => {
                self.problem.replace(Some(error));
                Ok(&[])
            }
        }
    }

    fn consume(&mut self, length: usize) {
        self.text.consume(length);
    }
}
