//! Properties of all configurations.

use super::strategies::{level, release, request, schema};
use k8s_flowcontrol_rules::limits::{SeatDemand, ServerLimits};
use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol_rules::sharding::Dealer;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::FlowSchema;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

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
        last.retain(|s| {
            let level = limits.level(&s.spec.priority_level_configuration.name);
            level.is_some_and(|level| !level.built_in_fallback)
        });
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
            if taken.built_in_fallback {
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
    fn any_url_can_be_parsed(method in ".{0,8}", url in "(/|[a-z%?&=+#:;,\\\\]|.){0,40}") {
        let _ = RequestAttributes::from_http(&method, &url, User::anonymous());
    }
}
