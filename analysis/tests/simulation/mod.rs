//! A whole server, and loads against it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod closed_loops;
mod controller;
mod extremes;
mod loads;
mod recordings;
mod waits;

use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::json;

/// A level that queues.
fn level(name: &str, shares: u32, queues: u32, limit: u32) -> PriorityLevelConfiguration {
    let hand_size = queues.min(4);
    let queuing = json!({"queues": queues, "handSize": hand_size, "queueLengthLimit": limit});
    serde_json::from_value(
        json!({"metadata": {"name": name}, "spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": shares, "lendablePercent": 50,
        "limitResponse": {"type": "Queue", "queuing": queuing}}}}),
    )
    .unwrap()
}

/// A schema that separates the users of a group.
fn schema(name: &str, level: &str, group: &str) -> FlowSchema {
    serde_json::from_value(json!({"metadata": {"name": name}, "spec": {
        "priorityLevelConfiguration": {"name": level}, "matchingPrecedence": 500,
        "distinguisherMethod": {"type": "ByUser"},
        "rules": [{"subjects": [{"kind": "Group", "group": {"name": group}}],
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                "namespaces": ["*"], "clusterScope": true}]}]}}))
    .unwrap()
}

fn user(name: &str, group: &str) -> User {
    User::authenticated(name, [group])
}

fn get_pods(user: User) -> RequestAttributes {
    RequestAttributes::from_http("GET", "/api/v1/namespaces/a/pods/b", user).unwrap()
}
