//! Following the advice of a finding leads to valid objects without that finding.

use super::objects::{
    everything, found, group, level, level_findings, pods, schema, schema_findings, urls, user,
};
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use k8s_flowcontrol_rules::validate;
use k8s_flowcontrol_types::Release;
use serde_json::{Value, json};

#[test]
fn advised_changes_are_valid() {
    let queue = |queues: i32, hand: i32| json!({"type": "Queue", "queuing": {"queues": queues, "handSize": hand}});
    let closed = |response: Value| json!({"nominalConcurrencyShares": 0, "borrowingLimitPercent": 0, "limitResponse": response});
    // A level, the rule that finds it, and the level changed as the rule advises.
    let cases = [
        (
            "zero-shares-borrow",
            json!({"nominalConcurrencyShares": 0}),
            json!({"nominalConcurrencyShares": 2}),
        ),
        (
            "closed-level",
            closed(queue(64, 6)),
            json!({"limitResponse": queue(64, 6)}),
        ),
        (
            "hand-collision",
            json!({"limitResponse": queue(64, 1)}),
            json!({"limitResponse": queue(64, 8)}),
        ),
        (
            "lends-everything",
            json!({"lendablePercent": 100}),
            json!({"lendablePercent": 90}),
        ),
    ];
    for (rule, before, after) in cases {
        let (before, after) = (level("l", before), level("l", after));
        assert_eq!(validate::create_typed(&before, Release::NEWEST), []);
        assert_eq!(validate::create_typed(&after, Release::NEWEST), []);
        assert_eq!(level_findings(before)[0].rule, rule);
        assert_eq!(level_findings(after), []);
    }
    let schema = |url: &str| {
        schema(
            "s",
            user("u"),
            urls(json!(["get"]), json!([url])),
            json!({}),
        )
    };
    for (rule, before, after) in [
        ("root-url", "/", "*"),
        ("wildcard-misses-parent", "/logs/*", "/logs"),
    ] {
        let (before, after) = (schema(before), schema(after));
        assert_eq!(validate::create_typed(&before, Release::NEWEST), []);
        assert_eq!(validate::create_typed(&after, Release::NEWEST), []);
        assert_eq!(schema_findings(&[before])[0].rule, rule);
        assert_eq!(schema_findings(&[after]), []);
    }
}

#[test]
fn advice_can_be_followed() {
    let masters = schema("mine", group("system:masters"), everything(), json!({}));
    let findings = schema_findings(&[masters]);
    assert_eq!(findings[0].rule, "unreachable-schema");
    assert!(
        findings[0].help.ends_with("can come before `exempt`"),
        "{}",
        findings[0].help
    );
    // A resource of another domain can have any name.
    let custom = |group: &str| {
        let rules = json!({"resourceRules": [
            {"verbs": ["get"], "apiGroups": [group], "resources": ["event"], "namespaces": ["a"]}]});
        schema_findings(&[schema("custom", user("u"), rules, json!({}))])
    };
    assert_eq!(custom("example.com"), []);
    assert_eq!(found(&custom("events.k8s.io"))[0].0, "singular-resource");
    // The verb of a request for a path is its method; but a flow schema cannot name each.
    let post = schema(
        "post",
        user("u"),
        urls(json!(["post"]), json!(["/a"])),
        json!({}),
    );
    let findings = schema_findings(&[post]);
    assert_eq!(found(&findings)[0].0, "unknown-verb");
    assert_eq!(
        findings[0].message,
        "`post` is not a verb that a flow schema can name"
    );
    assert!(!findings[0].help.contains("list"), "{}", findings[0].help);
    // A schema without users is not the fault of earlier ones.
    let nobody = schema("nobody", json!([{"kind": "Group"}]), pods(), json!({}));
    assert_eq!(schema_findings(&[nobody]), []);
    let unused = level("unused", json!({}));
    let findings = lint(&Configuration::files(&[], &[unused], Release::NEWEST));
    assert!(
        findings[0]
            .message
            .starts_with("no flow schema of these files"),
        "{}",
        findings[0]
    );
}
