//! From the last event of a request to its part in a report.

use super::sample::{Cell, Class, Deprecated, Load, Queued, Sample};
use super::seats_in_use::LevelSeats;
use super::signs::Traits;
use crate::audit::Event;
use crate::estimates;
use crate::metrics::StoredObjects;
use crate::redact::Redactor;
use crate::simulation::{Arriving, patience};
use crate::times::microseconds;
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_rules::matching::{Classification, Classifier, RequestAttributes};
use k8s_flowcontrol_rules::seats::{Estimate, Estimator, LevelBounds, Request};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// The server whose requests are accounted: its objects, and the facts that its seats depend on.
#[derive(Clone, Debug)]
pub struct Accounting {
    current: Configuration,
    proposed: Option<Configuration>,
    bounds: LevelBounds,
    /// The seats of each level on a server.
    limits: BTreeMap<String, LevelSeats>,
    are_limits_known: bool,
    /// The idle server; none if its levels cannot be simulated, which validation excludes.
    server: Option<FlowController>,
    estimator: Estimator,
    stored: StoredObjects,
    redactor: Redactor,
    release: Release,
}

/// A configuration, prepared for requests.
#[derive(Clone, Debug)]
struct Configuration {
    classifier: Classifier,
    classes: Vec<Class>,
}

impl Configuration {
    fn new(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Self {
        let mut names = HashSet::new();
        // Of several objects with a name the last one counts.
        let last = flow_schemas.iter().rev();
        let last = last.filter(|schema| names.insert(schema.metadata.name.as_deref()));
        let classes = last.map(|schema| Class {
            flow_schema: schema.metadata.name.clone().unwrap_or_default(),
            priority_level: schema.spec.priority_level_configuration.name.clone(),
        });
        let mut classes: Vec<_> = classes.collect();
        classes.reverse();
        Self {
            classes,
            classifier: Classifier::new(flow_schemas, priority_levels, release),
        }
    }
}

impl Accounting {
    /// A server of `server_seats` seats with these objects, and the default feature gates of `release`.
    ///
    /// `server_seats` is `--max-requests-inflight` plus `--max-mutating-requests-inflight`, 600 by default. It limits the seats of
    /// one request.
    pub fn new(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        server_seats: u32,
        release: Release,
    ) -> Self {
        Self {
            current: Configuration::new(flow_schemas, priority_levels, release),
            proposed: None,
            bounds: LevelBounds::new(priority_levels, server_seats, release),
            limits: limits(priority_levels, server_seats, release),
            are_limits_known: true,
            server: FlowController::new(
                flow_schemas,
                priority_levels,
                server_seats,
                release,
                Duration::ZERO,
            )
            .ok(),
            estimator: Estimator::new(release),
            stored: StoredObjects::default(),
            redactor: Redactor::default(),
            release,
        }
    }

    /// Also classifies by a proposed configuration: all of its objects.
    #[must_use]
    pub fn compare(
        mut self,
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
    ) -> Self {
        let proposed = Configuration::new(flow_schemas, priority_levels, self.release);
        self.proposed = Some(proposed);
        self
    }

    /// Estimates seats with other feature gates than the default.
    #[must_use]
    pub fn estimator(mut self, estimator: Estimator) -> Self {
        self.estimator = estimator;
        self
    }

    /// The stored objects, which the seats of lists depend on. Defaults to none known: every list has one seat.
    #[must_use]
    pub fn stored(mut self, stored: StoredObjects) -> Self {
        self.stored = stored;
        self
    }

    /// Does not bound the seats in use by the limits of the levels, because the seats of the server are not known: seat-seconds then contain
    /// the waits that the logs do not have.
    #[must_use]
    pub fn without_limits(mut self) -> Self {
        self.are_limits_known = false;
        self
    }

    /// The seats of each level, if they are known, and whether requests can wait in its queues.
    pub(super) fn limits(&self) -> (bool, &BTreeMap<String, LevelSeats>) {
        (self.are_limits_known, &self.limits)
    }

    /// The idle server, if its seats are known.
    pub(super) fn server(&self) -> Option<&FlowController> {
        self.server.as_ref().filter(|_| self.are_limits_known)
    }

    /// The stored objects that the seats of lists depend on.
    pub fn stored_objects(&self) -> &StoredObjects {
        &self.stored
    }

