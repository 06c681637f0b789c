//! JSONTestSuite: `parse_json` accepts and rejects what Go's `encoding/json` does.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use k8s_flowcontrol_text::{Content, MAX_DEPTH, parse_json};
use serde_json::Value;

/// One line a case, of JSONTestSuite (MIT, Nicolas Seriot). Each character of `bytes` is one byte of the text.
const CASES: &str = include_str!("../suites/json.jsonl");

/// The texts that `encoding/json` rejects among the texts that a parser may accept or reject.
///
/// It reads UTF-8 without a byte order mark. It replaces bytes that are not UTF-8 and lone surrogates, and numbers have
/// no bounds until they are decoded into a type.
const REJECTED: &[&str] = &[
    "i_string_UTF-16LE_with_BOM",
    "i_string_utf16BE_no_BOM",
    "i_string_utf16LE_no_BOM",
    "i_structure_UTF-8_BOM_empty_object",
];

#[test]
fn json_texts_are_accepted_and_rejected_as_by_go() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["name"].as_str().unwrap();
        let accepted = parse_json(&bytes(case["bytes"].as_str().unwrap())).is_ok();
        let wanted = match name.split_once('_').unwrap().0 {
            "n" => false,
            "i" => !REJECTED.contains(&name),
            _ => true,
        };
        if accepted != wanted {
            wrong.push(name.to_owned());
        }
        count += 1;
    }
    assert_eq!(count, 338);
    assert_eq!(wrong, [""; 0]);
}

/// The two cases of the suite that are too long to be kept.
#[test]
fn json_texts_that_only_open_are_rejected() {
    for text in ["[".repeat(100_000), "[{\"\":".repeat(50_000) + "\n"] {
        let error = parse_json(text.as_bytes()).map(drop).unwrap_err();
        assert!(error.message().ends_with("exceeded max depth"), "{error}");
        assert!(error.offset() <= 5 * MAX_DEPTH);
    }
}

#[test]
fn json_strings_of_invalid_text_become_replacement_characters() {
    for (name, wanted) in [
        ("i_string_invalid_utf-8", "\u{fffd}"),
        ("i_string_truncated-utf-8", "\u{fffd}\u{fffd}"),
        ("i_string_UTF8_surrogate_U+D800", "\u{fffd}\u{fffd}\u{fffd}"),
        ("i_string_invalid_lonely_surrogate", "\u{fffd}"),
        ("string_1_escaped_invalid_codepoint", "\u{fffd}"),
        (
            "string_2_invalid_codepoints",
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
        ),
        ("string_with_escaped_NULL", "A\0B"),
        ("y_string_accepted_surrogate_pair", "\u{10437}"),
    ] {
        let tree = parse_json(&text_of(name)).unwrap();
        let Content::Array(elements) = tree.root().content() else {
            panic!("{name} is a list");
        };
        let element = elements.iter().next().unwrap();
        assert!(
            matches!(element.content(), Content::String(text) if text == wanted),
            "{name}: {:?}",
            element.content()
        );
    }
}

fn text_of(name: &str) -> Vec<u8> {
    CASES
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|case| case["name"] == name)
        .map(|case| bytes(case["bytes"].as_str().unwrap()))
        .unwrap()
}

fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}
