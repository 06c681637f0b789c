//! The totals of logs, which add up to the totals of one run over all logs.

use super::accounting::Accounting;
use super::report::Report;
use super::sample::{Class, Sample};
use super::seats_in_use::LevelSeats;
use super::tally::Tally;
use super::waiting::WaitModel;
use super::work::LevelWork;
use crate::audit::{Counts, Event, Stage};
use crate::metrics::StoredObjects;
use crate::saved::numbers;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt;

/// The most requests that are looked up in other partial results; older ones count where they began.
pub(super) const MAX_OPEN_REQUESTS: usize = 1 << 16;

/// The tolerance for the order of events: a server writes them by the time of their stage, but not exactly.
const DISORDER: i64 = 1_000_000;

/// The totals of the requests in audit logs.
///
/// Sums are kept, not requests: the memory depends on the number of users and flows and on the time, not on the number of requests.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    pub(super) tally: Tally,
    /// The flow schemas of the configuration.
    pub(super) classes: Vec<Class>,
    /// The flow schemas of the proposed configuration, if there is a proposal.
    pub(super) proposed: Option<Vec<Class>>,
    /// Whether another run may read the ends of requests that are not complete.
    pub(super) is_partial: bool,
    /// The newest requests that were not complete, and are not in the tally.
    pub(super) open: VecDeque<Open>,
    /// The requests that began before their log: another run may have them among `open`.
    pub(super) ended: HashSet<String>,
    /// The latest arrival of a request that may have begun before the log that is being read.
    pub(super) begin: Begin,
    /// The seats of each level: the least on one server, and the most on all servers together. `None` if the seats of a server are not known.
    pub(super) limits: Option<BTreeMap<String, LevelSeats>>,
    /// The stored objects by which seats were estimated; `None` if several runs have different ones.
    pub(super) stored: Option<StoredObjects>,
    /// Whether these are totals of a run, to which totals of another configuration are not added.
    pub(super) is_of_run: bool,
    /// The queues from which waits are estimated that the logs do not have; `None` if the limits are not known.
    pub(super) model: Option<WaitModel>,
}

/// A request that was not complete at the end of the logs of one run. Another run may have read its end.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Open {
    pub(super) key: String,
    /// Whether its response had started, so that the impersonated user is known.
    pub(super) started: bool,
    pub(super) sample: Sample,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Begin {
    /// No event of the log was read.
    #[default]
    Unknown,
    /// The limit; `None` if the first event is without a time.
    At(Option<i64>),
}

/// Partial results of different configurations, which cannot be added: other flow schemas, or another proposed configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferentFlowSchemas;

impl fmt::Display for DifferentFlowSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the partial results have different flow schemas or different proposed configurations",
        )
    }
}

impl std::error::Error for DifferentFlowSchemas {}

impl Traffic {
    /// The totals of no request.
    pub fn new(accounting: &Accounting) -> Self {
        let (are_known, limits) = accounting.limits();
        Self {
            classes: accounting.classes().to_vec(),
            proposed: accounting.proposed_classes().map(<[Class]>::to_vec),
            limits: are_known.then(|| limits.clone()),
            stored: Some(accounting.stored_objects().clone()),
            is_of_run: true,
            model: accounting.server().cloned().map(WaitModel::new),
            ..Self::default()
        }
    }

    /// Totals that are to be added to the totals of other logs. Up to 65,536 incomplete requests are kept, because
    /// another log may contain their last event.
    pub fn partial(accounting: &Accounting) -> Self {
        Self {
            is_partial: true,
            ..Self::new(accounting)
        }
    }

    /// A log begins: call this before the first [`add`](Self::add) for each log.
    pub fn begin_log(&mut self) {
        self.begin = Begin::Unknown;
    }

    /// Adds a request that [`AuditLog::read`](crate::audit::AuditLog::read) reports.
    pub fn add(&mut self, event: &Event<'_>, sample: Sample) {
        if !event.is_last() && event.reached_flow_control() {
            return self.add_open(event, sample);
        }
        if let Begin::Unknown = self.begin {
            let begin = event.stage_us().or(event.received_us());
            self.begin = Begin::At(begin.map(|begin| begin + DISORDER));
        }
        let Begin::At(limit) = self.begin else { return };
        let may_be_open = self.is_partial && self.ended.len() < MAX_OPEN_REQUESTS;
        if may_be_open && event.received_us() <= limit {
            self.ended.insert(key(event));
        }
        match &mut self.model {
            Some(model) => model.add(sample, &mut |sample| self.tally.add(sample)),
            None => self.tally.add(sample),
        }
    }

    /// Ends the requests whose waits are being estimated.
    pub(super) fn finish(&mut self) {
        if let Some(model) = &mut self.model {
            model.finish(&mut |sample| self.tally.add(sample));
        }
    }

    /// Adds a request that is not complete, as [`AuditLog::finish`](crate::audit::AuditLog::finish) reports it.
    pub fn add_open(&mut self, event: &Event<'_>, sample: Sample) {
        if !self.is_partial {
            self.tally.incomplete += 1;
            return self.tally.add(sample);
        }
        self.open.push_back(Open {
            key: key(event),
            started: event.stage != Stage::RequestReceived,
            sample,
        });
        if self.open.len() > MAX_OPEN_REQUESTS
            && let Some(oldest) = self.open.pop_front()
        {
            self.tally.incomplete += 1;
            self.tally.add(oldest.sample);
        }
    }

    /// Adds the numbers of events and broken lines. Call it once, at the end of all logs.
    pub fn add_counts(&mut self, counts: &Counts) {
        self.tally.events += counts.events;
        self.tally.broken += counts.broken;
        self.tally.coverage.add_counts(counts);
    }

    /// Adds the totals of other logs.
    ///
    /// Each of the totals counts as a separate server.
    ///
    /// # Errors
    /// The other totals have other flow schemas or another proposed configuration.
    pub fn merge(&mut self, mut other: Self) -> Result<(), DifferentFlowSchemas> {
        other.finish();
        if !self.is_of_run {
            self.is_of_run = other.is_of_run;
            self.classes = other.classes;
            self.proposed = other.proposed;
            self.limits = other.limits;
            self.stored = other.stored;
        } else if (&self.classes, &self.proposed) != (&other.classes, &other.proposed) {
            return Err(DifferentFlowSchemas);
        } else {
            self.limits = self.limits.take().zip(other.limits).map(sum);
            if self.stored != other.stored {
                self.stored = None;
            }
        }
        self.tally.merge(other.tally);
        self.open.extend(other.open);
        self.ended.extend(other.ended);
        Ok(())
    }

    /// The report. Requests that are not complete in any log count as far as they are known.
    pub fn report(mut self) -> Report {
        self.finish();
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
        let levels = LevelWork::all(&tally, self.limits.as_ref());
        Report::new(
            tally,
            &self.classes,
            &levels,
            self.stored,
            self.limits.is_some(),
        )
    }
}

/// The seats of the levels of two servers.
fn sum(
    (mut own, other): (BTreeMap<String, LevelSeats>, BTreeMap<String, LevelSeats>),
) -> BTreeMap<String, LevelSeats> {
    for (name, seats) in other {
        let entry = own.entry(name);
        entry
            .and_modify(|own| {
                own.minimum = own.minimum.min(seats.minimum);
                own.maximum = numbers::sum(own.maximum, seats.maximum);
                own.queues |= seats.queues;
            })
            .or_insert(seats);
    }
    own
}

/// The identity of a request across logs.
fn key(event: &Event<'_>) -> String {
    format!("{} {}", event.audit_id, event.received)
}
