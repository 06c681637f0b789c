//! The requests in audit logs, summed up for a diagnosis.

use super::evidence::Scope;
use crate::audit::Event;
use crate::times::{microseconds, widen};
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_rules::matching::Classifier;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::collections::BTreeMap;

/// The built-in flow schemas of requests that the cluster depends on.
const SYSTEM_SCHEMAS: &[&str] = &[
    "endpoint-controller",
    "kube-controller-manager",
    "kube-scheduler",
    "kube-system-service-accounts",
    "system-leader-election",
    "system-node-high",
    "system-nodes",
    "workload-leader-election",
];

/// A request that finds a free seat is in its queue for some microseconds, and for longer only if the processor is busy.
const SHORTEST_US: u64 = 10_000;

/// Requests of one kind in audit logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Requests {
    pub(super) all: u64,
    pub(super) rejected: u64,
    /// The time that they took together, in microseconds. Watches do not count.
    pub(super) busy_us: u64,
    /// The requests for which the log records a wait in a queue.
    pub(super) waited: u64,
    /// The longest recorded time in a queue, in microseconds.
    pub(super) longest_us: u64,
}

/// The requests of a flow, or of a user.
type Sums = BTreeMap<(String, String, String), Requests>;

/// The requests in audit logs, summed up for a diagnosis.
///
/// The names of users are kept for flow schemas that distinguish flows by user, and for the user of the scope.
///
/// ```
/// use k8s_flowcontrol_types::Release;
/// use k8s_flowcontrol_analysis::audit::AuditLog;
/// use k8s_flowcontrol_analysis::diagnosis::{LogTally, Scope};
///
/// let log = br#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"1","stage":"ResponseComplete",
///     "requestURI":"/version","verb":"get","user":{"username":"alice","groups":["system:authenticated"]}}"#;
/// let line = String::from_utf8_lossy(log).replace('\n', " ");
/// let mut tally = LogTally::new(&[], &[], Release::NEWEST, &Scope::default());
/// let mut audit = AuditLog::new();
/// audit.read(line.as_bytes(), |event| { tally.add(event); Ok::<(), std::io::Error>(()) }).unwrap();
/// assert_eq!(tally.requests(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct LogTally {
    classifier: Classifier,
    built_in: Classifier,
    user: Option<String>,
    requests: u64,
    period_us: Option<(i64, i64)>,
    /// By flow schema, level and flow distinguisher.
    pub(super) flows: Sums,
    /// Of the user of the scope: by flow schema, level and verb.
    pub(super) of_user: Sums,
    /// System requests by their built-in flow schema, and the flow schema and level that took them instead.
    pub(super) misplaced: BTreeMap<(String, String, String), u64>,
    user_groups: Vec<String>,
}

impl LogTally {
    /// An empty sum for requests to servers with these objects.
    pub fn new(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        release: Release,
        scope: &Scope<'_>,
    ) -> Self {
        Self {
            classifier: Classifier::new(flow_schemas, priority_levels, release),
            built_in: built_in(release),
            user: scope.user.map(|user| user.name.clone()),
            requests: 0,
            period_us: None,
            flows: Sums::new(),
            of_user: Sums::new(),
            misplaced: BTreeMap::new(),
            user_groups: Vec::new(),
        }
    }

    /// Adds a request: the last event about it. Requests that flow control does not see are skipped.
    pub fn add(&mut self, event: &Event<'_>) {
        let attributes = event.attributes();
        let taken = self.classifier.classify(&attributes);
        let Some(taken) = taken.filter(|_| event.reached_flow_control()) else {
            return;
        };
        self.requests += 1;
        let wait_us = microseconds(event.queue_wait().unwrap_or_default());
        let added = Requests {
            all: 1,
            rejected: u64::from(event.is_rejected_by_flow_control()),
            busy_us: duration_us(event),
            waited: u64::from(wait_us >= SHORTEST_US),
            longest_us: wait_us,
        };
        if let Some(time) = event.received_us() {
            widen(&mut self.period_us, time);
        }
        let key = |last: &str| {
            (
                taken.flow_schema.to_owned(),
                taken.priority_level.to_owned(),
                last.to_owned(),
            )
        };
        add(&mut self.flows, key(taken.flow_distinguisher), added);
        if self.user.as_deref() == Some(attributes.user.name.as_str()) {
            add(&mut self.of_user, key(&attributes.verb), added);
            self.user_groups.clone_from(&attributes.user.groups);
        }
        let own = self.built_in.classify(&attributes);
        let own = own.filter(|own| SYSTEM_SCHEMAS.contains(&own.flow_schema));
        if let Some(own) = own.filter(|own| own.flow_schema != taken.flow_schema) {
            let (schema, level, own) = key(own.flow_schema);
            *self.misplaced.entry((own, schema, level)).or_default() += 1;
        }
    }

    /// The groups of the scope's user in the latest request; `None` if the logs do not contain a request of the user.
    pub fn groups_of_user(&self) -> Option<&[String]> {
        Some(self.user_groups.as_slice()).filter(|groups| !groups.is_empty())
    }

    /// The arrivals of the first and the last of these requests, in microseconds since 1970; `None` without times.
    pub fn period_us(&self) -> Option<(i64, i64)> {
        self.period_us
    }

    /// The number of requests that flow control saw.
    pub fn requests(&self) -> u64 {
        self.requests
    }
}

/// The classifier of a server with the built-in objects alone.
pub(super) fn built_in(release: Release) -> Classifier {
    Classifier::new(
        &bootstrap::flow_schemas(release),
        &bootstrap::priority_levels(release),
        release,
    )
}

fn add(sums: &mut Sums, key: (String, String, String), added: Requests) {
    let sum = sums.entry(key).or_default();
    sum.all += added.all;
    sum.rejected += added.rejected;
    sum.busy_us = sum.busy_us.saturating_add(added.busy_us);
    sum.waited += added.waited;
    sum.longest_us = sum.longest_us.max(added.longest_us);
}

/// The time that a request kept its seats busy, which a watch does not do. Without recorded waits it includes the time in a queue.
fn duration_us(event: &Event<'_>) -> u64 {
    if event.verb == "watch" {
        return 0;
    }
    microseconds(event.execution_time().unwrap_or_default())
}
