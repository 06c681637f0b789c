//! The debug dumps of flow control: tables of priority levels, queues and requests.

mod queues;
mod tab_writer;

use crate::flow_control::{Executing, Flow, objects};
use crate::state::State;
use k8s_flowcontrol_rules::queueing::QueueSet;
use k8s_flowcontrol_rules::sharding::Dealer;
use k8s_flowcontrol_types::Kind as OwnKind;
use k8s_flowcontrol_types::api::v1::{PriorityLevelConfiguration, QueuingConfiguration};
use k8s_flowcontrol_types::{Fact, Release, Resource};
use queues::Queues;
use std::collections::{BTreeMap, BTreeSet};
use tab_writer::write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dump {
    PriorityLevels,
    Queues,
    Requests,
}

impl Dump {
    /// The dump with this name in paths.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "dump_priority_levels" => Some(Self::PriorityLevels),
            "dump_queues" => Some(Self::Queues),
            "dump_requests" => Some(Self::Requests),
            _ => None,
        }
    }
}

/// The names of the mandatory levels.
const MANDATORY: [&str; 2] = ["catch-all", "exempt"];
const EXEMPT: &str = "exempt";
const NONE: &str = "<none>";
/// The start of a request that waits: Go's zero time.
const NOT_STARTED: &str = "0001-01-01T00:00:00Z";

/// The text of a dump; `details` adds columns to that of requests.
pub(crate) fn dump(state: &State, dump: Dump, details: bool) -> String {
    match dump {
        Dump::PriorityLevels => with_tables(state, |tables| tables.priority_levels()),
        Dump::Queues => with_tables(state, Queues::of).text(),
        Dump::Requests => with_tables(state, |tables| tables.requests(details)),
    }
}

/// Reads the tables, while all requests to the server wait.
fn with_tables<T>(state: &State, read: impl FnOnce(&Tables<'_>) -> T) -> T {
    state.with_flow(|store, flow| {
        let mut levels: BTreeMap<String, Option<QueuingConfiguration>> =
            MANDATORY.map(|name| (name.to_owned(), None)).into();
        for level in objects::<PriorityLevelConfiguration>(
            store,
            &state.kinds,
            OwnKind::PriorityLevelConfiguration,
        ) {
            let name = level.name().to_owned();
            let limited = level.spec.limited;
            levels.insert(
                name,
                limited.and_then(|limited| limited.limit_response.queuing),
            );
        }
        // A deleted level stays until its last request has ended.
        let mut deleted = BTreeSet::new();
        for request in flow.executing() {
            let level = &request.priority_level;
            if !levels.contains_key(level) {
                levels.insert(level.clone(), None);
                deleted.insert(level.clone());
            }
        }
        read(&Tables {
            release: state.kinds.release,
            levels,
            deleted,
            flow,
        })
    })
}

struct Tables<'a> {
    release: Release,
    /// The levels, with their queues if they have any.
    levels: BTreeMap<String, Option<QueuingConfiguration>>,
    deleted: BTreeSet<String>,
    flow: &'a Flow,
}

