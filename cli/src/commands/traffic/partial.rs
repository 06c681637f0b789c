//! `--partial` and `traffic merge`: results of several runs that add up to the result of one run over all logs.

use super::sample::{Cell, Class, Deprecated, Load, Sample};
use super::sampler::{Open, Sampler, key};
use super::tally::{Flow, Minute, Tally};
use crate::audit_logs::read_logs;
use crate::failure::Failure;
use crate::output::{Streams, write_file};
use k8s_flowcontrol_analysis::audit::Event;
use k8s_flowcontrol_manifests::files::input::read_named;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

/// The name that tells a partial result from other JSON.
const KIND: &str = "TrafficPartial";
const SCHEMA_VERSION: u32 = 1;

/// A result that can be added to others.
#[derive(Clone, Debug, Default)]
pub(super) struct Partial {
    pub(super) tally: Tally,
    /// The flow schemas of the configuration.
    pub(super) classes: Vec<Class>,
    /// Whether another run may read the ends of requests that are not complete.
    pub(super) keeps_open: bool,
    /// The newest requests that were not complete, and are not in the tally.
    pub(super) open: VecDeque<Open>,
    /// The requests that began before their log: another run may have them among `open`.
    pub(super) ended: HashSet<String>,
}

/// The form in a file: lists, because JSON has only texts as keys.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    kind: String,
    schema_version: u32,
    events: u64,
    requests: u64,
    broken: u64,
    #[serde(default)]
    incomplete: u64,
    period: Option<(i64, i64)>,
    classes: Vec<Class>,
    cells: Vec<(Cell, Load)>,
    flows: Vec<(Flow, Load)>,
    minutes: Vec<(Minute, Load)>,
    deprecated: Vec<(Deprecated, u64)>,
    open: VecDeque<Open>,
    ended: Vec<String>,
}

/// The most requests that are looked up in other partial results; older ones count where they began.
const MAX_OPEN_REQUESTS: usize = 1 << 16;

/// The tolerance for the order of events: a server writes them by the time of their stage, but not exactly.
const DISORDER: i64 = 1_000_000;

impl Partial {
    /// Adds the requests of logs, and calls `each` for every request.
    pub(super) fn add_logs(
        &mut self,
        logs: &[PathBuf],
        sampler: &Sampler,
        streams: &mut Streams,
        mut each: impl FnMut(&Event<'_>, &Sample) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // The log that is being read, and the time at which it began.
        let mut begin = (usize::MAX, None);
        let counts = read_logs(logs, streams, |event, log, _| {
            let sample = sampler.sample(event);
            each(event, &sample)?;
            if log == logs.len() || !event.is_last() && event.reached_flow_control() {
                self.add_open(event, sample);
                return Ok(());
            }
            if begin.0 != log {
                begin = (log, event.stage_us().or(event.received_us()));
            }
            let limit = begin.1.map(|begin| begin + DISORDER);
            let may_be_open = self.keeps_open && self.ended.len() < MAX_OPEN_REQUESTS;
            if may_be_open && event.received_us() <= limit {
                self.ended.insert(key(event));
            }
            self.tally.add(sample);
            Ok(())
        })?;
        self.tally.events += counts.events;
        self.tally.broken += counts.broken;
        Ok(())
    }

    /// Adds a request that is not complete.
    fn add_open(&mut self, event: &Event<'_>, sample: Sample) {
        if !self.keeps_open {
            self.tally.incomplete += 1;
            return self.tally.add(sample);
        }
        self.open.push_back(Open::new(event, sample));
        if self.open.len() > MAX_OPEN_REQUESTS
            && let Some(oldest) = self.open.pop_front()
        {
            self.tally.incomplete += 1;
            self.tally.add(oldest.sample);
        }
    }

    pub(super) fn write(self, path: &Path) -> Result<(), Failure> {
        let tally = self.tally;
        let mut ended: Vec<_> = self.ended.into_iter().collect();
        ended.sort();
        let file = File {
            kind: KIND.to_owned(),
            schema_version: SCHEMA_VERSION,
            events: tally.events,
            requests: tally.requests,
            broken: tally.broken,
            incomplete: tally.incomplete,
            period: tally.period,
            classes: self.classes,
            cells: tally.cells.into_iter().collect(),
            flows: tally.flows.into_iter().collect(),
            minutes: tally.minutes.into_iter().collect(),
            deprecated: tally.deprecated.into_iter().collect(),
            open: self.open,
            ended,
        };
        let name = path.display();
        let text = serde_json::to_vec(&file)
            .map_err(|error| Failure::input(format!("cannot write {name}: {error}")))?;
        write_file(path, &text)
    }

    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display();
        let text = read_named(path)
            .map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
        let file: File = serde_json::from_slice(&text).map_err(|error| {
            Failure::input(format!("cannot read {name}: {error}"))
                .hint("expected a file that `kubectl flowcontrol traffic --partial FILE` wrote")
        })?;
        if file.kind != KIND || file.schema_version != SCHEMA_VERSION {
            return Err(Failure::input(format!(
                "{name} is no partial result of this version"
            )));
        }
        Ok(Self {
            tally: Tally {
                events: file.events,
                requests: file.requests,
                incomplete: file.incomplete,
                broken: file.broken,
                period: file.period,
                cells: file.cells.into_iter().collect(),
                flows: file.flows.into_iter().collect(),
                minutes: file.minutes.into_iter().collect(),
                deprecated: file.deprecated.into_iter().collect(),
            },
            classes: file.classes,
            keeps_open: true,
            open: file.open,
            ended: file.ended.into_iter().collect(),
        })
    }

    /// Adds the results of files.
    pub(super) fn merge(files: &[PathBuf]) -> Result<Self, Failure> {
        let mut all = Self::default();
        for file in files {
            let other = Self::read(file)?;
            if all.classes.is_empty() {
                all.classes = other.classes;
            } else if all.classes != other.classes {
                return Err(Failure::input(format!(
                    "{} has other flow schemas than {}",
                    file.display(),
                    files[0].display()
                ))
                .hint("make all partial results with the same configuration"));
            }
            all.tally.merge(other.tally);
            all.open.extend(other.open);
            all.ended.extend(other.ended);
        }
        Ok(all)
    }

    /// Adds the requests that are not complete in any log.
    pub(super) fn finish(self) -> (Tally, Vec<Class>) {
        let mut tally = self.tally;
        let mut open = BTreeMap::<String, Open>::new();
        for request in self.open {
            let is_later = |earlier: &Open| request.started && !earlier.started;
            if self.ended.contains(&request.key)
                || open
                    .get(&request.key)
                    .is_some_and(|earlier| !is_later(earlier))
            {
                continue;
            }
            open.insert(request.key.clone(), request);
        }
        for request in open.into_values() {
            tally.incomplete += 1;
            tally.add(request.sample);
        }
        (tally, self.classes)
    }
}
