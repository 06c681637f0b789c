//! Following the advice of a finding leads to valid objects without that finding.

use super::objects::{level, level_findings, schema, schema_findings, urls, user};
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
