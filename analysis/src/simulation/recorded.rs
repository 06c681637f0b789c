//! The requests of an audit log as a load.

mod prepared;
mod replay;

pub(crate) use prepared::Shape;

use super::averages::Executed;
use super::before::Before;
use super::causal::Causal;
use super::executing::Executing;
use super::explain::{RequestTrace, Tracer};
use super::flows::Flows;
use super::hidden::{Separate, Separator};
use super::logged::{Class, Recorded};
use super::loops::{Habit, habits, of_clock};
use super::run::{Observer, Run};
use super::slowdown::{Executions, Slowdown};
use super::start_delay::StartDelays;
use crate::api_resources::with_group;
use crate::audit::Event;
use crate::estimates;
use crate::metrics::Histograms;
use crate::times::{after, widen};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::matching::RequestAttributes;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Request, Stored};
use k8s_flowcontrol_rules::sharding::InvalidDealer;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::collections::HashMap;
use std::time::Duration;

/// The deadline of a request that asks for none, and the longest one: a server's default.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// The requests of audit logs, as a server with another or the same configuration would see them.
///
/// [`add`](Self::add) classifies a request and estimates its seats. The caller keeps the results, sorts them by time and hands
/// them to [`replay`](Self::replay). A recording needs memory for each flow and for each class of requests with the same flow,
/// verb, resource and seats, and not for each request.
///
/// ```
/// use k8s_flowcontrol_analysis::audit::AuditLog;
/// use k8s_flowcontrol_rules::seats::Stored;
/// use k8s_flowcontrol_analysis::simulation::Recording;
/// use k8s_flowcontrol_types::Release;
/// use std::time::Duration;
///
/// let log = r#"{"kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "7", "stage": "ResponseComplete",
///     "requestURI": "/api/v1/nodes", "verb": "list", "user": {"username": "alice"}, "objectRef": {"resource": "nodes"},
///     "requestReceivedTimestamp": "2026-01-02T03:04:05.000000Z", "stageTimestamp": "2026-01-02T03:04:05.020000Z"}"#;
/// let mut recording = Recording::of_objects(&[], &[], 600, Release::NEWEST)?;
/// let mut requests = Vec::new();
/// AuditLog::new().read(log.replace('\n', " ").as_bytes(), |event| {
///     requests.extend(recording.add(event, &event.attributes(), Stored::NotFound));
///     Ok::<(), std::io::Error>(())
/// })?;
/// requests.sort_by_key(|request| request.received_us);
/// let report = recording.replay(requests, |_| ());
/// assert_eq!((report.requests, report.end), (1, Duration::from_millis(20)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    pub(crate) server: FlowController,
    bounds: LevelBounds,
    estimator: Estimator,
    flows: Flows,
    /// The names of the kinds: the requests with the same verb and resource.
    kinds: Vec<String>,
    /// By verb, resource with its group, and subresource.
    known_kinds: HashMap<(String, String, String), u32>,
    classes: Vec<Class>,
    executed: Executed,
    known_classes: HashMap<Class, u32>,
    /// By user and user agent.
    clients: HashMap<String, HashMap<String, u32>>,
    next_client: u32,
    /// When each client sends its next request.
    habits: HashMap<u32, Habit>,
    /// [`find_slowdown`](Self::find_slowdown) comes before it.
    slowdown: Option<Slowdown>,
    is_slowdown_known: bool,
    recorded_waits: u64,
    counted_waits: Option<Histograms>,
    /// The times of the first and of the last request.
    period: Option<(i64, i64)>,
    /// The time at which the first request ended.
    first_end_us: Option<i64>,
    /// [`find_loops`](Self::find_loops) comes before it.
    before: Before,
}

impl Recording {
    /// A recording for a server with these limits at the time of the first request.
    pub fn new(server: FlowController, bounds: LevelBounds, estimator: Estimator) -> Self {
        Self {
            server,
            bounds,
            estimator,
            flows: Flows::default(),
            kinds: Vec::new(),
            executed: Executed::default(),
            known_kinds: HashMap::new(),
            classes: Vec::new(),
            known_classes: HashMap::new(),
            clients: HashMap::new(),
            next_client: 0,
            habits: HashMap::new(),
            slowdown: None,
            is_slowdown_known: true,
            recorded_waits: 0,
            counted_waits: None,
            period: None,
            first_end_us: None,
            before: Before::IDLE,
        }
    }

    /// A recording for a server with these objects and seats, and the default feature gates of `release`.
    ///
    /// # Errors
    /// If the queues of a level cannot be dealt.
    pub fn of_objects(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        seats: u32,
        release: Release,
    ) -> Result<Self, InvalidDealer> {
        let start = Duration::ZERO;
        let server = FlowController::new(flow_schemas, priority_levels, seats, release, start)?;
        let bounds = LevelBounds::new(priority_levels, seats, release);
        Ok(Self::new(server, bounds, Estimator::new(release)))
    }

