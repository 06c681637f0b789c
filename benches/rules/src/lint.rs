//! Lint of many schemas.

use crate::Outcome;
use bench_data::{Meter, list, report};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::{List, Release};
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use serde_json::json;
use std::hint::black_box;

/// Schemas of one precedence and one subject, that differ in their resources (0), their namespaces (1), nothing (2) or their groups (3); or
/// schemas of forty teams with many precedences (4).
pub(crate) fn one(shape: usize, count: usize) -> Outcome {
    let schemas: Vec<FlowSchema> = match shape {
        4 => serde_json::from_str::<List<FlowSchema>>(&list(count))?.items,
        shape => {
            let schemas = (0..count).map(|index| schema(shape, index));
            schemas.collect::<Result<_, _>>()?
        }
    };
    let meter = Meter::start();
    let findings = lint(black_box(&Configuration::cluster(
        &schemas,
        &[],
        Release::NEWEST,
    )));
    let (_, cpu) = meter.stop();
    report(&[
        ("findings", findings.len() as f64),
        ("cpu seconds", cpu.as_secs_f64()),
    ]);
    Ok(())
}

fn schema(shape: usize, index: usize) -> Result<FlowSchema, serde_json::Error> {
    let own = |which: usize, stem: &str, common: &str| match shape == which {
        true => format!("{stem}-{index}"),
        false => common.to_owned(),
    };
    serde_json::from_value(json!({
        "metadata": {"name": format!("team-{index}")},
        "spec": {
            "matchingPrecedence": 5000,
            "priorityLevelConfiguration": {"name": "global-default"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [{"kind": "Group", "group": {"name": own(3, "team", "teams")}}],
                "resourceRules": [{
                    "verbs": ["*"],
                    "apiGroups": ["apps"],
                    "resources": [own(0, "resource", "deployments")],
                    "namespaces": [own(1, "team", "default")],
                }],
            }],
        },
    }))
}
