//! Recipes: a server handles requests as they predict.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod names;

use crate::strategies::{level, schema};
use k8s_flowcontrol_analysis::recipes::{Client, Recipe, RecipeError, Recipes, TakenByGroup};
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_rules::matching::Classifier;
use k8s_flowcontrol_types::api::v1::FlowSchema;
use k8s_flowcontrol_types::{Release, Resource};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;

const UNAUTHENTICATED: &str = "system:unauthenticated";

/// The last one excludes `system:authenticated`.
const GROUPS: &[&str] = &[
    "dev",
    "ops",
    "system:nodes",
    "system:serviceaccounts",
    UNAUTHENTICATED,
];

fn client() -> impl Strategy<Value = Client> {
    let groups = subsequence(GROUPS, 0..=3)
        .prop_map(|groups| groups.into_iter().map(str::to_owned).collect());
    let user = (
        select(&["alice", "bob", "system:serviceaccount:a:x"][..]),
        proptest::option::of(groups),
    );
    prop_oneof![
        user.prop_map(|(name, groups)| Client::User {
            name: name.to_owned(),
            groups
        }),
        select(GROUPS).prop_map(|name| Client::Group(name.to_owned())),
        select(&["a", "b"][..]).prop_map(|namespace| Client::Namespace(namespace.to_owned())),
        select(&["x", "y"][..]).prop_map(|name| Client::ServiceAccount {
            namespace: "a".into(),
            name: name.into()
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if crate::tries_all() { 512 } else { 128 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// In any further groups of the client, if they are unknown.
    #[test]
    fn every_request_of_a_proof_is_classified_as_it_says(
        schemas in proptest::collection::vec((schema(), 2..60), 0..8), levels in proptest::collection::vec(level(), 0..4),
        client in client(), more in subsequence(&GROUPS[..4], 0..=3), protects in any::<bool>(),
    ) {
        let schemas: Vec<FlowSchema> = schemas
            .into_iter()
            .map(|(mut schema, precedence)| {
                if !["exempt", "catch-all", "probes"].contains(&schema.name()) {
                    schema.spec.matching_precedence = Some(precedence);
                }
                schema
            })
            .collect();
        let recipes = Recipes::new(&schemas, &levels, 600, Release::NEWEST);
        let recipe = if protects { recipes.protect(&client, 20) } else { recipes.isolate(&client, 20) };
        let Ok(Recipe { proof, flow_schemas, priority_levels, .. }) = recipe else {
            return Ok(());
        };
        let classifier = Classifier::new(&flow_schemas, &priority_levels, Release::NEWEST);
        let groups_unknown = match &client {
            Client::User { groups, .. } => groups.is_none(),
            Client::Group(group) => group != UNAUTHENTICATED,
            _ => false,
        };
        for proven in &proof {
            let mut request = proven.request.clone();
            if groups_unknown && !request.user.name.starts_with("system:serviceaccount:") {
                request.user.groups.extend(more.iter().map(|group| (*group).to_owned()));
            }
            let taken = classifier.classify(&request);
            let expected = proven.after.as_ref();
            // `exempt` and `probes` stay before the recipe, and a test may give them any rules.
            if taken.is_some_and(|taken| ["exempt", "probes"].contains(&taken.flow_schema)) {
                continue;
            }
            if expected.is_some_and(|taken| ["exempt", "probes"].contains(&&*taken.flow_schema)) {
                continue;
            }
            prop_assert_eq!(taken.map(|taken| taken.flow_schema), expected.map(|taken| &*taken.flow_schema));
        }
        // A user in one of the named groups gets the named schema.
        let before = Classifier::new(&schemas, &levels, Release::NEWEST);
        for proven in &proof {
            for (classifier, others) in [(&before, &proven.before_by_group), (&classifier, &proven.after_by_group)] {
                prop_assert!(groups_unknown || others.is_empty());
                for other in others {
                    let mut request = proven.request.clone();
                    request.user.groups.push(other.group.clone());
                    let taken = classifier.classify(&request);
                    prop_assert_eq!(taken.map(|taken| taken.flow_schema), Some(&*other.taken.flow_schema));
                }
            }
        }
    }
}

/// A schema with precedence 5000 takes the user through a group.
#[test]
fn groups_count() {
    let team: FlowSchema = serde_json::from_value(json!({
        "metadata": {"name": "team"},
        "spec": {
            "matchingPrecedence": 5000, "priorityLevelConfiguration": {"name": "workload-high"},
            "rules": [{
                "subjects": [{"kind": "Group", "group": {"name": "team"}}],
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true}],
            }],
        },
    }))
    .unwrap();
    let schemas: Vec<_> = k8s_flowcontrol_rules::bootstrap::flow_schemas(Release::NEWEST)
        .into_iter()
        .chain([team])
        .collect();
    let levels = k8s_flowcontrol_rules::bootstrap::priority_levels(Release::NEWEST);
    let recipes = Recipes::new(&schemas, &levels, 600, Release::NEWEST);
    let alice = |groups: Option<&[&str]>| Client::User {
        name: "alice".into(),
        groups: groups.map(|groups| groups.iter().map(|group| (*group).to_owned()).collect()),
    };
    for (groups, precedence) in [
        (Some(&["team"][..]), 4999),
        (Some(&["other"][..]), 9899),
        (Some(&["system:nodes"][..]), 399),
        (None, 399),
    ] {
        let recipe = recipes.isolate(&alice(groups), 5).unwrap();
        assert_eq!(
            recipe.flow_schema.spec.matching_precedence,
            Some(precedence),
            "{groups:?}"
        );
        let limits = ServerLimits::new(&recipe.priority_levels, 600, Release::NEWEST);
        assert!(limits.level("isolate-alice").unwrap().maximum <= 5);
    }
    // Unknown groups: the proof names the groups in which another schema takes the request.
    let named = |groups: &[TakenByGroup]| {
        let groups = groups.iter();
        groups
            .map(|other| format!("{} {}", other.group, other.taken.flow_schema))
            .collect::<Vec<_>>()
    };
    let unknown = &recipes.isolate(&alice(None), 5).unwrap().proof[0];
    assert!(named(&unknown.before_by_group).contains(&"team team".to_owned()));
    assert_eq!(named(&unknown.after_by_group), ["system:masters exempt"]);
    let known = &recipes.isolate(&alice(Some(&["team"])), 5).unwrap().proof[0];
    assert_eq!(known.before.as_ref().unwrap().flow_schema, "team");
    assert!(known.before_by_group.is_empty() && known.after_by_group.is_empty());
    let admin = recipes
        .isolate(&alice(Some(&["system:masters"])), 5)
        .unwrap_err();
    assert_eq!(
        admin,
        RecipeError::Exempt {
            flow_schemas: vec!["exempt".into()]
        }
    );
    let all = recipes
        .protect(&Client::Namespace("batch".into()), 20)
        .unwrap();
    assert!(
        ServerLimits::new(&all.priority_levels, 600, Release::NEWEST)
            .level("protect-batch")
            .unwrap()
            .minimum
            >= 20
    );
    assert!(all.flow_schema.spec.distinguisher_method.is_some());
    assert!(matches!(
        recipes.protect(&alice(None), 600),
        Err(RecipeError::TooManySeats { .. })
    ));
    // Before levels could borrow, the field did not exist.
    let old = Recipes::built_in(600, Release::new(25).unwrap());
    let level = old.isolate(&alice(None), 5).unwrap().priority_level;
    let limited = level.unwrap().spec.limited.unwrap();
    assert_eq!(limited.borrowing_limit_percent, None);
    assert!(matches!(
        recipes.isolate(&alice(None), 0),
        Err(RecipeError::TooFewSeats { .. })
    ));
    assert!(recipes.isolate(&alice(None), 599).is_ok());
    assert!(matches!(
        recipes.isolate(&alice(None), 600),
        Err(RecipeError::NoLimit { .. })
    ));
    let probes = recipes
        .exempt_probes(None, &["/version".to_owned()])
        .unwrap();
    assert_eq!(
        probes.proof[0].after.as_ref().unwrap().priority_level,
        "exempt"
    );
}

/// The proof is about the user that the server sees.
#[test]
fn a_server_adds_groups_to_those_that_are_named() {
    let recipes = Recipes::built_in(600, Release::NEWEST);
    let account = Client::User {
        name: "system:serviceaccount:a:b".into(),
        groups: Some(vec!["tools".into()]),
    };
    let recipe = recipes.isolate(&account, 5).unwrap();
    let before = recipe.proof[0].before.as_ref().unwrap();
    assert_eq!(before.flow_schema, "service-accounts");
    assert_eq!(recipe.flow_schema.spec.matching_precedence, Some(8999));
    // Only service accounts of the namespace are in their group.
    let group = Client::Group("system:serviceaccounts:kube-system".into());
    let first = &recipes.protect(&group, 5).unwrap().proof[0];
    let before = first.before.as_ref().unwrap();
    assert_eq!(before.flow_schema, "kube-system-service-accounts");
    assert!(first.after_by_group.is_empty());
}

/// Administrators stay exempt, also where the mandatory objects are not given.
#[test]
fn mandatory_objects_are_part_of_a_proof() {
    let recipes = Recipes::new(&[], &[], 600, Release::NEWEST);
    let alice = Client::User {
        name: "alice".into(),
        groups: None,
    };
    let recipe = recipes.isolate(&alice, 500).unwrap();
    let masters = &recipe.proof[0].after_by_group[0];
    assert_eq!(
        (masters.group.as_str(), masters.taken.flow_schema.as_str()),
        ("system:masters", "exempt")
    );
}

/// Health checks of everybody come with credentials and without them.
#[test]
fn probes_of_everybody_are_proven_for_two_users() {
    let early: FlowSchema = serde_json::from_value(json!({
        "metadata": {"name": "early"},
        "spec": {
            "matchingPrecedence": 2, "priorityLevelConfiguration": {"name": "catch-all"},
            "rules": [{
                "subjects": [{"kind": "Group", "group": {"name": "system:authenticated"}}],
                "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/metrics"]}],
            }],
        },
    }))
    .unwrap();
    let levels = k8s_flowcontrol_rules::bootstrap::priority_levels(Release::NEWEST);
    let recipes = Recipes::new(&[early], &levels, 600, Release::NEWEST);
    let taken = |path: &str| -> Vec<(String, String)> {
        let recipe = recipes.exempt_probes(None, &[path.to_owned()]).unwrap();
        let proof = recipe.proof.into_iter();
        proof
            .map(|request| (request.title, request.after.unwrap().flow_schema))
            .collect()
    };
    let row = |title: &str, schema: &str| (title.to_owned(), schema.to_owned());
    assert_eq!(
        taken("/metrics"),
        [
            row("GET /metrics", "exempt-probes"),
            row("GET /metrics", "early")
        ]
    );
    // A path that the entry is for.
    assert_eq!(
        taken("/probes/*"),
        vec![row("GET /probes/any", "exempt-probes"); 2]
    );
    assert_eq!(taken("*"), vec![row("GET /any", "exempt-probes"); 2]);
    // Some of the requests are exempt already, and others have another schema.
    let own = |name: &str, precedence, level: &str, path: &str| -> FlowSchema {
        serde_json::from_value(json!({
            "metadata": {"name": name},
            "spec": {
                "matchingPrecedence": precedence, "priorityLevelConfiguration": {"name": level},
                "rules": [{
                    "subjects": [{"kind": "User", "user": {"name": "*"}}],
                    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": [path]}],
                }],
            },
        }))
        .unwrap()
    };
    let schemas = [own("a", 2, "catch-all", "/a"), own("b", 2, "exempt", "/b")];
    let recipes = Recipes::new(&schemas, &levels, 600, Release::NEWEST);
    let error = |paths: &[&str]| {
        let paths: Vec<_> = paths.iter().map(|path| (*path).to_owned()).collect();
        recipes.exempt_probes(None, &paths).unwrap_err()
    };
    assert_eq!(error(&["/a", "/b"]), RecipeError::NoEffect);
    let flow_schemas = vec!["b".to_owned()];
    assert_eq!(error(&["/b"]), RecipeError::Exempt { flow_schemas });
    // Each of them exempts some of the requests.
    let schemas = [own("a", 2, "exempt", "/a"), own("b", 2, "exempt", "/b")];
    let recipes = Recipes::new(&schemas, &levels, 600, Release::NEWEST);
    let paths = ["/b".to_owned(), "/a".to_owned()];
    let error = recipes.exempt_probes(None, &paths).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the flow schemas a, b exempt these requests already"
    );
}

/// Shares have no limit below that of the field, and names none below that of an object.
#[test]
fn extreme_wishes_are_fulfilled_if_they_can_be() {
    let mut large = k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration::default();
    large.metadata.name = Some("large".into());
    large.spec = serde_json::from_value(json!({"type": "Limited", "limited": {"nominalConcurrencyShares": 100_000_000, "limitResponse": {"type": "Reject"}}})).unwrap();
    let recipes = Recipes::new(&[], &[large], 600, Release::NEWEST);
    let long = Client::User {
        name: format!("{}-{}", "a".repeat(99), "b"),
        groups: None,
    };
    let recipe = recipes.protect(&long, 300).unwrap();
    let limits = ServerLimits::new(&recipe.priority_levels, 600, Release::NEWEST);
    let own = limits.level(recipe.flow_schema.name()).unwrap();
    assert_eq!(own.minimum, 300);
}
