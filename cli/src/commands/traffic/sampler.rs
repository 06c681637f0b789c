//! From the events of audit logs to the parts of a report.

use super::sample::{Cell, Class, Deprecated, Load, Sample};
use crate::objects::Objects;
use crate::redact::Redactor;
use crate::stored::Inventory;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::matching::{Classification, Classifier};
use k8s_flowcontrol::rules::seats::{Estimator, LevelBounds, Request};
use k8s_flowcontrol_analysis::audit::{Event, Stage};
use serde::{Deserialize, Serialize};

/// A configuration, prepared for requests.
pub(super) struct Configuration {
    pub(super) classifier: Classifier,
    pub(super) classes: Vec<Class>,
}

impl Configuration {
    pub(super) fn new(objects: &Objects, release: Release) -> Self {
        let classes = objects.flow_schemas.iter().map(|schema| Class {
            flow_schema: schema.metadata.name.clone().unwrap_or_default(),
            priority_level: schema.spec.priority_level_configuration.name.clone(),
        });
        Self {
            classes: classes.collect(),
            classifier: Classifier::new(&objects.flow_schemas, &objects.levels, release),
        }
    }
}

/// Turns events into samples.
pub(super) struct Sampler {
    pub(super) current: Configuration,
    pub(super) proposed: Option<Configuration>,
    pub(super) bounds: LevelBounds,
    pub(super) estimator: Estimator,
    pub(super) stored: Inventory,
    pub(super) redactor: Redactor,
}

impl Sampler {
    pub(super) fn sample(&self, event: &Event<'_>) -> Sample {
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
        let seats = taken.map_or(0, |taken| {
            let estimate = self.estimator.estimate(&Request {
                verb: &attributes.verb,
                resource: &attributes.resource,
                subresource: &attributes.subresource,
                name: &attributes.name,
                query: event.query(),
                stored: self.stored.of(&attributes.api_group, &attributes.resource),
                watches: 0,
                max_seats: self.bounds.of(taken.priority_level),
            });
            estimate.initial_seats
        });
        let duration = match event.is_last() && attributes.verb != "watch" {
            true => event.stage_us().zip(event.received_us()),
            // A watch gives its seats back when it has begun.
            false => None,
        };
        // Clocks can jump back.
        let duration = duration.map_or(0, |(end, start)| end.saturating_sub(start).max(0));
        let is_rejected =
            event.code == Some(429) && event.annotation("authorization.k8s.io/decision").is_none();
        let deprecated = event.annotation("k8s.io/deprecated") == Some("true");
        let distinguisher = taken.map_or("", |taken| taken.flow_distinguisher);
        Sample {
            distinguisher: match distinguisher == attributes.user.name {
                true => user.clone(),
                false => redact.namespace(distinguisher),
            },
            received_us: event.received_us(),
            load: Load {
                requests: 1,
                seats,
                seat_us: seats.saturating_mul(duration as u64),
                rejected: u64::from(is_rejected),
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

fn class(taken: Classification<'_>) -> Class {
    Class {
        flow_schema: taken.flow_schema.to_owned(),
        priority_level: taken.priority_level.to_owned(),
    }
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

impl Open {
    pub(super) fn new(event: &Event<'_>, sample: Sample) -> Self {
        Self {
            key: key(event),
            started: event.stage != Stage::RequestReceived,
            sample,
        }
    }
}

/// The identity of a request across logs.
pub(super) fn key(event: &Event<'_>) -> String {
    format!("{} {}", event.audit_id, event.received)
}
