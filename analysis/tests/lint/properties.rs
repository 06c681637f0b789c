//! Properties of lint on random configurations.

use crate::built_in;
use crate::strategies::{level, release, request, schema};
use k8s_flowcontrol_analysis::lint::{Configuration, Finding, lint};
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_rules::matching::{Classifier, PolicyRule, is_covered, may_overlap};
use k8s_flowcontrol_types::api::v1::FlowSchema;
use k8s_flowcontrol_types::{Release, Resource};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

type Names = &'static [&'static str];

fn names(words: Names) -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![1 => Just(vec!["*"]), 3 => subsequence(words, 0..=words.len())]
}

const EVERYBODY: &str = "*";

fn user(name: &str) -> Value {
    json!({"kind": "User", "user": {"name": name}})
}

/// Subjects that contain each other, and some that do not.
fn subjects() -> Vec<Value> {
    let users = [
        EVERYBODY,
        "",
        "system:anonymous",
        "a",
        "system:serviceaccount:n:x",
        "system:serviceaccount:m:x",
    ];
    let groups = [
        "*",
        "system:authenticated",
        "system:unauthenticated",
        "system:serviceaccounts",
        "system:serviceaccounts:n",
        "g",
    ];
    let accounts = [("n", "x"), ("n", "y"), ("n", "*"), ("m", "x")];
    let group = |name: &&str| json!({"kind": "Group", "group": {"name": name}});
    let account = |(namespace, name): &(&str, &str)| json!({"kind": "ServiceAccount", "serviceAccount": {"namespace": namespace, "name": name}});
    let users = users.into_iter().map(user);
    let all = users.chain(groups.iter().map(group));
    all.chain(accounts.iter().map(account)).collect()
}

const PATHS: Names = &["*", "/", "/*", "/a", "/a/*", "/a/b", "/a/b/*", "/ab"];

/// Rules that contain each other, and some that do not.
fn rule() -> impl Strategy<Value = Value> {
    let of_resources = (
        names(&["get", "list"]),
        names(&["", "apps"]),
        names(&["pods", "nodes"]),
        names(&["n", "m"]),
        any::<bool>(),
    )
        .prop_map(|(verbs, groups, resources, namespaces, scope)| {
            json!({"verbs": verbs, "apiGroups": groups, "resources": resources, "namespaces": namespaces, "clusterScope": scope})
        });
    let of_paths = (names(&["get", "post"]), vec(select(PATHS), 0..3))
        .prop_map(|(verbs, urls)| json!({"verbs": verbs, "nonResourceURLs": urls}));
    let subjects = vec(select(subjects()), 0..3);
    (subjects, vec(of_resources, 0..3), vec(of_paths, 0..2)).prop_map(
        |(subjects, resources, urls)| {
            json!({"subjects": subjects, "resourceRules": resources, "nonResourceRules": urls})
        },
    )
}

fn flow_schema(index: usize, precedence: i32, rules: &[Value]) -> FlowSchema {
    built_in::read(json!({"metadata": {"name": format!("s{index}")}, "spec": {
        "priorityLevelConfiguration": {"name": "catch-all"}, "matchingPrecedence": precedence, "rules": rules}}))
}

/// Schemas with a few precedences, in the order in which a server tries them.
fn nested() -> impl Strategy<Value = Vec<FlowSchema>> {
    vec((2..4, vec(rule(), 1..3)), 1..6).prop_map(|mut all| {
        all.sort_by_key(|(precedence, _)| *precedence);
        let all = all.into_iter().enumerate();
        all.map(|(index, (precedence, rules))| flow_schema(index, precedence, &rules))
            .collect()
    })
}

/// The schemas with a finding of a rule, and its message.
fn found<'a>(findings: &'a [Finding], rule: &str) -> Vec<(&'a str, &'a str)> {
    let own = findings.iter().filter(|finding| finding.rule == rule);
    let mut found: Vec<_> = own
        .map(|finding| (finding.name.as_str(), finding.message.as_str()))
        .collect();
    found.sort_unstable();
    found
}

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
        // A cluster has the mandatory levels: its server creates them again.
        let built_in = bootstrap::priority_levels(release).into_iter();
        let mandatory = built_in.filter(|level| bootstrap::is_mandatory(level.name()));
        let levels: Vec<_> = levels.into_iter().chain(mandatory).collect();
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

