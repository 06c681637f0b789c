//! Properties of all configurations.

use crate::built_in::read;
use k8s_flowcontrol_rules::limits::{SeatDemand, ServerLimits};
use k8s_flowcontrol_rules::lint::{Configuration, lint};
use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol_rules::sharding::Dealer;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{Release, Resource};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

fn release() -> impl Strategy<Value = Release> {
    (25..=37u32).prop_map(|minor| Release::new(minor).unwrap())
}

fn names(from: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![1 => Just(vec!["*"]), 3 => vec(select(from), 0..3)]
}

const USERS: &[&str] = &[
    "alice",
    "bob",
    "system:serviceaccount:a:x",
    "system:serviceaccount:b:c:d",
    "*",
];
const GROUPS: &[&str] = &["dev", "ops", "system:authenticated", "*"];
const VERBS: &[&str] = &["get", "list", "watch", "create", "post", "*"];
const NAMESPACES: &[&str] = &["a", "b", "ab"];

fn subject() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(USERS).prop_map(|name| json!({"kind": "User", "user": {"name": name}})),
        select(GROUPS).prop_map(|name| json!({"kind": "Group", "group": {"name": name}})),
        (select(NAMESPACES), select(&["x", "c:d", "*"][..])).prop_map(|(namespace, name)| json!({
            "kind": "ServiceAccount", "serviceAccount": {"namespace": namespace, "name": name}})),
        Just(json!({"kind": "User"})),
    ]
}

fn resource_rule() -> impl Strategy<Value = Value> {
    let lists = (
        names(VERBS),
        names(&["", "apps"]),
        names(&["pods", "pods/log", "nodes"]),
    );
    (lists, names(NAMESPACES), any::<bool>()).prop_map(
        |((verbs, groups, resources), namespaces, scope)| {
            json!({"verbs": verbs, "apiGroups": groups, "resources": resources,
            "namespaces": namespaces, "clusterScope": scope})
        },
    )
}

fn url_rule() -> impl Strategy<Value = Value> {
    (
        names(VERBS),
        names(&["/", "/healthz", "/healthz/*", "/version", "*", ""]),
    )
        .prop_map(|(verbs, urls)| json!({"verbs": verbs, "nonResourceURLs": urls}))
}

fn schema() -> impl Strategy<Value = FlowSchema> {
    let rule = (vec(subject(), 0..3), vec(resource_rule(), 0..3), vec(url_rule(), 0..2)).prop_map(
        |(subjects, resources, urls)| {
            json!({"subjects": subjects, "resourceRules": resources, "nonResourceRules": urls})
        },
    );
    let name = select(&["s1", "s2", "s3", "s4", "exempt", "catch-all", "probes"][..]);
    let level = select(&["exempt", "catch-all", "l1", "l2", "gone"][..]);
    let distinguisher = option::of(select(&["ByUser", "ByNamespace"][..]));
    (name, level, 0..4, distinguisher, vec(rule, 0..4)).prop_map(
        |(name, level, precedence, distinguisher, rules)| {
            read(json!({"metadata": {"name": name}, "spec": {
                "priorityLevelConfiguration": {"name": level}, "matchingPrecedence": precedence,
                "distinguisherMethod": distinguisher.map(|by| json!({"type": by})), "rules": rules}}))
        },
    )
}

fn level() -> impl Strategy<Value = PriorityLevelConfiguration> {
    let name = select(&["l1", "l2", "l3", "catch-all", "exempt"][..]);
    let number = || option::of(prop_oneof![-5..200, Just(i32::MAX), Just(i32::MIN)]);
    let queuing = option::of((number(), number()));
    let kind = select(&["Limited", "Limited", "Limited", "Exempt", "?"][..]);
    (name, kind, number(), number(), number(), queuing).prop_map(
        |(name, kind, shares, lendable, borrowing, queuing)| {
            let response = match queuing {
                Some((queues, hand)) => {
                    json!({"type": "Queue", "queuing": {"queues": queues, "handSize": hand}})
                }
                None => json!({"type": "Reject"}),
            };
            let field = if kind == "Exempt" {
                "exempt"
            } else {
                "limited"
            };
            let mut stanza =
                json!({"nominalConcurrencyShares": shares, "lendablePercent": lendable});
            if kind != "Exempt" {
                stanza["borrowingLimitPercent"] = json!(borrowing);
                stanza["limitResponse"] = response;
            }
            read(json!({"metadata": {"name": name}, "spec": {"type": kind, field: stanza}}))
        },
    )
}

