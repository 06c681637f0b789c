//! Plans an upgrade: the version of a manifest on each release, and the manifests that a release would not accept.
//!
//! `cargo run --example plan` does not need a server.

use k8s_flowcontrol::Release;
use k8s_flowcontrol_analysis::upgrade::{Plan, Written, moves, not_before};
use k8s_flowcontrol_manifests::{Validator, read};
use std::error::Error;

const MANIFESTS: &str = "\
apiVersion: flowcontrol.apiserver.k8s.io/v1beta2
kind: FlowSchema
metadata: {name: nightly}
spec: {priorityLevelConfiguration: {name: workload-low}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: hourly}
spec: {priorityLevelConfiguration: {name: workload-low}}
";

fn main() -> Result<(), Box<dyn Error>> {
    let plan = Plan::new("1.27".parse::<Release>()?, "1.32".parse::<Release>()?);
    for document in &read(MANIFESTS.as_bytes()).documents {
        println!("{}", document.title());
        let Some(written) = document.api_version().and_then(Written::of) else {
            continue;
        };
        for step in moves(written, plan) {
            println!("  move {step}");
        }
        if let Some(minor) = not_before(written, plan) {
            println!("  do not apply it before Kubernetes 1.{minor}");
        }
        // The response of each release to the unchanged manifest.
        for release in plan.releases() {
            let verdict = Validator::new(release).verdict(document);
            match &verdict.failure {
                None => println!("  {release}: {}", verdict.code),
                Some(failure) => println!("  {release}: {} {}", verdict.code, failure.message),
            }
        }
    }
    Ok(())
}
