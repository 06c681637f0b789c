//! yaml-test-suite: `parse_yaml` reads what go-yaml does, YAML 1.1 where the suite expects 1.2.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use k8s_flowcontrol_text::{parse_yaml_documents, to_value, yaml_to_json};
use serde_json::Value;
use std::collections::BTreeMap;

/// One line a case, of yaml-test-suite (MIT, Ingy döt Net): the text, and its documents as JSON or `fail`.
const CASES: &str = include_str!("../suites/yaml.jsonl");

/// How a text is read that the suite expects otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Accepted,
    Rejected,
    /// Read as another value.
    Other,
}

/// The differences from the suite, with their reasons: each comes from libyaml, from which go-yaml is translated, or from
/// the conversion to JSON.
const DIFFERENCES: &[(Outcome, &str, &str)] = &[
    (
        Outcome::Rejected,
        "A directive of another version than 1.1, or of an unknown name",
        "27NA BEC7 DK95/7 RTP8 W4TN 6ZKB 9DXL 2LFX 6LVF MUS6/5 MUS6/6",
    ),
    (
        Outcome::Rejected,
        "A block scalar whose lines begin in the first column, and a document after `...` without `---`",
        "DK3J FP8R 7Z25 M7A3",
    ),
    (
        Outcome::Rejected,
        "A key, value or element without content, where YAML 1.1 wants a node or a blank",
        "2JQS M2N8/0 NHX8 SM9W/1 UKK6/0 S3PD 6M2F NKF9 HWV9 QT73 58MP CFD4 HM87/0 5T43 DBG4 FRK4 WZ62 JR7V",
    ),
    (
        Outcome::Rejected,
        "In flow style, a key and its `:` on different lines",
        "4MUZ/0 4MUZ/1 4MUZ/2 5MUD K3WX UT92 VJP3/1 9SA2 NJ66",
    ),
    (
        Outcome::Rejected,
        "A tab before or between tokens, and in the indentation of a scalar",
        "R4YG 96NN/0 96NN/1 Y79Y/1 DK95/4 6CA3 DK95/3 Q5MG Y79Y/10 A2M4 DK95/0 6BCT",
    ),
    (
        Outcome::Rejected,
        "Anchors of other characters than letters, digits, `_` and `-`",
        "2SXE W5VH 8XYN",
    ),
    (
        Outcome::Rejected,
        "The escape `\\/`, which YAML 1.1 does not have",
        "3UYS",
    ),
    (
        Outcome::Rejected,
        "A key that JSON cannot express: null, a sequence or a mapping",
        "FH7J PW8X DFF7 M5DY 6BFJ 6PBE X38W 4FJ6 KK5P SBG9 LX3P RZP5 XW4D 9MMW V9D5 Q9WF M2N8/1",
    ),
    (
        Outcome::Accepted,
        "A comment without a blank before it",
        "CVW2 SU5Z X4QW 9JBA",
    ),
    (
        Outcome::Accepted,
        "Indentation that YAML 1.2 asks for: in flow style, quoted scalars and block scalars",
        "9C9N DK95/1 QB6E S98Z",
    ),
    (
        Outcome::Accepted,
        "A `-` in flow style, as a plain scalar",
        "G5U8 YJV2",
    ),
    (Outcome::Accepted, "A tab after an indicator", "Y79Y/3"),
    (
        Outcome::Accepted,
        "A directive after a document without `...`, or with more text",
        "9HCY MUS6/0",
    ),
    (
        Outcome::Accepted,
        "The escape `\\'`, and a tag followed by a comma",
        "HRE5 U99R",
    ),
    (
        Outcome::Other,
        "YAML 1.1 values: `y` is true, binary text is decoded, `?` begins a key in flow style, `:` ends an anchor, a last line of blanks without a line break adds none",
        "C4HZ HM87/1 652Z 565N L24T/1 Y2GN",
    ),
];

#[test]
fn yaml_texts_are_read_as_by_go_yaml() {
    let mut found = BTreeMap::new();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        if let Some(outcome) = difference(&case) {
            found.insert(case["id"].as_str().unwrap().to_owned(), outcome);
        }
        count += 1;
    }
    assert_eq!(count, 402);
    let listed: BTreeMap<String, Outcome> = DIFFERENCES
        .iter()
        .flat_map(|(outcome, _, ids)| ids.split(' ').map(|id| (id.to_owned(), *outcome)))
        .collect();
    assert_eq!(found, listed);
}

/// How a case is read otherwise than the suite expects; valid texts without JSON need only be accepted.
/// Empty documents are skipped, the order of fields does not count.
fn difference(case: &Value) -> Option<Outcome> {
    let read = parse_yaml_documents(case["yaml"].as_str().unwrap().as_bytes());
    match (read.error.is_some(), case["fail"] == true) {
        (true, true) => return None,
        (true, false) => return Some(Outcome::Rejected),
        (false, true) => return Some(Outcome::Accepted),
        (false, false) => {}
    }
    let wanted = serde_json::Deserializer::from_str(case["json"].as_str()?)
        .into_iter::<Value>()
        .map(Result::unwrap)
        .filter(|value| !value.is_null());
    let ours = read
        .documents
        .iter()
        .map(|document| to_value(document.tree.root()).unwrap());
    (!ours.eq(wanted)).then_some(Outcome::Other)
}

#[test]
fn yaml_differences_in_values_are_those_of_yaml_1_1() {
    for (text, json) in [
        ("- y\n- n\n- yes\n- OFF\n", r#"[true,false,true,false]"#),
        ("{?foo: bar}", r#"{"foo":"bar"}"#),
        ("key: &an:chor value\n", r#"{"key":":chor value"}"#),
        (
            "a: 0777\nb: 0x1F\nc: 1_000\n",
            r#"{"a":511,"b":31,"c":1000}"#,
        ),
        ("a: !!binary aGk=\n", r#"{"a":"hi"}"#),
    ] {
        let read: Value = serde_json::from_str(&yaml_to_json(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(read, serde_json::from_str::<Value>(json).unwrap(), "{text}");
    }
}
