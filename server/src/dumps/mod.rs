//! The debug dumps of flow control: tables of priority levels, queues and requests.

mod tab_writer;

use crate::flow_control::{Executing, Flow, objects};
use crate::state::State;
use k8s_flowcontrol_rules::sharding::Dealer;
use k8s_flowcontrol_types::Kind as OwnKind;
use k8s_flowcontrol_types::api::v1::{PriorityLevelConfiguration, QueuingConfiguration};
use k8s_flowcontrol_types::{Release, Resource};
use std::collections::BTreeMap;
use tab_writer::write;

/// A debug dump.
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
/// The first release that counts requests and lists executing requests.
const COUNTING: u32 = 28;
const NONE: &str = "<none>";
const NO_WORK: &str = "0.00000000ss";

/// The text of a dump; `details` adds columns to that of requests.
pub(crate) fn dump(state: &State, dump: Dump, details: bool) -> String {
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
        let tables = Tables {
            release: state.kinds.release(),
            levels,
            flow,
        };
        match dump {
            Dump::PriorityLevels => tables.priority_levels(),
            Dump::Queues => tables.queues(),
            Dump::Requests => tables.requests(details),
        }
    })
}

struct Tables<'a> {
    release: Release,
    /// The levels, with their queues if they have any.
    levels: BTreeMap<String, Option<QueuingConfiguration>>,
    flow: &'a Flow,
}

impl Tables<'_> {
    fn counts(&self) -> bool {
        self.release.minor() >= COUNTING
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
            let executing = self.executing(level).count();
            let mut row = vec![
                level.clone(),
                "0".into(),
                (executing == 0).to_string(),
                "false".into(),
                "0".into(),
                executing.to_string(),
            ];
            if self.counts() {
                row.push(self.flow.dispatched(level).to_string());
                row.extend(["0", "0", "0"].map(str::to_owned));
            }
            self.untold(level, titles.len()).unwrap_or(row)
        };
        let rows: Vec<_> = self.levels.keys().map(row).collect();
        write(&titles, &rows)
    }

    fn queues(&self) -> String {
        let titles = [
            "PriorityLevelName",
            "Index",
            "PendingRequests",
            "ExecutingRequests",
            "SeatsInUse",
            "NextDispatchR",
            "InitialSeatsSum",
            "MaxSeatsSum",
            "TotalWorkSum",
        ];
        let mut rows = Vec::new();
        for (level, queuing) in &self.levels {
            rows.extend(self.untold(level, titles.len()));
            let Some(queuing) = queuing else { continue };
            let indices: Vec<_> = self
                .executing(level)
                .map(|request| self.queue(request))
                .collect();
            for index in 0..i64::from(queuing.queues.unwrap_or_default()) {
                let executing = indices.iter().filter(|used| **used == index).count();
                rows.push(vec![
                    level.clone(),
                    index.to_string(),
                    "0".into(),
                    executing.to_string(),
                    executing.to_string(),
                    NO_WORK.into(),
                    "0".into(),
                    "0".into(),
                    NO_WORK.into(),
                ]);
            }
        }
        write(&titles, &rows)
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
                let requests = self.executing(level);
                rows.extend(requests.map(|request| self.request(request, details)));
            }
        }
        write(&titles, &rows)
    }

    fn request(&self, executing: &Executing, details: bool) -> Vec<String> {
        let arrived = executing.arrived.to_string();
        let mut row = vec![
            executing.priority_level.clone(),
            executing.flow_schema.clone(),
            self.queue(executing).to_string(),
            "-1".into(),
            executing.flow_distinguisher.clone(),
            arrived.clone(),
            "1".into(),
            "0".into(),
            "0s".into(),
            arrived,
        ];
        if details {
            let request = &executing.request;
            let version = match request.is_resource_request {
                true => version(&request.path),
                false => "",
            };
            row.extend(
                [
                    request.user.name.as_str(),
                    &request.verb,
                    &request.path,
                    &request.namespace,
                    &request.name,
                    version,
                    &request.resource,
                    &request.subresource,
                ]
                .map(str::to_owned),
            );
        }
        row
    }

    fn executing<'a>(&'a self, level: &'a str) -> impl Iterator<Item = &'a Executing> {
        let executing = self.flow.executing();
        executing.filter(move |request| request.priority_level == level)
    }

    /// The queue of a request; -1 for levels without queues.
    fn queue(&self, request: &Executing) -> i64 {
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

/// The version in a resource's path.
fn version(path: &str) -> &str {
    let mut segments = path.trim_matches('/').split('/');
    match segments.next() {
        Some("apis") => segments.nth(1).unwrap_or_default(),
        _ => segments.next().unwrap_or_default(),
    }
}
