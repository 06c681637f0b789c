//! `simulate --audit-log`: the requests of audit logs.

use super::sorted::{Entry, Sorter};
use crate::audit_logs::read_logs;
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::simulation::{Recorded, Recording};
use std::io;
use std::path::PathBuf;

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
/// The longest simulated time: a server adjusts its limits every ten seconds of it.
const LONGEST_US: i64 = 366 * DAY_US;

/// The requests of audit logs, prepared for one or two configurations.
pub(super) struct Logs {
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
        read_logs(files, streams, |event, _, _| {
            let attributes = event.attributes();
            let stored = stored.of(&attributes.api_group, &attributes.resource);
            let mut added = recordings
                .iter_mut()
                .map(|recording| recording.add(event, &attributes, stored));
            let entry = Entry::new(added.next().flatten(), added.next().flatten());
            entry.map_or(Ok(()), |entry| sorter.add(entry).map_err(unsorted))
        })?;
        let logs = Self { recordings, sorter };
        match logs.period_us() {
            Some((first, last)) if last.saturating_sub(first) > LONGEST_US => {
                let days = last.saturating_sub(first) / DAY_US;
                Err(Failure::input(format!(
                    "the requests of the audit logs are {days} days apart, and a simulation has at most 366"
                ))
                .hint("remove the events whose `requestReceivedTimestamp` is wrong, or simulate a part of the log"))
            }
            Some(_) => Ok(logs),
            None => Err(
                Failure::input("the audit logs contain no request that flow control sees")
                    .hint("the times `requestReceivedTimestamp` of the events are needed, too"),
            ),
        }
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
        let mut sorter = self.sorter;
        let mut learned: Option<Recording> = None;
        let mut run = |(index, mut recording): (usize, Recording)| {
            match &learned {
                Some(learned) => recording.learn_from(learned),
                None => {
                    recording.find_loops(sorter.requests(index).map_err(unsorted)?);
                    for _ in 0..Recording::ESTIMATES {
                        recording.estimate_waits(sorter.requests(index).map_err(unsorted)?);
                    }
                    sorter.problem().map_err(unsorted)?;
                    learned = Some(recording.clone());
                }
            }
            let result = replay(recording, &mut sorter.requests(index).map_err(unsorted)?);
            sorter.problem().map_err(unsorted)?;
            Ok(result)
        };
        self.recordings
            .into_iter()
            .enumerate()
            .map(&mut run)
            .collect()
    }
}

fn unsorted(error: io::Error) -> Failure {
    Failure::input(format!(
        "cannot sort the requests in temporary files: {error}"
    ))
    .hint("TMPDIR names the folder of these files")
}