fn request() -> impl Strategy<Value = RequestAttributes> {
    let url = prop_oneof![
        select(
            &[
                "/api/v1/namespaces/a/pods",
                "/api/v1/namespaces/ab/pods/p",
                "/api/v1/namespaces/b/pods?watch=1",
                "/api/v1/namespaces/b/pods/p/log",
                "/api/v1/nodes",
                "/apis/apps/v1/namespaces/a/pods/p",
                "/healthz",
                "/healthz/etcd",
                "/healthzz",
                "/version",
                "/",
            ][..]
        )
        .prop_map(str::to_owned),
        "(/(api|apis|v1|watch|namespaces|a|pods|p|%2[fF]|)){0,6}(\\?watch=[01])?",
    ];
    let groups = vec(
        select(
            &[
                "dev",
                "ops",
                "system:authenticated",
                "system:unauthenticated",
            ][..],
        ),
        0..3,
    );
    let user = select(&USERS[..4]);
    (
        select(&["GET", "POST", "DELETE", "HEAD"][..]),
        url,
        user,
        groups,
    )
        .prop_filter_map(
            "refused before it is classified",
            |(method, url, user, groups)| {
                RequestAttributes::from_http(method, &url, User::new(user, groups)).ok()
            },
        )
}

/// A plain implementation of the server's matching rules.
fn matches(schema: &FlowSchema, request: &RequestAttributes) -> bool {
    let has = |list: &[String], name: &str| *list == ["*"] || list.iter().any(|item| item == name);
    let tree = serde_json::to_value(schema).unwrap();
    let list = |tree: &Value| -> Vec<String> {
        let items = tree.as_array().into_iter().flatten();
        items
            .map(|item| item.as_str().unwrap().to_owned())
            .collect()
    };
    let all = |tree: &Value| tree.as_array().cloned().unwrap_or_default();
    let subject = |subject: &Value| {
        let user = subject["user"]["name"].as_str();
        let group = subject["group"]["name"].as_str();
        let account = &subject["serviceAccount"];
        if let Some(name) = user {
            name == "*" || name == request.user.name
        } else if let Some(name) = group {
            name == "*" || request.user.groups.iter().any(|group| group == name)
        } else if let (Some(namespace), Some(name)) =
            (account["namespace"].as_str(), account["name"].as_str())
        {
            let prefix = format!("system:serviceaccount:{namespace}:");
            match name {
                "*" => request.user.name.starts_with(&prefix),
                name => request.user.name == prefix + name,
            }
        } else {
            false
        }
    };
    let resource = match request.subresource.as_str() {
        "" => request.resource.clone(),
        subresource => format!("{}/{subresource}", request.resource),
    };
    let resource_rule = |rule: &Value| {
        has(&list(&rule["verbs"]), &request.verb)
            && has(&list(&rule["apiGroups"]), &request.api_group)
            && has(&list(&rule["resources"]), &resource)
            && match request.namespace.as_str() {
                "" => rule["clusterScope"] == true,
                namespace => has(&list(&rule["namespaces"]), namespace),
            }
    };
    let url = |entry: &String| {
        let trunk = entry
            .strip_suffix('*')
            .unwrap_or(entry)
            .trim_end_matches('/')
            .to_owned()
            + "/";
        entry == "*" || *entry == request.path || request.path.starts_with(&trunk)
    };
    let url_rule = |rule: &Value| {
        has(&list(&rule["verbs"]), &request.verb) && list(&rule["nonResourceURLs"]).iter().any(url)
    };
    all(&tree["spec"]["rules"]).iter().any(|rule| {
        all(&rule["subjects"]).iter().any(subject)
            && if request.is_resource_request {
                all(&rule["resourceRules"]).iter().any(resource_rule)
            } else {
                all(&rule["nonResourceRules"]).iter().any(url_rule)
            }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_classifier_agrees_with_a_plain_search(
        schemas in vec(schema(), 0..8), levels in vec(level(), 0..4), release in release(),
        requests in vec(request(), 1..8),
    ) {
        let classifier = Classifier::new(&schemas, &levels, release);
        let limits = ServerLimits::new(&levels, 600, release);
        let mut last: Vec<&FlowSchema> = Vec::new();
        for schema in &schemas {
            last.retain(|other| other.name() != schema.name());
            last.push(schema);
        }
        last.retain(|s| limits.level(&s.spec.priority_level_configuration.name).is_some());
        last.sort_by_key(|s| {
            let precedence = s.spec.matching_precedence.filter(|p| *p != 0).unwrap_or(1000);
            (precedence, s.name().to_owned())
        });
        for request in &requests {
            let taken = classifier.classify(request);
            prop_assert_eq!(classifier.explain(request).map(|e| e.classification), taken);
            let Some(taken) = taken else {
                prop_assert!(!request.is_subject_to_flow_control());
                continue;
            };
            if taken.imagined {
                continue;
            }
            let found = last.iter().find(|schema| matches(schema, request));
            let expected = found.map_or("catch-all", |schema| schema.name());
            prop_assert_eq!(taken.flow_schema, expected);
        }
    }

    #[test]
    fn hands_have_distinct_queues(queues in 1..2000i32, hand_size in 1..16i32, hash: u64) {
        if let Ok(dealer) = Dealer::new(queues, hand_size) {
            let mut hand = dealer.deal(hash);
            prop_assert!(hand.iter().all(|queue| *queue < dealer.queues()));
            hand.sort_unstable();
            hand.dedup();
            prop_assert_eq!(hand.len(), hand_size as usize);
        }
    }

    #[test]
    fn more_elephants_squish_more(queues in 1..300i32, hand_size in 1..16i32, elephants in 0..20u8) {
        if let Ok(dealer) = Dealer::new(queues, hand_size) {
            let few = dealer.squish_probability(elephants);
            let more = dealer.squish_probability(elephants + 1);
            prop_assert!((0.0..=1.0 + 1e-11).contains(&few));
            prop_assert!(more >= few * (1.0 - 1e-11));
        }
    }

    #[test]
    fn limits_are_in_order(
        levels in vec(level(), 0..6), release in release(), seats: u32, demand in vec(0..2000u32, 1..6),
    ) {
        let limits = ServerLimits::new(&levels, seats, release);
        for level in limits.levels() {
            prop_assert!(0 <= level.minimum && level.minimum <= level.nominal);
            prop_assert!(level.nominal <= level.maximum);
            prop_assert!(level.minimum <= level.initial() && level.initial() <= level.nominal);
        }
        let count = limits.levels().len() as i64;
        let participants = limits.levels().iter().filter(|level| level.shares > 0).count();
        if participants > 0 {
            let sum = limits.nominal_sum();
            prop_assert!(i64::from(seats) <= sum && sum <= i64::from(seats) + count);
        }
        let ask = |name: &str| SeatDemand::steady(demand[name.len() % demand.len()]);
        for adjusted in limits.adjust(ask, |_| None).levels {
            let level = limits.level(&adjusted.name).unwrap();
            let reaches = if level.exempt { i64::MAX } else { level.maximum };
            prop_assert!(level.minimum <= adjusted.current && adjusted.current <= reaches);
        }
        prop_assert!(limits.changes_to(&limits).is_empty());
    }

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
            // Lint assumes that every user is in one of the two groups, and every service account in its token's
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

    #[test]
    fn any_url_can_be_parsed(method in ".{0,8}", url in "(/|[a-z%?&=+#:;,\\\\]|.){0,40}") {
        let _ = RequestAttributes::from_http(&method, &url, User::anonymous());
    }
}
