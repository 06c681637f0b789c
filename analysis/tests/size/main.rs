//! Intents, and the configurations that satisfy them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod brute_force;
mod intents;
mod sizing;

use k8s_flowcontrol_analysis::size::{Answer, Intents, Sizer, Sizing};
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
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