/// Asserts that the findings equal a comparison of each schema with all earlier ones.
fn assert_complete(schemas: &[FlowSchema]) {
    let findings = lint(&Configuration::cluster(schemas, &[], Release::NEWEST));
    let rules =
        |schema: &FlowSchema| -> Vec<_> { schema.spec.rules.iter().map(PolicyRule::new).collect() };
    let precedence = |schema: &FlowSchema| schema.spec.matching_precedence;
    let built_in = built_in::schemas(Release::NEWEST);
    let is_first = |schema: &&FlowSchema| schema.metadata.name.as_deref() == Some("exempt");
    let mut earlier: Vec<_> = built_in.iter().filter(is_first).flat_map(rules).collect();
    let (mut covered, mut overlapping) = (Vec::new(), Vec::new());
    for (index, schema) in schemas.iter().enumerate() {
        let own = rules(schema);
        let all: Vec<_> = earlier.iter().collect();
        // A schema that matches nothing is invalid.
        let matches = own.iter().any(|rule| !is_covered(rule, &[]));
        if matches && own.iter().all(|rule| is_covered(rule, &all)) {
            covered.push(format!("s{index}"));
        }
        earlier.extend(own.iter().cloned());
        let overlaps = |other: &FlowSchema| {
            let mut others = rules(other).into_iter();
            precedence(other) == precedence(schema)
                && others.any(|rule| own.iter().any(|own| may_overlap(&rule, own)))
        };
        if let Some(first) = schemas[..index].iter().position(overlaps) {
            let start = format!("`s{first}` has the same precedence");
            overlapping.push((format!("s{index}"), start));
        }
    }
    let unreachable = found(&findings, "unreachable-schema").into_iter();
    let unreachable: Vec<_> = unreachable.map(|(name, _)| name).collect();
    assert_eq!(unreachable, covered);
    let equal = found(&findings, "equal-precedence");
    assert_eq!(equal.len(), overlapping.len(), "{equal:?} {overlapping:?}");
    for ((name, message), (own, start)) in equal.into_iter().zip(overlapping) {
        assert!(
            name == own && message.starts_with(&start),
            "{name}: {message}"
        );
    }
}

/// Every pair of subjects, of paths, and of namespaces.
#[test]
fn every_pair_is_compared() {
    let everything = json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true}]);
    let of_subject = |subject| json!({"subjects": [subject], "resourceRules": everything});
    let of_path = |path: &&str| json!({"subjects": [user(EVERYBODY)], "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": [path]}]});
    let of_places = |(namespaces, scope): (&[&str], bool)| {
        json!({"subjects": [user("a")], "resourceRules": [
        {"verbs": ["get"], "apiGroups": ["*"], "resources": ["*"], "namespaces": namespaces, "clusterScope": scope}]})
    };
    let places: [(&[&str], bool); 5] = [
        (&["*"], true),
        (&["*"], false),
        (&["n"], true),
        (&["n", "m"], false),
        (&[], true),
    ];
    for rules in [
        subjects().into_iter().map(of_subject).collect::<Vec<_>>(),
        PATHS.iter().map(of_path).collect(),
        places.into_iter().map(of_places).collect(),
    ] {
        let pairs = rules
            .iter()
            .flat_map(|first| rules.iter().map(move |second| (first, second)));
        for (first, second) in pairs.step_by(if crate::tries_all() { 1 } else { 3 }) {
            let schemas = [first, second].map(std::slice::from_ref);
            assert_complete(&[flow_schema(0, 2, schemas[0]), flow_schema(1, 2, schemas[1])]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if crate::tries_all() { 3000 } else { 64 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_covered_and_every_overlapping_schema_is_found(schemas in nested()) {
        assert_complete(&schemas);
    }
}
