//! Decoding: spans, merging of duplicates, and malformed or hostile texts.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at what it does not expect"
)]

mod media_types;
mod times;

use k8s_flowcontrol_rules::decode;
use k8s_flowcontrol_rules::decode::{Format, Object};
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_text::{Content, MAX_DEPTH, Node, Position};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, FieldValidation, Kind, Release};
use proptest::prelude::*;
use serde_json::json;

const LEVEL: VersionedKind = VersionedKind::new(
    Kind::PriorityLevelConfiguration,
    ApiVersion::V1,
    Release::NEWEST,
);

fn read(text: &str) -> Object {
    decode::read_body(text.as_bytes(), Format::Json, LEVEL, FieldValidation::Warn).unwrap()
}

fn at(text: &str, node: Node<'_>) -> String {
    Position::of(text.as_bytes(), node.span().start).to_string()
}

#[test]
fn every_node_has_its_position() {
    let text = "{\n  \"é\": [1, {\"a\": true}],\n  \"é\": null\n}";
    let tree = text::parse_json(text.as_bytes()).unwrap();
    let Content::Object(fields) = tree.root().content() else {
        panic!("an object")
    };
    assert_eq!(fields.len(), 2);
    let first = fields.iter().next().unwrap();
    let Content::Array(elements) = first.value.content() else {
        panic!("a list")
    };
    let inner = elements.iter().nth(1).unwrap();
    assert_eq!(&text[inner.span().range()], "{\"a\": true}");
    assert_eq!(at(text, inner), "2:12");
    // Of several fields with the same name the last one counts.
    assert!(matches!(fields.get("é").unwrap().content(), Content::Null));
}

