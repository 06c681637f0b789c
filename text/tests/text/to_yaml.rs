//! The layout of a server, and the reader of what the writer has written.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use k8s_flowcontrol_text::{parse_yaml, to_value, to_yaml};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Words with a meaning in YAML, and random strings of characters with a meaning.
fn text() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(vec![
        "yes",
        "~",
        "null",
        ".inf",
        "1_000",
        "0x1F",
        "0o17",
        "08",
        "1e3",
        "1:30",
        "2024-01-31",
        "---",
        "...",
        "- a",
        "? b",
        "a: b",
        "a #b",
        "<<",
        "=",
        "word ",
        " ",
        "\n",
        "!!int",
        "*a",
        "&a",
        "{",
        "[",
        "'",
        "\"",
        "%",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\t",
        "\r",
        "\u{1}",
        "\u{1f600}",
        "é",
    ]);
    prop_oneof![
        proptest::collection::vec(word, 0..6).prop_map(|words| words.concat()),
        "[-+.0-9_eExob:TZ ]{0,12}",
        "[a-c \n:#'\"-]{0,200}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(text(), inner, 0..4).prop_map(|entries| json!(entries)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_reader_reads_the_same_value(value in value()) {
        let yaml = to_yaml(&value);
        let read = parse_yaml(yaml.as_bytes());
        prop_assert!(read.is_ok(), "{:?}\n{yaml}", read.err());
        prop_assert_eq!(to_value(read.unwrap().tree.root()), Ok(value), "{}", yaml);
    }
}

#[test]
fn the_layout_is_that_of_a_server() {
    let value = json!({
        "b": {"list": [{"y": 1, "x": "yes"}, [1, [2]], [], {}], "empty": "", "none": null},
        "a10": "2024-01-31T12:00:00Z",
        "a9": "a: b",
        "k:{\"type\":\"x\"}": true,
        "text": "one\ntwo\n",
        "chomped": "one\ntwo",
        "quoted": "it's #1 # not",
        "tab": "a\tb",
    });
    let expected = r#"a9: 'a: b'
a10: "2024-01-31T12:00:00Z"
b:
  empty: ""
  list:
  - x: "yes"
    "y": 1
  - - 1
    - - 2
  - []
  - {}
  none: null
chomped: |-
  one
  two
k:{"type":"x"}: true
quoted: 'it''s #1 # not'
tab: "a\tb"
text: |
  one
  two
"#;
    assert_eq!(to_yaml(&value), expected);
}

#[test]
fn texts_that_yaml_1_1_reads_as_another_type_have_quotes() {
    for text in [
        "yes",
        "",
        "10",
        "0x1F",
        "1_000",
        "-1.5e3",
        ".5",
        "1:30",
        "2024-01-31",
        "Null",
        "2024-01-31T12:00:00Z",
    ] {
        assert_eq!(to_yaml(&text.into()), format!("\"{text}\"\n"));
    }
    for text in [
        "v1",
        "1.2.3",
        "yess",
        "10.0.0.1",
        "a",
        "127.0.0.1:80",
        "0xg",
    ] {
        assert_eq!(to_yaml(&text.into()), format!("{text}\n"));
    }
}

#[test]
fn long_text_is_folded_at_spaces() {
    let text = "word ".repeat(20) + "end";
    let folded = to_yaml(&json!({"a": text}));
    let lines: Vec<_> = folded.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].len() > 80 && lines[1].starts_with("  word"),
        "{folded}"
    );
}
