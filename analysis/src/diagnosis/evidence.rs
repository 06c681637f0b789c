//! Everything that was read of a cluster.

use super::finding::Gap;
use super::log_tally::LogTally;
use super::observation::Period;
use crate::dumps::{AnyDump, PriorityLevelRow, QueueRow, RequestRow};
use crate::memory::MemoryEstimate;
use crate::metrics::catalog::REQUEST_WAIT_DURATION_SECONDS;
use crate::metrics::{FlowMetrics, Histograms, MachineMetrics, Quantity, ServerProcess};
use k8s_flowcontrol_rules::matching::User;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::fmt;
use std::time::Duration;

/// Everything that was read of a cluster.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evidence {
    /// The release of the servers.
    pub release: Release,
    /// All flow schemas of the cluster.
    pub flow_schemas: Vec<FlowSchema>,
    /// All priority levels of the cluster.
    pub priority_levels: Vec<PriorityLevelConfiguration>,
    /// The API servers that responded.
    pub servers: Vec<ServerEvidence>,
    /// The requests in audit logs.
    pub log: Option<LogTally>,
    /// The memory of the lists and watches in audit logs.
    pub memory: Option<MemoryEstimate>,
    /// Everything that could not be read, such as a server that is unreachable.
    pub gaps: Vec<Gap>,
}

impl Evidence {
    /// The objects of a cluster, without anything about its servers.
    pub fn new(
        release: Release,
        flow_schemas: Vec<FlowSchema>,
        priority_levels: Vec<PriorityLevelConfiguration>,
    ) -> Self {
        Self {
            release,
            flow_schemas,
            priority_levels,
            servers: Vec::new(),
            log: None,
            memory: None,
            gaps: Vec::new(),
        }
    }
}

/// The metrics and debug dumps of one API server, each `None` if it could not be read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServerEvidence {
    /// The name of the server in findings, such as its address.
    pub name: String,
    /// The metrics.
    pub metrics: Option<FlowMetrics>,
    /// An earlier sample of the metrics, and the time between the two. Without one, counters are totals since the server
    /// started.
    pub earlier: Option<(FlowMetrics, Duration)>,
    /// The waits that the server counted since it started.
    pub waits: Histograms,
    /// The waits of the earlier sample.
    pub earlier_waits: Option<Histograms>,
    /// The counters of the processor, the store and the memory.
    pub machine: Option<MachineMetrics>,
    /// The same counters in the earlier sample.
    pub earlier_machine: Option<MachineMetrics>,
    /// The process of the server.
    pub process: ServerProcess,
    /// The dump of priority levels.
    pub priority_levels: Option<Vec<PriorityLevelRow>>,
    /// The dump of queues.
    pub queues: Option<Vec<QueueRow>>,
    /// The dump of requests. User names need a dump with `includeRequestDetails`.
    pub requests: Option<Vec<RequestRow>>,
    /// Whether the dumps may have been read long before or after the metrics, so that levels had other limits than in the metrics.
    pub dumps_are_apart: bool,
}

impl ServerEvidence {
    /// A server of which nothing was read yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Sets the metrics from the text of `/metrics`.
    pub fn set_metrics(&mut self, text: &str) {
        self.metrics = Some(FlowMetrics::parse(text));
        self.waits = waits(text);
        self.machine = Some(MachineMetrics::parse(text));
        self.process = ServerProcess::parse(text);
    }

    /// Sets the earlier sample from the text of `/metrics`, which was read so long before that of [`set_metrics`](Self::set_metrics).
    ///
    /// # Errors
    /// The texts are of different processes, or in the wrong order. The server then lacks an earlier sample.
    pub fn set_earlier_metrics(
        &mut self,
        text: &str,
        interval: Duration,
    ) -> Result<(), NotEarlier> {
        let (earlier, process) = (FlowMetrics::parse(text), ServerProcess::parse(text));
        if let (Some(before), Some(now)) = (process.started, self.process.started)
            && before != now
        {
            return Err(NotEarlier::OtherProcess);
        }
        let metrics = self.metrics.as_ref();
        if metrics.is_some_and(|metrics| metrics.has_decreased_since(&earlier)) {
            return Err(match process.started.and(self.process.started) {
                Some(_) => NotEarlier::Later,
                None => NotEarlier::Decreased,
            });
        }
        self.earlier = Some((earlier, interval));
        self.earlier_waits = Some(waits(text));
        self.earlier_machine = Some(MachineMetrics::parse(text));
        Ok(())
    }

