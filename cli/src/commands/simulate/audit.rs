//! `simulate --audit-log`: the requests of audit logs.

use super::sorted::{Entry, Sorter};
use crate::audit_logs::read_logs;
use crate::failure::Failure;
use crate::output::Streams;
use crate::stored::Inventory;
use k8s_flowcontrol::rules::simulation::{Recorded, Recording};
use std::io;
use std::path::PathBuf;

/// The requests of audit logs, prepared for one or two configurations.
pub(super) struct Logs {
    before: Recording,
    after: Option<Recording>,
    sorter: Sorter,
}

impl Logs {
    pub(super) fn read(
        files: &[PathBuf],
        stored: &Inventory,
        mut before: Recording,
        mut after: Option<Recording>,
        streams: &mut Streams,
    ) -> Result<Self, Failure> {
        let mut sorter = Sorter::default();
        read_logs(files, streams, |event, _, _| {
            let attributes = event.attributes();
            let stored = stored.of(&attributes.api_group, &attributes.resource);
            let first = before.add(event, &attributes, stored);
            let second = after
                .as_mut()
                .and_then(|after| after.add(event, &attributes, stored));
            let entry = Entry::new(first, second);
            entry.map_or(Ok(()), |entry| sorter.add(entry).map_err(unsorted))
        })?;
        if before.period_us().is_none() {
            return Err(
                Failure::input("the audit logs contain no request that flow control sees")
                    .hint("the times `requestReceivedTimestamp` of the events are needed, too"),
            );
        }
        Ok(Self {
            before,
            after,
            sorter,
        })
    }

    /// The times of the first and the last request, in microseconds since 1970.
    pub(super) fn period_us(&self) -> Option<(i64, i64)> {
        self.before.period_us()
    }

    /// Runs `replay` with each recording and its requests.
    pub(super) fn replay<T>(
        self,
        mut replay: impl FnMut(Recording, &mut dyn Iterator<Item = Recorded>) -> T,
    ) -> Result<(T, Option<T>), Failure> {
        let mut sorter = self.sorter;
        let mut run = |configuration, recording| {
            let result = replay(
                recording,
                &mut sorter.requests(configuration).map_err(unsorted)?,
            );
            sorter.problem().map_err(unsorted)?;
            Ok::<_, Failure>(result)
        };
        let before = run(0, self.before)?;
        let after = self.after.map(|after| run(1, after)).transpose()?;
        Ok((before, after))
    }
}

fn unsorted(error: io::Error) -> Failure {
    Failure::input(format!(
        "cannot sort the requests in temporary files: {error}"
    ))
    .hint("TMPDIR names the folder of these files")
}