    /// Replaces names. Defaults to unchanged names.
    #[must_use]
    pub fn redact(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// The flow schemas with their priority levels.
    pub(super) fn classes(&self) -> &[Class] {
        &self.current.classes
    }

    /// The flow schemas of the proposed configuration.
    pub(super) fn proposed_classes(&self) -> Option<&[Class]> {
        let proposed = self.proposed.as_ref();
        proposed.map(|proposed| proposed.classes.as_slice())
    }

    /// The part of a request in a report, from its last event.
    pub fn sample(&self, event: &Event<'_>) -> Sample {
        let attributes = event.attributes();
        let sees = event.reached_flow_control();
        let taken = self
            .current
            .classifier
            .classify(&attributes)
            .filter(|_| sees);
        let proposed = self.proposed.as_ref().filter(|_| sees);
        let proposed = proposed.and_then(|proposed| proposed.classifier.classify(&attributes));
        let redact = &self.redactor;
        let user = redact.user(&attributes.user.name);
        let estimate = taken.as_ref().map(|taken| {
            self.estimator.estimate(&Request {
                query: event.query(),
                stored: self.stored.of(&attributes.api_group, &attributes.resource),
                max_seats: self.bounds.of(taken.priority_level),
                ..estimates::request(&attributes)
            })
        });
        let seats = estimate
            .as_ref()
            .map_or(0, |estimate| estimate.initial_seats);
        let execution = match event.is_last() && attributes.verb != "watch" {
            true => event.execution_time().zip(event.stage_us()),
            // A watch gives its seats back when it has begun.
            false => None,
        };
        let executed = execution.filter(|_| seats > 0);
        let executed =
            executed.map(|(time, end)| (end.saturating_sub_unsigned(microseconds(time)), end));
        let duration = executed.map_or(0, |(begin, end)| end.saturating_sub(begin).unsigned_abs());
        let seat_us = seats.saturating_mul(duration);
        let queues = taken.and_then(|taken| self.limits.get(taken.priority_level));
        let is_unsure = queues.is_some_and(|level| level.queues) && event.queue_wait().is_none();
        let queued = taken
            .as_ref()
            .zip(estimate)
            .and_then(|(taken, estimate)| self.queued(event, &attributes, taken, &estimate));
        let deprecated = event.annotation("k8s.io/deprecated") == Some("true");
        let distinguisher = taken.map_or("", |taken| taken.flow_distinguisher);
        Sample {
            traits: Traits::of(event, &attributes, redact),
            distinguisher: match distinguisher == attributes.user.name {
                true => user.clone(),
                false => redact.namespace(distinguisher),
            },
            received_us: event.received_us(),
            executed_us: executed,
            began_us: None,
            queued,
            has_wait: event.queue_wait().is_some(),
            load: Load {
                requests: 1,
                seats,
                seat_us,
                unsure_us: if is_unsure { seat_us } else { 0 },
                waited_us: 0,
                rejected: u64::from(event.is_rejected_by_flow_control()),
            },
            deprecated: deprecated.then(|| self.deprecated(event, &user)),
            cell: Cell {
                class: taken.map(class),
                proposed: proposed.map(class),
                user,
                verb: attributes.verb,
            },
        }
    }

    /// The facts that the queues of the server need of a request that has ended.
    fn queued(
        &self,
        event: &Event<'_>,
        attributes: &RequestAttributes,
        taken: &Classification<'_>,
        estimate: &Estimate,
    ) -> Option<Queued> {
        let server = self.server()?;
        let took = event.response_time();
        let took = took.filter(|_| event.is_last() && attributes.verb != "watch")?;
        let mut kind = DefaultHasher::new();
        let resource = (
            &attributes.api_group,
            &attributes.resource,
            &attributes.subresource,
        );
        (
            taken.priority_level,
            &attributes.verb,
            resource,
            estimate.initial_seats,
        )
            .hash(&mut kind);
        Some(Queued {
            arriving: Arriving {
                level: server.level(taken.priority_level)?,
                hash: taken.flow_hash(),
                work: estimates::work(estimate),
                patience: patience(server, event.query()),
            },
            kind: kind.finish(),
            took,
            waited: event.queue_wait(),
            rejected: event.is_rejected_by_flow_control(),
            has_queues: self
                .limits
                .get(taken.priority_level)
                .is_some_and(|level| level.queues),
        })
    }

    fn deprecated(&self, event: &Event<'_>, user: &str) -> Deprecated {
        let object = event.object_ref.clone().unwrap_or_default();
        let slash = if object.api_group.is_empty() { "" } else { "/" };
        let removed = event.annotation("k8s.io/removed-release");
        Deprecated {
            user: user.to_owned(),
            user_agent: self.redactor.user_agent(&event.user_agent),
            api_version: format!("{}{slash}{}", object.api_group, object.api_version),
            resource: object.resource.to_string(),
            removed_release: removed.unwrap_or_default().to_owned(),
        }
    }
}

fn limits(
    priority_levels: &[PriorityLevelConfiguration],
    server_seats: u32,
    release: Release,
) -> BTreeMap<String, LevelSeats> {
    let limits = ServerLimits::new(priority_levels, server_seats, release);
    let seats = |seats: i64| u64::try_from(seats).unwrap_or_default();
    let levels = priority_levels.iter().filter_map(|level| {
        let name = level.metadata.name.as_deref()?;
        let found = limits.level(name)?;
        let response = level.spec.limited.as_ref()?;
        let own = LevelSeats {
            minimum: seats(found.minimum),
            // No borrowing gives a level more than all seats.
            maximum: seats(found.maximum).min(server_seats.into()),
            queues: response.limit_response.r#type.as_str() == "Queue",
        };
        Some((name.to_owned(), own))
    });
    levels.collect()
}

fn class(taken: Classification<'_>) -> Class {
    Class {
        flow_schema: taken.flow_schema.to_owned(),
        priority_level: taken.priority_level.to_owned(),
    }
}