    /// Adds a request, given by its last event, the attributes of that event and the stored objects of its resource.
    ///
    /// Returns `None` if flow control does not apply to the request, or if the event is without a time.
    pub fn add(
        &mut self,
        event: &Event<'_>,
        attributes: &RequestAttributes,
        stored: Stored,
    ) -> Option<Recorded> {
        let received_us = event.received_us()?;
        if !event.reached_flow_control() {
            return None;
        }
        // Recordings of the same log for other configurations have the same numbers.
        let (client, kind) = (self.client(event), self.kind(attributes));
        let class = self.classify(attributes, event.query(), stored, kind)?;
        Some(self.note(event, received_us, client, class))
    }

    /// Adds a request of a known class.
    pub(crate) fn add_of_class(&mut self, event: &Event<'_>, class: u32) -> Option<Recorded> {
        let received_us = event.received_us()?;
        if !event.reached_flow_control() {
            return None;
        }
        let client = self.client(event);
        Some(self.note(event, received_us, client, class))
    }

    fn note(&mut self, event: &Event<'_>, received_us: i64, client: u32, class: u32) -> Recorded {
        let bounded = |time: Option<Duration>| time.map(|time| time.min(Recorded::LONGEST));
        let execution = bounded(event.execution_time());
        if let Some(execution) = execution {
            self.executed.add(class, execution);
        }
        let observed = bounded(event.queue_wait());
        self.recorded_waits += u64::from(observed.is_some());
        let rejected = event.is_rejected_by_flow_control();
        widen(&mut self.period, received_us);
        let took = bounded(event.response_time());
        let end = took.map(|took| after(received_us, took));
        self.first_end_us = self.first_end_us.into_iter().chain(end).min();
        Recorded {
            received_us,
            class,
            execution,
            observed,
            client,
            took,
            rejected,
            overhead: Duration::ZERO,
        }
    }

    /// The times of the first and of the last request, in microseconds since 1970; `None` without requests.
    pub fn period_us(&self) -> Option<(i64, i64)> {
        self.period
    }

    /// Finds the clients that wait for a response before they send their next request, and the state of the server before the log.
    ///
    /// The requests must be sorted by time, and must be the requests of the following replay. The limits then begin as if the demand of the
    /// first ten seconds had lasted long before, unless the waits and executions of these seconds show an idle server. The `Retry-After`
    /// of a level is the value with which the first clients that wait for its end come back in time.
    pub fn find_loops(&mut self, requests: impl IntoIterator<Item = Recorded>) {
        let mut requests = requests.into_iter();
        let mut first = Vec::new();
        if let Some(first_end_us) = self.first_end_us {
            let beginning = self.beginning(first_end_us, kept(&mut requests, &mut first));
            self.before = beginning.find(&mut self.server);
        }
        let mut server = self.server.clone();
        let with_retry_after = first.into_iter().chain(requests).map(|request| {
            let retry_after = request.rejected.then(|| {
                let flow = self.classes[request.class as usize].flow;
                let level = self.flows.all[flow as usize].level;
                server.reject(of_clock(request.received_us), level)
            });
            (request, retry_after)
        });
        self.habits = habits(with_retry_after);
    }

