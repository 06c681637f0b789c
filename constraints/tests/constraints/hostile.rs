//! Schemas and rules that were made to do harm.

use k8s_flowcontrol_constraints::{Schema, uncheckable};
use serde_json::{Value, json};

/// Rules that nest or repeat one operator, in the sizes of the limits and far above them. The parser needs much stack for each.
#[test]
fn deep_and_long_rules_do_not_overflow_the_stack() {
    for count in [50, 79, 300, 4000, 100_000] {
        let rules = [
            format!("{}true{}", "(".repeat(count), ")".repeat(count)),
            format!("{}true{}", "!(".repeat(count), ")".repeat(count)),
            format!("{}{}", "[".repeat(count), "]".repeat(count)),
            format!("{}1{}", "{1:".repeat(count), "}".repeat(count)),
            format!("{}true", "!".repeat(count)),
            vec!["1"; count].join("+"),
            vec!["1"; count].join("=="),
            vec!["true"; count].join("||"),
            format!("self{}", ".a".repeat(count)),
            format!("self{}", "[0]".repeat(count)),
            format!("self{}", ".size()".repeat(count)),
            format!("{}1", "true?1:".repeat(count)),
        ];
        let rules: Vec<Value> = rules.iter().map(|rule| json!({ "rule": rule })).collect();
        let schema =
            Schema::new(&json!({ "type": "object", "x-kubernetes-validations": rules })).unwrap();
        // Each rule ends in an error, or is not checked.
        let outcome = schema.validate(&json!({}));
        assert!(
            outcome.violations.len() + outcome.not_checked.len() >= 5,
            "{count}: {outcome:?}"
        );
    }
}

#[test]
fn rules_that_are_no_rules_are_reported() {
    let rules = [
        "(",
        "a b c",
        "'\\q'",
        "\0",
        "has(1)",
        "has(self)",
        "\"abc",
        "0x",
        "1e999 > 1.0",
        "99999999999999999999",
        "self.`a`",
        "self.a.map(x)",
        "\u{202e}self",
        "self..a",
        "self.all(x)",
        "/* */ true",
        "self.a >",
    ];
    for rule in rules {
        let schema = json!({ "type": "object", "x-kubernetes-validations": [{ "rule": rule }] });
        let outcome = Schema::new(&schema).unwrap().validate(&json!({ "a": 1 }));
        assert!(!outcome.is_valid(), "{rule}");
    }
    assert!(
        uncheckable(&["("])[0]
            .as_ref()
            .unwrap()
            .starts_with("it cannot be parsed: ")
    );
}

#[test]
fn a_rule_that_is_not_a_boolean_is_reported() {
    let schema = json!({ "type": "object", "x-kubernetes-validations": [{ "rule": "1 + 1" }] });
    let outcome = Schema::new(&schema).unwrap().validate(&json!({}));
    assert_eq!(outcome.not_checked[0].reason, "its value is not a boolean");
}
