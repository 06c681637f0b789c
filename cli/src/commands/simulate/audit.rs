//! `simulate --audit-log`: the requests of audit logs.

use super::sorted::{Entry, Sorter};
use crate::audit_logs::{Unsimulated, no_requests, read_logs};
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::rules::seats::Stored;
use k8s_flowcontrol_analysis::audit::Event;
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::simulation::{Recorded, Recording, Report};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
/// The longest simulated time: a server adjusts its limits every ten seconds of it.
const LONGEST_US: i64 = 366 * DAY_US;

/// The requests of audit logs, prepared for one or two configurations.
pub(crate) struct Logs {
    recordings: Vec<Recording>,
    sorter: Sorter,
}

impl Logs {
    pub(super) fn read(
        files: &[PathBuf],
        stored: &StoredObjects,
        mut recordings: Vec<Recording>,
        streams: &mut Streams,
    ) -> Result<Self, Failure> {
        let mut sorter = Sorter::default();
        let mut unsimulated = Unsimulated::default();
        let counts = read_logs(files, streams, |event, _, _| {
            let attributes = event.attributes();
            unsimulated.add(event, &attributes);
            let stored = stored.of(&attributes.api_group, &attributes.resource);
            let mut added = recordings
                .iter_mut()
                .map(|recording| recording.add(event, &attributes, stored));
            let entry = Entry::new(added.next().flatten(), added.next().flatten());
            entry.map_or(Ok(()), |entry| sorter.add(entry).map_err(unsorted))
        })?;
        if counts.requests == 0 {
            return Err(no_requests());
        }
        let logs = Self { recordings, sorter };
        match logs.period_us() {
            Some((first, last)) if last.saturating_sub(first) > LONGEST_US => {
                let days = last.saturating_sub(first) / DAY_US;
                Err(Failure::input(format!(
                    "the requests of the audit logs are {days} days apart, and a simulation has at most 366"
                ))
                .hint("remove the events whose `requestReceivedTimestamp` is wrong, or simulate a part of the log"))
            }
            Some(_) => {
                unsimulated.note(streams)?;
                Ok(logs)
            }
            None => Err(
                Failure::input("the audit logs contain no request that flow control sees")
                    .hint("failed authentications, long-running requests, such as `exec`, and events without `requestReceivedTimestamp` do not count; give logs with other requests"),
            ),
        }
    }

    /// Without requests, for one configuration.
    pub(crate) fn new(recording: Recording) -> Self {
        Self {
            recordings: vec![recording],
            sorter: Sorter::default(),
        }
    }

    /// Adds a request for the one configuration.
    pub(crate) fn add(&mut self, event: &Event<'_>, stored: Stored) -> Result<(), Failure> {
        let attributes = event.attributes();
        for recording in &mut self.recordings {
            let entry = Entry::new(recording.add(event, &attributes, stored), None);
            if let Some(entry) = entry {
                self.sorter.add(entry).map_err(unsorted)?;
            }
        }
        Ok(())
    }

    /// Simulates the configuration, and then the configuration that `change` chooses, if any.
    pub(crate) fn changed(
        mut self,
        change: impl FnOnce(&Recording, &Report) -> Option<Recording>,
    ) -> Result<Option<[Report; 2]>, Failure> {
        let Some(mut base) = self
            .recordings
            .pop()
            .filter(|base| base.period_us().is_some())
        else {
            return Ok(None);
        };
        learn(&mut base, &mut self.sorter)?;
        let mut replay = |recording: Recording| {
            let requests = self.sorter.entries().map_err(unsorted)?;
            let requests = base.separate_waits(requests.filter_map(|entry| entry.request()));
            let report = recording.replay(requests, |_| ());
            self.sorter.problem().map_err(unsorted)?;
            Ok::<_, Failure>(report)
        };
        let before = replay(base.clone())?;
        let Some(changed) = change(&base, &before) else {
            return Ok(None);
        };
        let after = replay(changed)?;
        Ok(Some([before, after]))
    }

    /// The times of the first and the last request, in microseconds since 1970.
    pub(super) fn period_us(&self) -> Option<(i64, i64)> {
        self.recordings.first()?.period_us()
    }

    /// Runs `replay` with each recording and its requests.
    pub(super) fn replay<T>(
        self,
        mut replay: impl FnMut(Recording, &mut dyn Iterator<Item = Recorded>) -> T,
    ) -> Result<Vec<T>, Failure> {
        let Self {
            mut recordings,
            mut sorter,
        } = self;
        let mut results = Vec::new();
        let Some(base) = recordings.first_mut() else {
            return Ok(results);
        };
        learn(base, &mut sorter)?;
        let base = base.clone();
        for (index, mut recording) in recordings.into_iter().enumerate() {
            recording.learn_from(&base);
            // The waits follow from the first configuration, which is that of the logs. Requests keep their order.
            let seconds = RefCell::new(VecDeque::new());
            let entries = sorter.entries().map_err(unsorted)?;
            let requests = entries.filter_map(|entry| {
                let request = entry.request()?;
                seconds.borrow_mut().push_back(entry.second_class());
                Some(request)
            });
            let mut requests = base.separate_waits(requests).filter_map(|mut request| {
                let second = seconds.borrow_mut().pop_front().flatten();
                if index > 0 {
                    request.class = second?;
                }
                Some(request)
            });
            results.push(replay(recording, &mut requests));
            drop(requests);
            sorter.problem().map_err(unsorted)?;
        }
        Ok(results)
    }
}

/// Learns from the requests how their clients and their executions depend on each other.
fn learn(base: &mut Recording, sorter: &mut Sorter) -> Result<(), Failure> {
    let requests = sorter.entries().map_err(unsorted)?;
    base.find_loops(requests.filter_map(|entry| entry.request()));
    sorter.problem().map_err(unsorted)?;
    let learned = base.clone();
    let requests = sorter.entries().map_err(unsorted)?;
    base.find_slowdown(learned.separate_waits(requests.filter_map(|entry| entry.request())));
    sorter.problem().map_err(unsorted)
}

fn unsorted(error: io::Error) -> Failure {
    Failure::input(format!(
        "cannot sort the requests in temporary files: {error}"
    ))
    .hint("TMPDIR names the folder of these files")
}
