//! `cost --requests`: the seats of the requests in a file.

use super::query::without_mark;
use crate::failure::Failure;
use crate::input;
use crate::output::{Streams, note, plural};
use k8s_flowcontrol::rules::matching::RequestAttributes;
use k8s_flowcontrol::rules::seats::{Estimator, FeatureGate, Request, Stored};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;

const FORM: &str = "a request is a JSON object in one line with the fields verb, apiGroup, resource, subresource, namespace, \
    name, query, objects, objectSizeBytes, watches, maxSeats and objectCountState, all optional";

/// The server does not know whether its etcd reports progress.
pub(super) fn without_etcd(estimator: Estimator) -> Estimator {
    estimator.with(FeatureGate::ConsistentListFromCache, false)
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    verb: Option<String>,
    /// Does not change the seats, as the namespace.
    #[serde(rename = "apiGroup")]
    _api_group: Option<String>,
    resource: Option<String>,
    subresource: Option<String>,
    #[serde(rename = "namespace")]
    _namespace: Option<String>,
    name: Option<String>,
    query: Option<String>,
    objects: Option<i64>,
    object_size_bytes: Option<i64>,
    object_count_state: Option<CountState>,
    watches: Option<i64>,
    max_seats: Option<i64>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CountState {
    #[default]
    Known,
    Stale,
    #[serde(rename = "not found", alias = "notFound", alias = "not-found")]
    NotFound,
}

/// The seats of a request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    initial_seats: u64,
    final_seats: u64,
    additional_latency_us: u64,
    /// Present, and false, for a request that takes no seats. A server estimates it too, and does not use the estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject_to_flow_control: Option<bool>,
}

/// Prints the seats of each request of a file, or of the standard input for `-`.
pub(super) fn estimate(
    file: &Path,
    estimator: &Estimator,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let mut out = streams.out.data();
    let mut long_running = 0;
    input::each_line(file, input::open, ("requests", FORM), |_, line: Line| {
        let estimate = estimator.estimate(&line.request());
        let is_subject = line.is_subject_to_flow_control();
        long_running += usize::from(!is_subject);
        let answer = Answer {
            initial_seats: estimate.initial_seats,
            final_seats: estimate.final_seats,
            additional_latency_us: estimate.additional_latency.as_micros() as u64,
            subject_to_flow_control: (!is_subject).then_some(false),
        };
        serde_json::to_writer(&mut out, &answer).map_err(io::Error::from)?;
        Ok(writeln!(out)?)
    })?;
    if long_running > 0 {
        let requests = plural(long_running, "long-running request");
        let name = input::name(file);
        let text =
            format!("flow control does not apply to {requests} of {name}, so no seats are taken");
        note(streams, &text)?;
    }
    Ok(())
}

impl Line {
    fn is_subject_to_flow_control(&self) -> bool {
        let attributes = RequestAttributes {
            verb: text(&self.verb).to_owned(),
            is_resource_request: true,
            resource: text(&self.resource).to_owned(),
            subresource: text(&self.subresource).to_owned(),
            ..RequestAttributes::default()
        };
        attributes.is_subject_to_flow_control()
    }

    fn request(&self) -> Request<'_> {
        let count =
            |number: Option<i64>| u64::try_from(number.unwrap_or_default()).unwrap_or_default();
        Request {
            verb: text(&self.verb),
            resource: text(&self.resource),
            subresource: text(&self.subresource),
            name: text(&self.name),
            query: without_mark(text(&self.query)),
            stored: match self.object_count_state.unwrap_or_default() {
                CountState::Known => Stored::Known {
                    objects: count(self.objects),
                    average_bytes: count(self.object_size_bytes),
                },
                CountState::Stale => Stored::Stale,
                CountState::NotFound => Stored::NotFound,
            },
            watches: count(self.watches),
            max_seats: Some(count(self.max_seats)).filter(|seats| *seats > 0),
        }
    }
}

fn text(field: &Option<String>) -> &str {
    field.as_deref().unwrap_or_default()
}
