//! Classification: the FlowSchema and priority level of each request, by the objects in the store.

mod configuration;

use crate::kinds::{Kind, Kinds};
use crate::store::{Store, json_length, meta_str};
use crate::throttle::{End, Subject, Throttle, Verdict};
pub(crate) use configuration::Configuration;
use jiff::Timestamp;
use k8s_flowcontrol_rules::controller::Ticket;
use k8s_flowcontrol_rules::matching::{Classification, Classifier, RequestAttributes};
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_rules::seats::Stored;
use k8s_flowcontrol_types::Kind as OwnKind;
use k8s_flowcontrol_types::Release;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The configuration of flow control, compiled again after writes.
///
/// A large configuration follows with some delay, as in a real server.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    configuration: Configuration,
    /// Compiled from the configuration.
    classifier: Option<Classifier>,
    /// The time before which a large configuration is not compiled again.
    rest_until: Option<Instant>,
    executing: BTreeMap<u64, Executing>,
    /// The number of requests that each level has dispatched.
    dispatched: BTreeMap<String, u64>,
    next: u64,
    /// Present if requests are queued and rejected.
    throttle: Option<Throttle>,
}

/// A request that has arrived at flow control.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The number that [ends](Flow::end) it, or the `Retry-After` of its rejection.
    pub(crate) number: Result<u64, Duration>,
    /// The UIDs of its FlowSchema and level, empty for objects that are not in the store.
    pub(crate) uids: [String; 2],
    /// Tells when a request that waits is dispatched.
    pub(crate) dispatched: Option<oneshot::Receiver<()>>,
}

/// A request without a response yet. A watch counts until it begins.
#[derive(Clone, Debug)]
pub(crate) struct Executing {
    pub(crate) request: RequestAttributes,
    pub(crate) flow_schema: String,
    pub(crate) priority_level: String,
    pub(crate) flow_distinguisher: String,
    pub(crate) flow_hash: u64,
    pub(crate) arrived: Timestamp,
    /// The seats that it takes or waits for.
    pub(crate) work: Work,
    /// The time of its dispatch; none while it waits.
    pub(crate) started: Option<Timestamp>,
    /// Its place in the queues; none if the server does not throttle.
    pub(crate) ticket: Option<Ticket>,
}

impl Executing {
    fn subject(&self) -> Subject<'_> {
        Subject {
            flow_schema: &self.flow_schema,
            level: &self.priority_level,
            work: self.work,
        }
    }
}

/// The configuration is compiled after each write if that takes no longer than this.
const SHORT: Duration = Duration::from_millis(5);
/// The pause after compiling a larger configuration, in multiples of the time that it took.
const REST: u32 = 20;

impl Flow {
    /// Queues and rejects requests from now on.
    pub(crate) fn throttle(&mut self, seats: u32, release: Release) {
        self.throttle = Throttle::new(seats, release);
        self.configuration = Configuration::default();
    }

    pub(crate) fn throttled(&self) -> Option<&Throttle> {
        self.throttle.as_ref()
    }

    pub(crate) fn throttled_mut(&mut self) -> Option<&mut Throttle> {
        self.throttle.as_mut()
    }

    /// Classifies a request, and decides about it if the server throttles; `None` when it is not subject to flow control.
    pub(crate) fn begin(
        &mut self,
        store: &Store,
        kinds: &Kinds,
        request: RequestAttributes,
        query: &str,
        watches: u64,
    ) -> Option<Arrival> {
        if let Some(throttle) = &mut self.throttle {
            if self.configuration.follow(store, kinds) {
                throttle.follow(&self.configuration);
            }
        } else {
            self.compile(store, kinds);
        }
        let taken = match (&self.throttle, &self.classifier) {
            (Some(throttle), _) => throttle.classify(&request),
            (None, Some(classifier)) => classifier.classify(&request),
            (None, None) => None,
        }?;
        let uids = uids(store, kinds, &taken);
        let now = Timestamp::now();
        let mut executing = Executing {
            flow_schema: taken.flow_schema.to_owned(),
            priority_level: taken.priority_level.to_owned(),
            flow_distinguisher: taken.flow_distinguisher.to_owned(),
            flow_hash: taken.flow_hash(),
            arrived: now,
            work: Work::seats(1),
            started: Some(now),
            ticket: None,
            request,
        };
        let mut dispatched = None;
        if let Some(throttle) = &mut self.throttle {
            let level = &executing.priority_level;
            let stored = stored(store, kinds, &executing.request);
            let request = &executing.request;
            let work = throttle.work(request, level, query, stored, watches);
            executing.work = work;
            let request = &executing.request;
            let verdict = throttle.arrive(executing.subject(), executing.flow_hash);
            if is_write(&request.verb) {
                throttle.observe_watches(executing.subject(), watches);
            }
            match verdict {
                Verdict::Executes(ticket) => executing.ticket = Some(ticket),
                Verdict::Waits(ticket, told) => {
                    executing.ticket = Some(ticket);
                    executing.started = None;
                    dispatched = Some(told);
                }
                Verdict::Rejected(retry_after) => {
                    return Some(Arrival {
                        number: Err(retry_after),
                        uids,
                        dispatched: None,
                    });
                }
            }
        } else {
            let level = executing.priority_level.clone();
            *self.dispatched.entry(level).or_default() += 1;
        }
        self.next += 1;
        self.executing.insert(self.next, executing);
        Some(Arrival {
            number: Ok(self.next),
            uids,
            dispatched,
        })
    }

