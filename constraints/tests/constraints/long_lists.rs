//! Long lists and maps. Each test has as many elements that a time that grows faster than they do would be felt.

use k8s_flowcontrol_constraints::{Schema, Validation};
use serde_json::{Value, json};

/// The number of elements.
fn count() -> i64 {
    match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 40_000,
        None => 10_000,
    }
}

fn outcome(schema: &Value, new: &Value, old: Option<&Value>) -> Validation {
    let schema = json!({ "type": "object", "properties": { "a": schema } });
    let schema = Schema::new(&schema).unwrap();
    let new = json!({ "a": new });
    match old {
        Some(old) => schema.validate_update(&new, &json!({ "a": old })),
        None => schema.validate(&new),
    }
}

/// A list whose elements have the key `k`, and rules for `self.v`.
fn keyed(rule: &str) -> Value {
    json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {
            "type": "object",
            "properties": { "k": { "type": "string" }, "v": { "type": "integer", "minimum": 0 } },
            "x-kubernetes-validations": [{ "rule": rule }],
        },
    })
}

fn elements(value: impl Fn(i64) -> i64) -> Vec<Value> {
    let element = |number| json!({ "k": format!("k{number}"), "v": value(number) });
    (0..count()).map(element).collect()
}

#[test]
fn elements_are_compared_with_the_old_ones_by_their_keys() {
    let mut old = elements(|number| number);
    old.reverse();
    let new = elements(|number| number + i64::from(number == 7));
    let (new, old) = (Value::from(new), Value::from(old));
    let outcome = outcome(&keyed("self.v == oldSelf.v"), &new, Some(&old));
    let fields: Vec<&str> = outcome.violations.iter().map(|one| &*one.field).collect();
    assert_eq!(fields, ["a[7]"]);
}

#[test]
fn old_violations_of_a_reordered_list_do_not_count() {
    let new = elements(|_| -1);
    let old: Value = new.iter().rev().cloned().collect();
    let count = new.len();
    let new = Value::from(new);
    let schema = keyed("self.v > 0");
    assert!(outcome(&schema, &new, Some(&old)).is_valid());
    assert_eq!(outcome(&schema, &new, None).violations.len(), 2 * count);
}

#[test]
fn old_violations_of_a_list_without_keys_do_not_count_if_the_whole_list_is_the_same() {
    let rule = json!([{ "rule": "self < 0" }]);
    let schema = json!({ "type": "array", "items": { "type": "integer", "x-kubernetes-validations": rule } });
    let mut new: Vec<i64> = (0..count()).collect();
    let old = json!(new);
    assert!(outcome(&schema, &old, Some(&old)).is_valid());
    new.push(0);
    let outcome = outcome(&schema, &json!(new), Some(&old));
    assert_eq!(outcome.violations.len(), new.len());
}

#[test]
fn every_fault_is_reported_once() {
    let numbers: Vec<i64> = (0..count()).collect();
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let found = outcome(&texts, &json!(numbers), None);
    assert_eq!(found.violations.len(), numbers.len());
    let fields: Value = numbers
        .iter()
        .map(|name| (name.to_string(), json!(1)))
        .collect();
    let none = json!({ "type": "object", "additionalProperties": false });
    let found = outcome(&none, &fields, None);
    assert_eq!(found.violations.len(), numbers.len());
}

#[test]
fn unique_items_are_compared_as_go_decodes_them() {
    let schema = json!({ "type": "array", "uniqueItems": true, "items": {} });
    let unique = elements(|_| 0);
    assert!(outcome(&schema, &unique.into(), None).is_valid());
    // 1 is an integer of Go, and 1.0 is a float.
    for (elements, is_unique) in [
        (json!([1, 1.0, "1", true, [1], { "a": 1 }]), true),
        (json!([1, 2, 1]), false),
        (json!([0.0, -0.0]), false),
        (json!([{ "a": 1, "b": 2 }, { "b": 2, "a": 1 }]), false),
        (json!([{ "a": 1 }, { "a": 1.0 }]), true),
    ] {
        let outcome = outcome(&schema, &elements, None);
        assert_eq!(outcome.is_valid(), is_unique, "{elements}");
    }
}

/// Scalars are compared as Go decodes them, and objects as JSON text, in which 1.0 is 1.
#[test]
fn elements_of_sets_and_maps_are_compared_as_a_server_does() {
    let set = json!({ "type": "array", "x-kubernetes-list-type": "set", "items": {} });
    let map = |keys: &[&str]| json!({ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": { "type": "object" } });
    let (one, two) = (map(&["a"]), map(&["a", "b"]));
    let pair = json!([{ "a": 1 }, { "a": 1.0 }]);
    for (schema, elements, repeated) in [
        (&set, json!([1, 1.0, "1", null, true]), None),
        (&set, json!([0.0, -0.0]), Some("a[1]: Duplicate value: -0")),
        (&set, json!([2, 1, 1]), Some("a[2]: Duplicate value: 1")),
        (&set, pair.clone(), Some("a[1]: Duplicate value: {\"a\":1}")),
        (&one, pair.clone(), None),
        (&two, pair, Some("a[1]: Duplicate value: {\"a\":1}")),
        (&one, json!([{}, { "a": null }]), None),
        (
            &one,
            json!([{}, { "b": 1 }]),
            Some("a[1]: Duplicate value: {}"),
        ),
    ] {
        let outcome = outcome(schema, &elements, None);
        let found: Vec<String> = outcome.violations.iter().map(ToString::to_string).collect();
        assert_eq!(found, Vec::from_iter(repeated), "{elements}");
    }
}

#[test]
fn a_rule_compiles_its_pattern_once() {
    let schema = keyed("self.k.matches('^k[0-9]+$') && self.k.find('[0-9]+$') != ''");
    assert!(outcome(&schema, &elements(|number| number).into(), None).is_valid());
}

/// A pattern of the object itself can be too large to be kept, and others follow it.
#[test]
fn large_patterns_are_matched_too() {
    let rules = json!([{ "rule": "self.patterns.all(pattern, self.text.matches(pattern))" }]);
    let text = json!({ "type": "string" });
    let patterns = json!({ "type": "array", "items": text });
    let schema = json!({
        "type": "object",
        "properties": { "text": text, "patterns": patterns },
        "x-kubernetes-validations": rules,
    });
    let text = "a".repeat(12_000);
    let mut patterns: Vec<String> = (0..20).map(|count| format!("^a{{{count},}}")).collect();
    patterns.extend(["^(a{1000}){12}$".to_owned(), "^a".to_owned()]);
    let outcome = outcome(
        &schema,
        &json!({ "text": text, "patterns": patterns }),
        None,
    );
    assert!(outcome.is_valid(), "{:?}", outcome.not_checked);
}