impl Tables<'_> {
    fn counts(&self) -> bool {
        self.release.has(Fact::DumpsCountRequests)
    }

    /// The row of an exempt level in releases that do not count its requests.
    fn untold(&self, level: &str, columns: usize) -> Option<Vec<String>> {
        let untold = level == EXEMPT && !self.counts();
        untold.then(|| {
            let rest = std::iter::repeat_n(NONE.to_owned(), columns - 1);
            std::iter::once(level.to_owned()).chain(rest).collect()
        })
    }

    fn priority_levels(&self) -> String {
        let mut titles = vec![
            "PriorityLevelName",
            "ActiveQueues",
            "IsIdle",
            "IsQuiescing",
            "WaitingRequests",
            "ExecutingRequests",
        ];
        if self.counts() {
            titles.extend([
                "DispatchedRequests",
                "RejectedRequests",
                "TimedoutRequests",
                "CancelledRequests",
            ]);
        }
        let row = |level: &String| {
            let all = self.requests_of(level).count();
            let executing = self
                .requests_of(level)
                .filter(|request| request.started.is_some())
                .count();
            let mut row = vec![
                level.clone(),
                self.active_queues(level).to_string(),
                (all == 0).to_string(),
                self.deleted.contains(level).to_string(),
                (all - executing).to_string(),
                executing.to_string(),
            ];
            if self.counts() {
                let counts = self
                    .flow
                    .throttled()
                    .map(|throttle| throttle.level_counts(level));
                let counts = counts.unwrap_or_default();
                let waited = counts.timed_out + counts.cancelled;
                let rejected = counts.queue_full + counts.concurrency_limit + waited;
                let [timed_out, cancelled] = match self.release.has(Fact::OwnWaitLimits) {
                    true => [0, waited],
                    false => [counts.timed_out, counts.cancelled],
                };
                row.push(self.flow.dispatched(level).to_string());
                row.extend([rejected, timed_out, cancelled].map(|count| count.to_string()));
            }
            self.untold(level, titles.len()).unwrap_or(row)
        };
        let rows: Vec<_> = self.levels.keys().map(row).collect();
        write(&titles, &rows, Vec::clone)
    }

    fn requests(&self, details: bool) -> String {
        let mut titles = vec![
            "PriorityLevelName",
            "FlowSchemaName",
            "QueueIndex",
            "RequestIndexInQueue",
            "FlowDistingsher",
            "ArriveTime",
            "InitialSeats",
            "FinalSeats",
            "AdditionalLatency",
        ];
        if self.counts() {
            titles.push("StartTime");
        }
        if details {
            titles.extend([
                "UserName",
                "Verb",
                "APIPath",
                "Namespace",
                "Name",
                "APIVersion",
                "Resource",
                "SubResource",
            ]);
        }
        let mut rows = Vec::new();
        for level in self.levels.keys() {
            rows.extend(self.untold(level, titles.len()));
            if self.counts() {
                let requests = self.requests_of(level);
                rows.extend(requests.map(|request| self.request(request, details)));
            }
        }
        write(&titles, &rows, Vec::clone)
    }

    fn request(&self, executing: &Executing, details: bool) -> Vec<String> {
        let arrived = executing.arrived.to_string();
        let mut row = vec![
            executing.priority_level.clone(),
            executing.flow_schema.clone(),
            self.queue(executing).to_string(),
            self.place(executing)
                .map_or_else(|| "-1".into(), |(_, ahead)| ahead.to_string()),
            executing.flow_distinguisher.clone(),
            arrived,
            executing.work.initial_seats.to_string(),
            executing.work.final_seats.to_string(),
            // The additional latency of a server is a number of milliseconds.
            match executing.work.additional_latency.as_millis() {
                0 => "0s".into(),
                milliseconds => format!("{milliseconds}ms"),
            },
            executing
                .started
                .map_or_else(|| NOT_STARTED.into(), |started| started.to_string()),
        ];
        if details {
            let request = &executing.request;
            let version = match request.is_resource_request {
                true => version(&request.path),
                false => String::new(),
            };
            row.extend(
                [
                    request.user.name.as_str(),
                    &request.verb,
                    &request.path,
                    &request.namespace,
                    &request.name,
                    &version,
                    &request.resource,
                    &request.subresource,
                ]
                .map(str::to_owned),
            );
        }
        row
    }

    /// The requests of a level that wait or execute.
    fn requests_of<'a>(&'a self, level: &'a str) -> impl Iterator<Item = &'a Executing> {
        let executing = self.flow.executing();
        executing.filter(move |request| request.priority_level == level)
    }

    /// The queues of a level, if the server throttles.
    fn queue_set(&self, level: &str) -> Option<&QueueSet> {
        Some(self.flow.throttled()?.level(level)?.queues)
    }

    fn active_queues(&self, level: &str) -> usize {
        self.queue_set(level).map_or(0, QueueSet::waiting_queues)
    }

    /// The queue of a waiting request, and its index there.
    fn place(&self, request: &Executing) -> Option<(u32, u32)> {
        let level = self.flow.throttled()?.level(&request.priority_level)?;
        level.queues.place(request.ticket?.request)
    }

    /// The queue of a request; -1 for levels without queues.
    fn queue(&self, request: &Executing) -> i64 {
        if let Some(throttle) = self.flow.throttled() {
            let level = throttle.level(&request.priority_level);
            let queue = level
                .zip(request.ticket)
                .and_then(|(level, ticket)| level.queues.queue(ticket.request));
            return queue.map_or(-1, i64::from);
        }
        let Some(Some(queuing)) = self.levels.get(&request.priority_level) else {
            return -1;
        };
        let queues = queuing.queues.unwrap_or_default();
        let dealer = Dealer::new(queues, queuing.hand_size.unwrap_or_default());
        // All queues are empty, so the first queue of the hand is the shortest.
        dealer
            .ok()
            .and_then(|dealer| dealer.deal(request.flow_hash).first().copied())
            .map_or(0, i64::from)
    }
}

/// The version in a resource's path, after its group if it has one.
fn version(path: &str) -> String {
    let mut segments = path.trim_matches('/').split('/');
    let named = segments.next() == Some("apis");
    let parts: Vec<_> = segments.take(if named { 2 } else { 1 }).collect();
    parts.join("/")
}
