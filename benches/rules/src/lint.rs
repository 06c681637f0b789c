//! Lint of many schemas, each size twice the one before: near linear work takes about twice the time.

use crate::Outcome;
use bench_data::{Meter, report};
use k8s_flowcontrol::Release;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use serde_json::json;
use std::hint::black_box;

/// Schemas of one precedence and one subject, that differ in their resources, their namespaces or nothing.
pub(crate) fn lint_equal_subjects(count: usize) -> Outcome {
    for (shape, name) in ["resources", "namespaces", "nothing", "groups"]
        .iter()
        .enumerate()
    {
        for count in [count, 2 * count, 4 * count] {
            let schemas = (0..count).map(|index| schema(shape, index));
            let schemas: Vec<FlowSchema> = schemas.collect::<Result<_, _>>()?;
            let meter = Meter::start();
            let findings = lint(black_box(&Configuration::cluster(
                &schemas,
                &[],
                Release::NEWEST,
            )));
            let (wall, cpu) = meter.stop();
            println!("differ in {name}:");
            report(&[
                ("objects", count as f64),
                ("findings", findings.len() as f64),
                ("seconds", wall.as_secs_f64()),
                ("cpu seconds", cpu.as_secs_f64()),
            ]);
        }
    }
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
