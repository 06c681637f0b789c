//! Lint findings about priority levels.

use super::objects::{found, level, level_findings};
use serde_json::json;

#[test]
fn mistakes_in_levels_are_found() {
    let queue = |queues: i32, hand: i32| json!({"type": "Queue", "queuing": {"queues": queues, "handSize": hand}});
    let path = "spec.limited.limitResponse";
    let findings = level_findings(level(
        "l",
        json!({"nominalConcurrencyShares": 0, "lendablePercent": 5}),
    ));
    assert_eq!(
        found(&findings),
        [
            ("zero-shares-borrow", "spec.limited.borrowingLimitPercent"),
            ("zero-shares-lend", "spec.limited.lendablePercent"),
        ]
    );
    let closed = json!({"nominalConcurrencyShares": 0, "borrowingLimitPercent": 0});
    let findings = level_findings(level("l", closed));
    assert_eq!(
        found(&findings),
        [("closed-level", format!("{path}.type").as_str())]
    );
    let findings = level_findings(level("l", json!({"lendablePercent": 100})));
    assert_eq!(
        found(&findings),
        [("lends-everything", "spec.limited.lendablePercent")]
    );
    let hand = format!("{path}.queuing.handSize");
    for (queues, size) in [(64, 1), (4, 4), (12, 2)] {
        let findings = level_findings(level("l", json!({"limitResponse": queue(queues, size)})));
        assert_eq!(
            found(&findings),
            [("hand-collision", hand.as_str())],
            "{queues} {size}"
        );
    }
    for (queues, size) in [(1, 1), (16, 4), (64, 6)] {
        let findings = level_findings(level("l", json!({"limitResponse": queue(queues, size)})));
        assert_eq!(findings, [], "{queues} {size}");
    }
}

/// A level of type Reject without seats executes one request at a time, so the type alone closes nothing.
#[test]
fn a_closed_level_is_closed_by_authorization() {
    let queue = json!({"type": "Queue", "queuing": {"queues": 64, "handSize": 6}});
    for response in [queue, json!({"type": "Reject"})] {
        let closed = json!({"nominalConcurrencyShares": 0, "borrowingLimitPercent": 0, "limitResponse": response});
        let findings = level_findings(level("l", closed));
        let help = &findings[0].help;
        assert!(
            help.starts_with("deny the requests with authorization"),
            "{help}"
        );
    }
}