#[test]
fn duplicates_merge_as_go_merges_them() {
    let spec = |text: &str| read(&format!(r#"{{"spec":{text}}}"#)).value["spec"].clone();
    // Structs are merged, and the last scalar wins.
    let merged = spec(
        r#"{"type":"a","limited":{"lendablePercent":1}},"spec":{"type":"b","limited":{"borrowingLimitPercent":2}}"#,
    );
    assert_eq!(
        merged,
        json!({"type": "b", "limited": {"lendablePercent": 1, "borrowingLimitPercent": 2}})
    );
    // A later null clears a pointer, and nothing else.
    assert_eq!(
        spec(r#"{"type":"a","type":null,"limited":{},"limited":null}"#),
        json!({"type": "a"})
    );
    // A later list is decoded into the elements of the earlier one, including elements that were cut off between.
    let status = read(concat!(
        r#"{"status":{"conditions":[{"type":"a","reason":"x"},{"type":"b","reason":"y"}],"#,
        r#""conditions":[{"type":"c"}],"conditions":[null,{"message":"m"}]}}"#,
    ));
    assert_eq!(
        status.value["status"]["conditions"],
        json!([{"type": "c", "reason": "x"}, {"type": "b", "reason": "y", "message": "m"}])
    );
    assert_eq!(status.warnings, [r#"duplicate field "status.conditions""#]);
}

#[test]
fn a_release_has_only_its_own_fields() {
    let body = br#"{"spec":{"exempt":{"lendablePercent":1}}}"#;
    let strict = |minor, version| {
        let expected = VersionedKind {
            version,
            release: Release::new(minor).unwrap(),
            ..LEVEL
        };
        decode::read_body(body, Format::Json, expected, FieldValidation::Strict)
    };
    let error = strict(27, ApiVersion::V1Beta3).unwrap_err();
    assert_eq!(
        error.cause,
        r#"strict decoding error: unknown field "spec.exempt""#
    );
    assert_eq!(
        error.position.unwrap(),
        Position {
            line: 1,
            column: 10
        }
    );
    assert!(strict(28, ApiVersion::V1Beta3).is_ok());
}

#[test]
fn kinds_of_every_group_are_known_and_not_converted() {
    for kind in ["Status", "APIGroup", "DeleteOptions", "WatchEvent"] {
        let body = format!(r#"{{"kind":"{kind}"}}"#);
        let error = decode::read_body(body.as_bytes(), Format::Json, LEVEL, FieldValidation::Warn);
        let expected = format!(
            "converting (v1.{kind}) to (flowcontrol.PriorityLevelConfiguration): unknown conversion"
        );
        assert_eq!(error.unwrap_err().cause, expected);
    }
    let body = br#"{"apiVersion":"example.com/v7","kind":"Status"}"#;
    let error = decode::read_body(body, Format::Json, LEVEL, FieldValidation::Warn).unwrap_err();
    assert!(error.cause.starts_with("converting (v1.Status)"), "{error}");
}

#[test]
fn depth_is_limited_as_in_a_server() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(text::parse_json(nested(MAX_DEPTH).as_bytes()).is_ok());
    let error = text::parse_json(nested(MAX_DEPTH + 1).as_bytes()).unwrap_err();
    assert_eq!(error.message(), "invalid character '[' exceeded max depth");
}

mod yaml {
    use super::*;

    fn message_of(text: &str) -> String {
        text::parse_yaml(text.as_bytes())
            .unwrap_err()
            .message()
            .to_owned()
    }

    fn value(text: &str) -> serde_json::Value {
        serde_json::from_str(&text::yaml_to_json(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn is_read_as_yaml_1_1() {
        assert_eq!(
            value("a: 010\nb: yes\nc: 1:30\nyes: 1_000\n5: ~"),
            json!({"a": 8, "b": true, "c": "1:30", "true": 1000, "5": null})
        );
        assert_eq!(
            value("a: |-\n  x\n   y\n\nb: >\n  x\n  y\nc: 'it''s'\nd: \"\\u00e9\\\n  z\""),
            json!({"a": "x\n y", "b": "x y\n", "c": "it's", "d": "éz"})
        );
        assert_eq!(
            value("{\"a\":[1,{b: c, d}]}"),
            json!({"a": [1, {"b": "c", "d": null}]})
        );
        assert_eq!(
            value("- a\n- - b\n  - c\n-\n"),
            json!(["a", ["b", "c"], null])
        );
        assert_eq!(
            value("? a\n: - b\n  - c\n? d\n"),
            json!({"a": ["b", "c"], "d": null})
        );
    }

    #[test]
    fn a_byte_order_mark_begins_a_document_and_is_a_letter_elsewhere() {
        assert_eq!(value("\u{feff}a: 1"), json!({"a": 1}));
        assert_eq!(value("a: 1\n\u{feff}b: 2"), json!({"a": 1, "\u{feff}b": 2}));
        let documents = text::parse_yaml_documents("a: 1\n---\n\u{feff}b: 2".as_bytes());
        assert_eq!(documents.error, None);
        assert!(documents.documents[1].tree.root().get("b").is_some());
    }

    #[test]
    fn aliases_and_merges_are_resolved() {
        assert_eq!(
            value("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\ne: *x"),
            json!({"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}, "e": {"b": 1, "c": 2}})
        );
        let yaml = text::parse_yaml(b"a: &x {b: 1}\nc:\n  b: 2\n  <<: *x\n").unwrap();
        assert_eq!(
            yaml.duplicates[0].to_string(),
            "line 1: key \"b\" already set in map"
        );
        let Some(b) = yaml.tree.root().get("c").and_then(|c| c.get("b")) else {
            panic!("c.b")
        };
        assert!(matches!(b.content(), Content::Number("1")));
    }

    #[test]
    fn messages_are_the_servers() {
        let cases = [
            (
                "a: [1, 2\nb: 3\n",
                "yaml: line 1: did not find expected ',' or ']'",
            ),
            (
                "x: y\na: b: c",
                "yaml: line 2: mapping values are not allowed in this context",
            ),
            (
                "x: 'y'\n\ta: b",
                "yaml: line 2: found character that cannot start any token",
            ),
            ("a: *x", "yaml: unknown anchor 'x' referenced"),
            ("a: &x [*x]", "yaml: anchor 'x' value contains itself"),
            ("? [a]\n: b", "yaml: invalid map key: []interface {}{\"a\"}"),
            (
                "~: b",
                "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"b\"",
            ),
            (
                "~:",
                "unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>",
            ),
            (
                "~: [~]",
                "unsupported map key of type: %!s(<nil>), key: <nil>, value: []interface {}{interface {}(nil)}",
            ),
            ("a: .nan", "json: unsupported value: NaN"),
            ("a: !!int x", "yaml: cannot decode !!str `x` as a !!int"),
            ("a: \"\\/\"", "yaml: found unknown escape character"),
        ];
        for (text, message) in cases {
            assert_eq!(message_of(text), message, "{text}");
        }
    }

    #[test]
    fn further_documents_are_ignored() {
        assert_eq!(value("---\na: 1\n---\n- [}"), json!({"a": 1}));
        assert_eq!(value(""), json!(null));
        let documents = text::parse_yaml_documents(b"a: 1\n---\n# nothing\n---\nb: 2\n---\n[");
        assert_eq!(documents.documents.len(), 2);
        assert!(documents.error.is_some());
    }

    #[test]
    fn aliases_do_not_explode() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
        }
        assert_eq!(
            message_of(&bomb),
            "yaml: document contains excessive aliasing"
        );
        let mut merges = String::from("a0: &a0 {x: 1}\n");
        for level in 1..40 {
            let last = level - 1;
            merges.push_str(&format!(
                "a{level}: &a{level} {{<<: [*a{last}, *a{last}]}}\n"
            ));
        }
        assert_eq!(
            message_of(&merges),
            "yaml: document contains excessive aliasing"
        );
    }

    #[test]
    fn depth_is_limited_as_in_a_server() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(text::parse_yaml(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert_eq!(
            message_of(&nested(MAX_DEPTH + 1)),
            "yaml: exceeded max depth of 10000"
        );
        // The YAML is valid, but its JSON is too deep.
        let message = message_of(&format!("a: {}", nested(MAX_DEPTH)));
        assert!(
            message.ends_with("invalid character '[' exceeded max depth"),
            "{message}"
        );
        let blocks = "- ".repeat(MAX_DEPTH + 1);
        assert_eq!(message_of(&blocks), "yaml: exceeded max depth of 10000");
    }
}

const REAL: &str = concat!(
    "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema # why\nmetadata: &m\n  name: \"a\\u0062\"\n",
    "  labels: {<<: {x: 'y'}, z: !!str 5}\nspec:\n  rules:\n  - subjects:\n    - kind: User\n      user: {name: |\n",
    "  ? - a\n  : >-\n    folded\n\n    text\n---\nnext: *m\n",
);

fn every_format() -> Vec<Format> {
    vec![Format::Json, Format::Yaml]
}

#[test]
fn json_values_follow_each_other() {
    let text = "{\"a\": 1}\n[2]{\"b\":\n3} \n";
    let read = text::parse_json_values(text.as_bytes());
    assert_eq!(read.error, None);
    let texts: Vec<_> = read
        .documents
        .iter()
        .map(|document| &text[document.span.range()])
        .collect();
    assert_eq!(texts, ["{\"a\": 1}", "[2]", "{\"b\":\n3}"]);
    let second = text::parse_json_values(b"{} x");
    assert_eq!(second.documents.len(), 1);
    assert_eq!(second.error.unwrap().offset(), 3);
    assert!(text::parse_json_values(b" \n").documents.is_empty());
}

#[test]
fn a_flow_collection_ends_with_its_bracket() {
    let text = "a: {b: [1, {c: d }], e: [ ] }\nf:\n  g: h # i\n";
    let read = text::parse_yaml(text.as_bytes()).unwrap();
    let span = |node: Node<'_>| &text[node.span().range()];
    let root = read.tree.root();
    let flow = root.get("a").unwrap();
    assert_eq!(span(flow), "{b: [1, {c: d }], e: [ ] }");
    assert_eq!(span(flow.get("b").unwrap()), "[1, {c: d }]");
    assert_eq!(span(flow.get("e").unwrap()), "[ ]");
    assert_eq!(span(root.get("f").unwrap()), "g: h");
}

/// Parses the bytes in every format, to show that none panics.
fn parse_in_every_format(bytes: &[u8]) {
    for format in every_format() {
        for kind in Kind::ALL.iter().copied() {
            for strictness in [FieldValidation::Strict, FieldValidation::Warn] {
                if let Err(error) =
                    decode::read_body(bytes, format, VersionedKind { kind, ..LEVEL }, strictness)
                {
                    assert!(!error.message.is_empty());
                }
            }
        }
    }
    text::parse_json_values(bytes);
    text::parse_yaml_documents(bytes);
}

#[test]
fn every_prefix_of_a_real_object_is_parsed_or_an_error() {
    let json = include_str!("../fixtures/validate/create.jsonl")
        .lines()
        .next()
        .unwrap();
    for text in [REAL, json] {
        for end in 0..=text.len() {
            parse_in_every_format(&text.as_bytes()[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn any_bytes_are_parsed_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        parse_in_every_format(&bytes);
    }

    #[test]
    fn any_indicators_are_parsed_or_an_error(text in "[-?:,\\[\\]{}#&*!|>'\"%@`a1 \n\t<~\\\\.é]{0,60}") {
        parse_in_every_format(text.as_bytes());
    }

    #[test]
    fn json_is_parsed_as_by_serde_json(text in r#"[\[\]{},:"a1.\-eE\\ utrf0]{0,40}"#) {
        let ours = text::parse_json(text.as_bytes());
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        // The two differ only in lone surrogates and numbers beyond the floats.
        if theirs.is_ok() {
            prop_assert!(ours.is_ok());
        } else if ours.is_ok() {
            prop_assert!(text.contains("\\u") || text.to_ascii_lowercase().contains('e'));
        }
    }
}
