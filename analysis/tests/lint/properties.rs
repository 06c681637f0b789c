//! Properties of lint on random configurations.

use crate::strategies::{level, release, request, schema};
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use k8s_flowcontrol_rules::matching::Classifier;
use k8s_flowcontrol_types::Release;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: if crate::tries_all() { 128 } else { 32 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lint_never_panics(
        schemas in vec(schema(), 0..6), levels in vec(level(), 0..6), release in release(),
    ) {
        for configuration in [
            Configuration::cluster(&schemas, &levels, release),
            Configuration::files(&schemas, &levels, release).concurrency_limit(0),
        ] {
            for finding in lint(&configuration) {
                prop_assert!(!finding.message.is_empty() && !finding.help.is_empty());
            }
        }
    }

    #[test]
    fn an_unreachable_schema_matches_no_request(
        schemas in vec(schema(), 1..8), levels in vec(level(), 0..4), requests in vec(request(), 1..40),
    ) {
        let release = Release::NEWEST;
        let findings = lint(&Configuration::cluster(&schemas, &levels, release));
        let classifier = Classifier::new(&schemas, &levels, release);
        for request in &requests {
            // Lint assumes that every user is in one group or the other, and every service account in its token's
            // groups.
            let mut request = request.clone();
            if request.user.groups.iter().any(|group| group == "system:unauthenticated") {
                continue;
            }
            request.user.groups.push("system:authenticated".into());
            if let Some(account) = request.user.name.strip_prefix("system:serviceaccount:") {
                let namespace = account.split(':').next().unwrap_or_default();
                request.user.groups.push(format!("system:serviceaccounts:{namespace}"));
                request.user.groups.push("system:serviceaccounts".into());
            }
            if let Some(explanation) = classifier.explain(&request) && explanation.matched().is_some() {
                let name = explanation.classification.flow_schema;
                let is_unreachable = findings.iter().any(|finding| {
                    finding.rule == "unreachable-schema" && finding.name == name
                });
                prop_assert!(!is_unreachable, "{name} takes {request:?}");
            }
        }
    }
}
