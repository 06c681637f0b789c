//! Our JSON parser and serde's: equal values, equal text, and errors at equal positions.

use crate::kinds::{lists, records};
use k8s_flowcontrol_types::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol_types::{List, Resource, json};
use std::fmt::Debug;

/// Checks that both parsers agree, and returns whether the text fits the type.
fn agree<T>(text: &str) -> bool
where
    T: json::ReadJson + json::WriteJson + serde::de::DeserializeOwned + serde::Serialize,
    T: PartialEq + Debug,
{
    match (json::from_str::<T>(text), serde_json::from_str::<T>(text)) {
        (Ok(value), Ok(by_serde)) => {
            assert_eq!(value, by_serde, "{text}");
            let written = json::to_string(&value);
            assert_eq!(written, serde_json::to_string(&by_serde).unwrap(), "{text}");
            assert_eq!(json::from_slice::<T>(written.as_bytes()).unwrap(), value);
            true
        }
        (Err(error), Err(by_serde)) => {
            let text_of = |error: &serde_json::Error| error.to_string();
            let same = text_of(&error) == text_of(&by_serde);
            // Both reject invalid JSON; of two errors each may report another one.
            assert!(
                by_serde.is_data() || !error.is_data() || same,
                "{error}\n{by_serde}\n{text}"
            );
            let words = |error: &serde_json::Error| {
                text_of(error).split(" at line ").next().map(str::to_owned)
            };
            if by_serde.is_data()
                && words(&error) == words(&by_serde)
                && !text_of(&error).starts_with("duplicate")
            {
                assert_eq!(
                    (error.line(), error.column()),
                    (by_serde.line(), by_serde.column()),
                    "{error}\n{text}"
                );
            }
            false
        }
        (ours, by_serde) => panic!("{ours:?}\n{by_serde:?}\n{text}"),
    }
}

fn of_kind(version: &str, kind: &str, text: &str) -> bool {
    match (version, kind) {
        ("v1", "FlowSchema") => agree::<v1::FlowSchema>(text),
        ("v1", _) => agree::<v1::PriorityLevelConfiguration>(text),
        ("v1beta3", "FlowSchema") => agree::<v1beta3::FlowSchema>(text),
        ("v1beta3", _) => agree::<v1beta3::PriorityLevelConfiguration>(text),
        ("v1beta2", "FlowSchema") => agree::<v1beta2::FlowSchema>(text),
        ("v1beta2", _) => agree::<v1beta2::PriorityLevelConfiguration>(text),
        (_, "FlowSchema") => agree::<v1beta1::FlowSchema>(text),
        _ => agree::<v1beta1::PriorityLevelConfiguration>(text),
    }
}

#[test]
fn recorded_objects() {
    let accepted = records(include_str!("../fixtures/types/accepted.jsonl"));
    for record in &accepted {
        let (version, kind) = (&record.version, &record.kind);
        assert!(of_kind(version, kind, &record.object.to_string()));
        let indented = serde_json::to_string_pretty(&record.object).unwrap();
        assert!(of_kind(version, kind, &indented));
    }
    for (name, version, kind, text) in lists() {
        let fits = match (version, kind) {
            ("v1", "FlowSchema") => agree::<List<v1::FlowSchema>>(text),
            ("v1", _) => agree::<List<v1::PriorityLevelConfiguration>>(text),
            _ => continue,
        };
        assert!(fits, "{name}");
    }
}

