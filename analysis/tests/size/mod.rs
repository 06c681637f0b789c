//! Intents, and the configurations that satisfy them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod brute_force;
mod drift;
mod impossible;
mod intents;
mod leaps;
mod narrower;
mod precedence;
mod requests;
mod sizing;
mod tuning;
mod windows;

use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::size::{
    Answer, Check, Collector, Intents, Requests, SizeError, Sizer, Sizing,
};
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_rules::seats::Stored;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::json;
use std::ops::ControlFlow;

const RELEASE: Release = Release::NEWEST;

/// The built-in objects.
fn built_in() -> (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>) {
    (
        bootstrap::flow_schemas(RELEASE),
        bootstrap::priority_levels(RELEASE),
    )
}

/// The answer for the built-in objects.
fn size(intents: &str) -> Answer {
    let intents = Intents::read(intents.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let (schemas, levels) = built_in();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
    sizer.size(|_| ControlFlow::Continue(())).unwrap()
}

/// Whether all intents hold on a server with so many seats.
fn holds(
    sizer: &Sizer<'_>,
    schemas: &[FlowSchema],
    levels: &[PriorityLevelConfiguration],
    seats: u32,
) -> bool {
    let checks = sizer.check(schemas, levels, seats).unwrap();
    checks.iter().all(Check::is_met)
}

fn sized(intents: &str) -> Sizing {
    match size(intents) {
        Answer::Sized(sizing) => *sizing,
        other => panic!("{other:#?}"),
    }
}

/// The requests of the log of a server on which nothing waited, each with its user, and its start and end in milliseconds.
fn requests(
    times: &[(&str, u32, u32)],
    schemas: &[FlowSchema],
    levels: &[PriorityLevelConfiguration],
) -> Result<Requests, SizeError> {
    let times = times.iter();
    let times: Vec<_> = times
        .map(|(user, start, end)| (*user, "get", *start, *end))
        .collect();
    requests_with_verbs(&times, schemas, levels)
}

/// As [`requests`], with the verb of each request. A list takes as many seats as its level allows.
fn requests_with_verbs(
    times: &[(&str, &str, u32, u32)],
    schemas: &[FlowSchema],
    levels: &[PriorityLevelConfiguration],
) -> Result<Requests, SizeError> {
    let requests = times.iter().map(|(user, verb, start, end)| {
        let (uri, name) = match *verb {
            "list" => ("/api/v1/namespaces/a/pods", ""),
            _ => ("/api/v1/namespaces/a/pods/b", "b"),
        };
        (*user, (*verb, uri, name, *start, *end))
    });
    logged(requests, schemas, levels)
}

/// A verb, a path with its query, the name of an object, and the start and the end in milliseconds.
type Request<'a> = (&'a str, &'a str, &'a str, u32, u32);

/// The requests of a log, each with its user.
fn logged<'a>(
    requests: impl Iterator<Item = (&'a str, Request<'a>)>,
    schemas: &[FlowSchema],
    levels: &[PriorityLevelConfiguration],
) -> Result<Requests, SizeError> {
    let mut collector = Collector::new(schemas, levels, 6000, RELEASE)?;
    let mut log = AuditLog::new();
    let mut add = |event: &Event<'_>| {
        let stored = Stored::Known {
            objects: 10_000,
            average_bytes: 3000,
        };
        collector.add(event, &event.attributes(), stored);
        Ok::<(), std::io::Error>(())
    };
    for (id, (user, (verb, uri, name, start, end))) in requests.enumerate() {
        let time = |ms: u32| {
            let (minutes, seconds) = (ms / 60_000, ms / 1000 % 60);
            format!(
                "2026-01-02T03:{minutes:02}:{seconds:02}.{:03}000Z",
                ms % 1000
            )
        };
        let mut event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": format!("id-{id}"), "stage": "ResponseComplete",
            "requestURI": uri, "verb": verb, "user": {"username": user, "groups": ["system:authenticated"]},
            "responseStatus": {"code": 200}, "requestReceivedTimestamp": time(start), "stageTimestamp": time(end),
        });
        if uri.starts_with("/api/") {
            event["objectRef"] =
                json!({"resource": "pods", "namespace": "a", "name": name, "apiVersion": "v1"});
        }
        log.read(event.to_string().as_bytes(), &mut add).unwrap();
    }
    log.finish(&mut add).unwrap();
    collector.finish()
}

/// A priority level for some users, and its flow schema.
fn level(
    name: &str,
    limited: serde_json::Value,
    users: &[&str],
) -> (FlowSchema, PriorityLevelConfiguration) {
    let subjects = users
        .iter()
        .map(|user| json!({"kind": "User", "user": {"name": user}}));
    let schema = json!({
        "metadata": {"name": name},
        "spec": {
            "matchingPrecedence": 2000,
            "priorityLevelConfiguration": {"name": name},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": subjects.collect::<Vec<_>>(),
                "resourceRules": [{
                    "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true,
                }],
            }],
        },
    });
    let level =
        json!({"metadata": {"name": name}, "spec": {"type": "Limited", "limited": limited}});
    (
        serde_json::from_value(schema).unwrap(),
        serde_json::from_value(level).unwrap(),
    )
}