    /// Sets the rows of a dump.
    pub fn set_dump(&mut self, dump: AnyDump) {
        match dump {
            AnyDump::PriorityLevels(dump) => self.priority_levels = Some(dump.rows),
            AnyDump::Queues(dump) => self.queues = Some(dump.rows),
            AnyDump::Requests(dump) => self.requests = Some(dump.rows),
        }
    }

    /// The waits that the server counted in the interval, or since it started.
    pub fn counted_waits(&self) -> Histograms {
        let earlier = self.earlier_waits.as_ref();
        earlier.map_or_else(|| self.waits.clone(), |earlier| self.waits.since(earlier))
    }

    /// The increase of the machine's counters in the interval, or since the server started.
    pub(super) fn machine(&self) -> Option<(MachineMetrics, Period)> {
        let machine = self.machine?;
        Some(match (&self.earlier, &self.earlier_machine) {
            (Some((_, interval)), Some(earlier)) => {
                (machine.since(earlier), Period::Interval(*interval))
            }
            _ => (machine, Period::SinceStart),
        })
    }

    /// Whether it is known whether requests wait. The dumps of queues and of requests do not have rejections, and show nothing unless a request waits.
    pub(super) fn has_load(&self) -> bool {
        let metrics = self.metrics.as_ref();
        let mut levels = self.priority_levels.iter().flatten();
        let queues = self.queues.iter().flatten();
        let mut queues = queues.filter_map(|row| row.queue.as_ref());
        let requests = self.requests.iter().flatten();
        let mut requests = requests.filter_map(|row| row.request.as_ref());
        metrics.is_some_and(|metrics| metrics.metric(Quantity::WaitingRequests).is_some())
            || levels.any(|row| row.state.is_some())
            || queues.any(|queue| queue.pending_requests > 0)
            || requests.any(|request| request.index_in_queue.is_some())
    }
}

fn waits(metrics: &str) -> Histograms {
    Histograms::parse(metrics, &REQUEST_WAIT_DURATION_SECONDS)
}

/// The reason why metrics are not an earlier sample of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotEarlier {
    /// The server started at another time.
    OtherProcess,
    /// A counter is higher than in the later sample of the same process.
    Later,
    /// A counter is higher than in the later sample, and the start of the process is unknown.
    Decreased,
}

impl fmt::Display for NotEarlier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherProcess => {
                "the two samples are of different processes: the server restarted, or a load balancer chose another server"
            }
            Self::Later => "the sample that should be the earlier one has the higher counters",
            Self::Decreased => {
                "the sample that should be the earlier one has the higher counters: the server restarted, the samples are of different servers, or their \
                 order is wrong"
            }
        })
    }
}

impl std::error::Error for NotEarlier {}

/// The part of a cluster that a diagnosis is about, and the names in its findings. Defaults to everything, with all names.
#[derive(Clone, Copy, Default)]
pub struct Scope<'a> {
    /// Only the priority levels of this user's requests, and the requests themselves.
    pub user: Option<&'a User>,
    /// Whether the user may be in groups that `user` does not contain, because they are unknown. Then every priority
    /// level counts that the user might get through a group.
    pub any_groups: bool,
    /// Only this priority level.
    pub level: Option<&'a str>,
    /// The text that replaces a name in findings; defaults to the name.
    pub rename: Option<&'a dyn Fn(PrivateName<'_>) -> String>,
}

/// A name in a request, which may be private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PrivateName<'a> {
    /// The name of a user.
    User(&'a str),
    /// The name of a group.
    Group(&'a str),
    /// The name of a namespace.
    Namespace(&'a str),
}

impl Scope<'_> {
    /// The text for a name.
    pub(super) fn name(&self, name: PrivateName<'_>) -> String {
        match (self.rename, name) {
            (Some(rename), name) => rename(name),
            (None, PrivateName::User(name) | PrivateName::Group(name)) => name.to_owned(),
            (None, PrivateName::Namespace(name)) => name.to_owned(),
        }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("user", &self.user)
            .field("any_groups", &self.any_groups)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}
