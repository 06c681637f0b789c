//! Schemas and rules that were made to do harm.

use k8s_flowcontrol_constraints::{Definitions, Schema, uncheckable};
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

#[test]
fn definitions_that_apply_themselves_to_their_own_value_are_errors() {
    for word in ["allOf", "anyOf", "oneOf"] {
        let direct = json!({ "A": { word: [{ "$ref": "#/$defs/A" }] } });
        let around = json!({
            "A": { word: [{ "type": "object" }, { "not": { "$ref": "#/$defs/B" } }] },
            "B": { "$ref": "#/$defs/C" },
            "C": { word: [{ word: [{ "$ref": "#/$defs/A" }] }] },
            "D": { "$ref": "#/$defs/A" },
        });
        for definitions in [direct, around] {
            let error = Definitions::new(&definitions).unwrap_err().to_string();
            assert!(
                error.ends_with("the definition refers to itself"),
                "{error}"
            );
        }
    }
    // With a value between there is an end.
    let tree = json!({ "A": { "allOf": [{ "properties": { "a": { "$ref": "#/$defs/A" } } }], "type": "object" } });
    let tree = Definitions::new(&tree).unwrap();
    assert!(
        tree.validate("A", &json!({ "a": { "a": {} } }))
            .unwrap()
            .is_valid()
    );
    let outcome = tree.validate("A", &json!({ "a": { "a": 1 } })).unwrap();
    assert_eq!(outcome.violations[0].field, "a.a", "{outcome:?}");
}

#[test]
fn defaults_without_an_end_are_reported() {
    // A definition in itself, and definitions with the next one twice.
    let endless = json!({ "A": { "type": "object", "default": {}, "properties": { "a": { "$ref": "#/$defs/A" } } } });
    let mut doubling = serde_json::Map::new();
    for number in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/A{}", (number + 1) % 60) });
        let name = if number == 0 {
            "A".to_owned()
        } else {
            format!("A{number}")
        };
        let properties = if number == 59 {
            json!({})
        } else {
            json!({ "a": next, "b": next })
        };
        doubling.insert(
            name,
            json!({ "type": "object", "default": {}, "properties": properties }),
        );
    }
    for definitions in [endless, Value::Object(doubling)] {
        let definitions = Definitions::new(&definitions).unwrap();
        let outcome = definitions.validate("A", &json!({})).unwrap();
        let reason = &outcome.not_checked[0].reason;
        assert!(
            reason.starts_with("the defaults of the schema make more than"),
            "{reason}"
        );
    }
}

/// Long sets are compared in a time that grows as they do.
#[test]
fn long_sets_are_compared_by_their_keys() {
    let set =
        json!({ "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } });
    let schema = json!({
        "type": "object",
        "properties": { "a": set, "b": set },
        "x-kubernetes-validations": [{ "rule": "self.a == self.b && size(self.a + self.b) == size(self.a)" }],
    });
    let names: Vec<String> = (0..100_000)
        .map(|number| format!("name-{number}"))
        .collect();
    let reversed: Vec<&String> = names.iter().rev().collect();
    let outcome = Schema::new(&schema)
        .unwrap()
        .validate(&json!({ "a": names, "b": reversed }));
    assert!(outcome.is_valid(), "{outcome:?}");
}