    /// Notes that a request that has waited executes.
    pub(crate) fn start(&mut self, number: u64) {
        if let (Some(throttle), Some(executing)) =
            (&mut self.throttle, self.executing.get_mut(&number))
        {
            let now = Timestamp::now();
            executing.started = Some(now);
            let waited = elapsed(executing.arrived, now);
            throttle.note_dispatched(executing.subject(), waited);
        }
    }

    /// Rejects a request that has waited too long, with a `Retry-After`; none if it was dispatched in the meantime.
    pub(crate) fn time_out(&mut self, number: u64) -> Option<Duration> {
        let (throttle, executing) = (self.throttle.as_mut()?, self.executing.get(&number)?);
        let waited = elapsed(executing.arrived, Timestamp::now());
        let retry_after = throttle.time_out(executing.ticket?, executing.subject(), waited)?;
        self.executing.remove(&number);
        Some(retry_after)
    }

    /// Handles the events of the queues until now, and returns the time of the next one.
    pub(crate) fn advance(&mut self) -> Option<Instant> {
        let throttle = self.throttle.as_mut()?;
        throttle.advance();
        Some(throttle.next_event())
    }

    pub(crate) fn end(&mut self, number: u64) {
        let Some(ended) = self.executing.remove(&number) else {
            return;
        };
        if let (Some(throttle), Some(ticket)) = (&mut self.throttle, ended.ticket) {
            let now = Timestamp::now();
            let end = match ended.started {
                Some(started) => End::Executed {
                    is_watch: ended.request.verb == "watch",
                    took: elapsed(started, now),
                },
                None => End::Left {
                    waited: elapsed(ended.arrived, now),
                },
            };
            throttle.end(ticket, ended.subject(), end);
        }
    }

    /// The requests without a response, in the order of their arrival.
    pub(crate) fn executing(&self) -> impl Iterator<Item = &Executing> {
        self.executing.values()
    }

    pub(crate) fn dispatched(&self, level: &str) -> u64 {
        if let Some(throttle) = &self.throttle {
            return throttle.level_counts(level).dispatched;
        }
        self.dispatched.get(level).copied().unwrap_or_default()
    }

    /// Compiles the present configuration, if it has changed.
    fn compile(&mut self, store: &Store, kinds: &Kinds) {
        let now = Instant::now();
        if self.rest_until.is_some_and(|until| now < until) {
            return;
        }
        if self.configuration.follow(store, kinds) || self.classifier.is_none() {
            let release = kinds.release;
            let Configuration {
                schemas, levels, ..
            } = &self.configuration;
            self.classifier = Some(Classifier::new(schemas, levels, release));
            let took = now.elapsed();
            self.rest_until = (took > SHORT).then(|| now + took * REST);
        }
    }
}

fn elapsed(from: Timestamp, to: Timestamp) -> Duration {
    // Clocks can jump back.
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}

fn is_write(verb: &str) -> bool {
    matches!(verb, "create" | "update" | "patch" | "delete")
}

/// The objects of a kind, which have the shape of v1 inside the server.
pub(crate) fn objects<'a, K: Deserialize<'a>>(
    store: &'a Store,
    kinds: &Kinds,
    kind: OwnKind,
) -> Vec<K> {
    store
        .objects(kinds.own(kind).index)
        .filter_map(|(_, object)| K::deserialize(object.as_ref()).ok())
        .collect()
}

/// The stored objects of a request's resource.
fn stored(store: &Store, kinds: &Kinds, request: &RequestAttributes) -> Stored {
    let is_kind =
        |kind: &&Kind| kind.plural() == request.resource && kind.group() == request.api_group;
    let Some(kind) = kinds.all.iter().find(is_kind) else {
        return Stored::NotFound;
    };
    let (mut objects, mut bytes) = (0, 0);
    if request.verb == "list" || request.verb == "watch" {
        for (_, object) in store.objects(kind.index) {
            objects += 1;
            bytes += json_length(object) as u64;
        }
    }
    Stored::Known {
        objects,
        average_bytes: bytes / objects.max(1),
    }
}

fn uids(store: &Store, kinds: &Kinds, taken: &Classification<'_>) -> [String; 2] {
    let uid = |kind: OwnKind, name: &str| {
        let object = store.get(kinds.own(kind).index, name);
        object.map_or_else(String::new, |object| meta_str(object, "uid").to_owned())
    };
    [
        // The built-in schema stands in for a missing one, and for one whose level is missing.
        match taken.built_in_fallback {
            true => String::new(),
            false => uid(OwnKind::FlowSchema, taken.flow_schema),
        },
        uid(OwnKind::PriorityLevelConfiguration, taken.priority_level),
    ]
}