#[test]
fn unusual_texts() {
    let schema = |spec: &str| format!(r#"{{"metadata":{{"name":"a"}},"spec":{spec}}}"#);
    for (text, fits) in [
        (schema("null"), true),
        (schema(r#"{"rules":null,"matchingPrecedence":null}"#), true),
        (schema(r#"{"rules":[null,{"subjects":[null]}]}"#), true),
        (schema(r#"{"matchingPrecedence":-0}"#), false),
        (schema(r#"{"matchingPrecedence":1.0}"#), false),
        (schema(r#"{"matchingPrecedence":01}"#), false),
        (schema(r#"{"matchingPrecedence":2147483647}"#), true),
        (schema(r#"{"matchingPrecedence":2147483648}"#), false),
        (schema(r#"{"matchingPrecedence":-2147483648}"#), true),
        (
            schema(r#"{"matchingPrecedence":99999999999999999999}"#),
            false,
        ),
        (schema(r#"{"matchingPrecedence":"5"}"#), false),
        (
            schema(r#"{"matchingPrecedence":5,"matchingPrecedence":5}"#),
            false,
        ),
        (schema(r#"{"match\u0069ngPrecedence":5}"#), true),
        (
            schema(r#"{"new":[1e400,-0.0,"\ud800",{"a":1,"a":2}]}"#),
            true,
        ),
        (schema(r#"{"new": [ 1 , "a b" , { } ] }"#), true),
        (schema(r#"{"new":"\x"}"#), false),
        (schema("{\"new\":\"\u{1}\"}"), false),
        (schema("{\"new\":truey}"), false),
        (schema(r#"{"new":[1,]}"#), false),
        (schema(r#"{"new":{"a"}}"#), false),
        (
            r#"{"metadata":{"name":"é\n\"\\\/\u00e9\ud83d\ude00"}}"#.into(),
            true,
        ),
        (r#"{"metadata":{"name":"\ud800"}}"#.into(), false),
        (
            r#"{"metadata":{"labels":{"a":"1","b":null,"a":"2"}}}"#.into(),
            true,
        ),
        (r#"{"metadata":{"managedFields":[]}}"#.into(), true),
        (r#"{"metadata":{"managedFields":null}}"#.into(), true),
        (
            r#"{"metadata":{"managedFields":[{"k:{\"a\":1}":{}}]}}"#.into(),
            true,
        ),
        (r#"{"kind":"FlowSchema","apiVersion":""}"#.into(), true),
        (r#"{"kind":"Other"}"#.into(), false),
        ("{} ".into(), true),
        ("{}{}".into(), false),
        ("[]".into(), false),
        ("null".into(), false),
        ("".into(), false),
    ] {
        assert_eq!(agree::<v1::FlowSchema>(&text), fits, "{text}");
    }
}

/// A deterministic random number generator, so that failures can be reproduced.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn damaged_texts() {
    let accepted = records(include_str!("../fixtures/types/accepted.jsonl"));
    let mut dice = Dice(0x5eed);
    let mut fitting = 0;
    for round in 0..4_000 {
        let record = &accepted[dice.below(accepted.len())];
        let mut bytes = record.object.to_string().into_bytes();
        for _ in 0..=dice.below(3) {
            let at = dice.below(bytes.len());
            match dice.below(4) {
                0 => bytes[at] = b"{}[],:\"\\0159-.eEtfn \n\x01"[dice.below(22)],
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at.max(1)),
                _ => {
                    let end = (at + dice.below(12)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    let to = dice.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        fitting += usize::from(of_kind(&record.version, &record.kind, &text));
        assert!(round < 1_000 || fitting > 0);
    }
}

#[test]
fn positions() {
    fn error<K: Resource>(text: &str) -> String {
        json::from_str::<K>(text).unwrap_err().to_string()
    }
    let text = "{\n  \"metadata\": {\"name\": 5}\n}";
    let expected =
        "metadata.name: invalid type: integer `5`, expected a string at line 2 column 24";
    assert_eq!(error::<v1::FlowSchema>(text), expected);
    let text = "{\"spec\": {\n\"rules\": [{},\n {\"subjects\": [{\"kind\": {}}]}]}}";
    let expected = "spec.rules[1].subjects[0].kind: invalid type: map, expected a string (SubjectKind) at line 3 column 24";
    assert_eq!(error::<v1::FlowSchema>(text), expected);
    // A tree does not have lines.
    let tree = text.parse().unwrap();
    let of_tree = json::from_value::<v1::FlowSchema>(&tree).unwrap_err();
    assert!(expected.starts_with(&format!("{of_tree} at ")), "{of_tree}");
    let text = "{\"apiVersion\": \"v1\"}";
    assert!(error::<v1::FlowSchema>(text).contains("expected apiVersion"));
    let bytes = b"{\"metadata\":\n{\"name\":\"\xff\"}}";
    let error = json::from_slice::<v1::FlowSchema>(bytes).unwrap_err();
    assert_eq!((error.line(), error.column()), (2, 9), "{error}");
}

#[test]
fn trees_and_indented_text() {
    let text = r#"{"metadata":{"labels":{"a\"b":"c\nd"}},"spec":{"matchingPrecedence":7},"new":[1.50,-0,{"\/":"\u00e9"}]}"#;
    let schema: v1::FlowSchema = json::from_str(text).unwrap();
    let tree = json::to_value(&schema).unwrap();
    assert_eq!(tree, serde_json::to_value(&schema).unwrap());
    assert_eq!(json::from_value::<v1::FlowSchema>(&tree).unwrap(), schema);
    assert_eq!(
        serde_json::from_value::<v1::FlowSchema>(tree).unwrap(),
        schema
    );

    let pretty = serde_json::to_string_pretty(&schema).unwrap();
    assert!(
        pretty.contains("\n  \"spec\": {\n    \"matchingPrecedence\": 7"),
        "{pretty}"
    );
    assert_eq!(
        serde_json::from_str::<v1::FlowSchema>(&pretty).unwrap(),
        schema
    );

    // Inside a structure of the caller.
    let schemas = vec![Some(schema), None];
    let written = serde_json::to_string(&schemas).unwrap();
    assert!(
        written.contains(r#"[1.50,-0,{"\/":"\u00e9"}]"#),
        "{written}"
    );
    let read: Vec<Option<v1::FlowSchema>> = serde_json::from_str(&written).unwrap();
    assert_eq!(read, schemas);
}

#[test]
fn a_tree_that_cannot_hold_a_number_is_an_error() {
    let schema: v1::FlowSchema = json::from_str(r#"{"new":1e400}"#).unwrap();
    assert!(json::to_value(&schema).is_err());
    assert!(json::to_string(&schema).contains("1e400"));
}