    /// Takes out of the executions the waits that the log does not have: servers write them since 1.31, for requests that took
    /// more than half a second. The requests keep their order.
    ///
    /// The waits follow from the queues of this server, which get the requests of the log at their times. A rejection shows
    /// the time that the server needs besides. The requests must be sorted by time; none waits when the log begins.
    pub fn separate_waits<I: Iterator<Item = Recorded>>(
        &self,
        requests: I,
    ) -> impl Iterator<Item = Recorded> + use<'_, I> {
        let (first, _) = self.period.unwrap_or_default();
        let requests = requests.map(|request| (request, self.arriving(&request)));
        Separate::new(Separator::new(self.server.clone(), first), requests)
    }

    /// Sets the waits that the server counted over the time of the log ([`REQUEST_WAIT_DURATION_SECONDS`](crate::metrics::catalog::REQUEST_WAIT_DURATION_SECONDS)): the
    /// [increase](Histograms::since) between two samples. [`find_slowdown`](Self::find_slowdown) uses them if they are of the requests of the log: they are of
    /// all its requests, and recorded waits of the long ones.
    pub fn set_counted_waits(&mut self, waits: Histograms) {
        self.counted_waits = Some(waits).filter(|waits| *waits != Histograms::default());
    }

    /// Estimates how much requests slow each other down, and how long a request that waited has its seats before it begins.
    ///
    /// The requests must come from [`separate_waits`](Self::separate_waits). Without this, a request executes as long as in the log,
    /// however many others execute at the same time, and begins at once.
    pub fn find_slowdown(&mut self, requests: impl IntoIterator<Item = Recorded>) {
        let mut executions = Executions::new(self.period.unwrap_or_default());
        let mut delays = StartDelays::default();
        let requests = requests
            .into_iter()
            .inspect(|request| executions.add(request.class, request));
        let are_recorded = StartDelays::are_shown_by(self.recorded_waits);
        match are_recorded || self.counted_waits.is_some() {
            true => delays.compare(self, requests),
            false => requests.for_each(drop),
        }
        let counted = self.counted_waits.as_ref();
        let of_server = counted.and_then(|counted| delays.of_server(self, counted));
        let of_log = || delays.of_log().filter(|_| are_recorded);
        let found = executions.find(of_server.or_else(of_log).unwrap_or_default());
        (self.slowdown, self.is_slowdown_known) = (found.slowdown, found.is_known);
    }

    /// How many times as long a request executes if twice as many execute, as [`find_slowdown`](Self::find_slowdown) found it; none if the log does
    /// not show that requests slow each other down.
    pub fn slowdown(&self) -> Option<f64> {
        self.slowdown.as_ref()?.of_doubling()
    }

    /// Whether the log shows if requests slow each other down. It does not if about as many execute all the time.
    pub fn is_slowdown_known(&self) -> bool {
        self.is_slowdown_known
    }

    /// Replays the requests, and returns the traces of the first `most` requests of a flow, which is named by its flow schema
    /// and its flow distinguisher.
    pub fn explain(
        self,
        requests: impl IntoIterator<Item = Recorded>,
        flow: (&str, &str),
        most: usize,
    ) -> Vec<RequestTrace> {
        let names = self.kinds.clone();
        let mut run = self.prepare(requests.into_iter(), Tracer::new(names, flow, most));
        run.run(&mut |_| ());
        run.observer.traces
    }

    fn prepare<I: Iterator<Item = Recorded>, O: Observer>(
        mut self,
        mut requests: I,
        observer: O,
    ) -> Run<Causal<impl Iterator<Item = Recorded>>, O> {
        // Another configuration has the requests of the beginning on other levels.
        let mut first = Vec::new();
        self.begin(&self.before.clone(), kept(&mut requests, &mut first));
        let requests = first.into_iter().chain(requests);
        let (first, last) = self.period.unwrap_or_default();
        let executing = self.slowdown.clone().map(Executing::new);
        let names = self.kinds.clone();
        let server = self.server.clone();
        let (replay, flows) = self.into_source(requests);
        let duration = Duration::from_micros(last.abs_diff(first));
        Run::new(
            (server, executing),
            replay,
            duration,
            flows.all,
            names,
            observer,
        )
    }

    /// The class of a request; none if flow control does not apply to it.
    fn classify(
        &mut self,
        attributes: &RequestAttributes,
        query: &str,
        stored: Stored,
        kind: u32,
    ) -> Option<u32> {
        let flow = self.flows.find(&self.server, attributes)?;
        let level = self.flows.all[flow as usize].level;
        let name = self.server.levels().nth(level.index());
        let estimate = self.estimator.estimate(&Request {
            query,
            stored,
            max_seats: name.and_then(|level| self.bounds.of(level.name)),
            ..estimates::request(attributes)
        });
        let class = Class {
            flow,
            kind,
            work: estimates::work(&estimate),
            deadline: deadline(query),
        };
        let classes = &mut self.classes;
        Some(*self.known_classes.entry(class).or_insert_with(|| {
            classes.push(class);
            classes.len() as u32 - 1
        }))
    }

    fn kind(&mut self, attributes: &RequestAttributes) -> u32 {
        let key = (
            attributes.verb.clone(),
            with_group(&attributes.resource, &attributes.api_group),
            attributes.subresource.clone(),
        );
        let kinds = &mut self.kinds;
        *self
            .known_kinds
            .entry(key)
            .or_insert_with_key(|(verb, resource, subresource)| {
                let slash = if subresource.is_empty() { "" } else { "/" };
                let name = match resource.is_empty() {
                    true => format!("{verb} (no resource)"),
                    false => format!("{verb} {resource}{slash}{subresource}"),
                };
                kinds.push(name);
                kinds.len() as u32 - 1
            })
    }

    fn client(&mut self, event: &Event<'_>) -> u32 {
        let (user, agent) = (&*event.user.name, &*event.user_agent);
        let known = self.clients.get(user).and_then(|agents| agents.get(agent));
        if let Some(known) = known {
            return *known;
        }
        let new = self.next_client;
        self.next_client += 1;
        let agents = self.clients.entry(user.to_owned()).or_default();
        agents.insert(agent.to_owned(), new);
        new
    }
}

/// How long a request with this query waits at most.
pub(crate) fn patience(server: &FlowController, query: &str) -> Duration {
    server.wait_limit(deadline(query))
}

/// The deadline of a request: the parameter `timeout` of its query if it is shorter than the server's.
fn deadline(query: &str) -> Duration {
    let mut parameters = query.split('&');
    let timeout = parameters.find_map(|parameter| parameter.strip_prefix("timeout="));
    let timeout = timeout.and_then(crate::evidence::go_duration);
    match timeout {
        Some(timeout) if !timeout.is_zero() => timeout.min(DEADLINE),
        _ => DEADLINE,
    }
}

/// These requests, which are kept as they are read.
fn kept(
    requests: &mut impl Iterator<Item = Recorded>,
    kept: &mut Vec<Recorded>,
) -> impl Iterator<Item = Recorded> {
    requests.inspect(|request| kept.push(*request))
}
