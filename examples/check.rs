//! Checks manifests before they reach a cluster: the verdict of a server of a release, and likely mistakes in valid objects.
//!
//! `cargo run --example check` does not need a server.

use k8s_flowcontrol::Release;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use k8s_flowcontrol_manifests::{Validator, read};
use std::error::Error;

const MANIFESTS: &str = r#"
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: reports}
spec:
  matchingPrecedence: 20000
  priorityLevelConfiguration: {name: workload-low}
---
{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "monitoring"},
 "spec": {"matchingPrecedence": 8000, "priorityLevelConfiguration": {"name": "global-default"},
  "distinguisherMethod": {"type": "ByUser"},
  "rules": [{"subjects": [{"kind": "Group", "group": {"name": "monitoring"}}],
    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/metrics", "/"]}]}]}}
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let release: Release = "1.36".parse()?;
    let validator = Validator::new(release);
    for document in &read(MANIFESTS.as_bytes()).documents {
        let verdict = validator.verdict(document);
        println!("{}: {}", document.title(), verdict.code);
        if let Some(failure) = &verdict.failure {
            println!("  {}", failure.message);
        }
    }
    // Lint reads typed objects: of a manifest, or of a cluster.
    let (_, monitoring) = MANIFESTS.split_once("---\n").unwrap_or_default();
    let schema: FlowSchema = serde_json::from_str(monitoring)?;
    let schemas = [schema];
    for finding in lint(&Configuration::files(&schemas, &[], release)) {
        println!("{}: {} ({})", finding.path, finding.message, finding.rule);
        println!("  help: {}", finding.help);
    }
    Ok(())
}
