//! Violations beside those of a real server: `fixtures/recorded.jsonl` has schemas and objects of our own, with what the validation of
//! `k8s.io/apiextensions-apiserver` 0.36.4 returned for each, sorted by field and message. `RECORDED=FILE` compares another recording too.

use k8s_flowcontrol_constraints::Schema;
use serde_json::Value;

const RECORDED: &str = include_str!("../fixtures/recorded.jsonl");

#[test]
fn every_violation_has_the_words_of_a_server() {
    let mut recorded = RECORDED.to_owned();
    if let Ok(path) = std::env::var("RECORDED") {
        recorded.push_str(&std::fs::read_to_string(path).unwrap());
    }
    let mut differences = Vec::new();
    let mut count = 0;
    for line in recorded.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let schema = Schema::new(&case["schema"]).unwrap();
        let outcome = match case.get("old") {
            Some(old) => schema.validate_update(&case["object"], old),
            None => schema.validate(&case["object"]),
        };
        let mut found: Vec<[String; 3]> = outcome
            .violations
            .iter()
            .map(|one| {
                let reason = one.reason.as_str().to_owned();
                [one.field.clone(), reason, one.message.clone()]
            })
            .collect();
        found.sort_by(|a, b| (&a[0], &a[2]).cmp(&(&b[0], &b[2])));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let causes = case["causes"].as_array().unwrap().iter();
        let expected: Vec<[String; 3]> = causes
            .map(|cause| {
                [
                    text(&cause["field"]),
                    text(&cause["reason"]),
                    text(&cause["message"]),
                ]
            })
            .collect();
        count += expected.len();
        if found != expected || !outcome.not_checked.is_empty() {
            differences.push(format!(
                "{}\n  found    {found:?}\n  expected {expected:?}\n  not checked {:?}",
                case["name"], outcome.not_checked
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(count > 150, "{count}");
}
