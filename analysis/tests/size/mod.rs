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
    Answer, Collector, Intents, Requests, SizeError, Sizer, Sizing,
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
    let schemas = bootstrap::flow_schemas(RELEASE).into_iter();
    let levels = bootstrap::priority_levels(RELEASE).into_iter();
    (
        schemas.map(|(_, schema)| schema).collect(),
        levels.map(|(_, level)| level).collect(),
    )
}

/// The answer for the built-in objects.
fn size(intents: &str) -> Answer {
    let intents = Intents::read(intents.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let (schemas, levels) = built_in();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
    sizer.size(|_| ControlFlow::Continue(())).unwrap()
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
    let mut collector = Collector::new(schemas, levels, 6000, RELEASE)?;
    let mut log = AuditLog::new();
    let mut add = |event: &Event<'_>| {
        let attributes = event.attributes();
        let stored = match attributes.verb.as_str() {
            "list" => Stored::Known {
                objects: 10_000,
                average_bytes: 3000,
            },
            _ => Stored::NotFound,
        };
        collector.add(event, &attributes, stored);
        Ok::<(), std::io::Error>(())
    };
    for (id, (user, verb, start, end)) in times.iter().enumerate() {
        let time = |ms: &u32| {
            let (minutes, seconds) = (ms / 60_000, ms / 1000 % 60);
            format!(
                "2026-01-02T03:{minutes:02}:{seconds:02}.{:03}000Z",
                ms % 1000
            )
        };
        let name = match *verb {
            "list" => "",
            _ => "/b",
        };
        let event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": format!("id-{id}"), "stage": "ResponseComplete",
            "requestURI": format!("/api/v1/namespaces/a/pods{name}"), "verb": verb, "user": {"username": user, "groups": ["system:authenticated"]},
            "objectRef": {"resource": "pods", "namespace": "a", "name": name.trim_start_matches('/'), "apiVersion": "v1"}, "responseStatus": {"code": 200},
            "requestReceivedTimestamp": time(start), "stageTimestamp": time(end),
        });
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
