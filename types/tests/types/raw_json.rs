//! JSON that is kept as text is compared by its value.

use k8s_flowcontrol_types::json::RawJson;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Whether the values are equal, which their hashes are then as well.
fn equal(left: &str, right: &str) -> bool {
    let [left, right] = [left, right].map(|text| RawJson::parse(text).unwrap());
    let [left_hash, right_hash] = [&left, &right].map(|value| {
        let mut state = DefaultHasher::new();
        value.hash(&mut state);
        state.finish()
    });
    assert_eq!(left == right, left_hash == right_hash);
    left == right
}

#[test]
fn values_count_and_spelling_does_not() {
    for (left, right, is_equal) in [
        (
            r#"{"a":1,"b":[2,"x"]}"#,
            r#"{"b":[2.0,"\u0078"],"a":10e-1}"#,
            true,
        ),
        ("-0.0", "0", true),
        (
            "12345678901234567890123",
            "1234567890123456789012.3e1",
            true,
        ),
        ("12345678901234567890123", "12345678901234567890124", false),
        ("1e400", "1e401", false),
        (r#"{"a":1}"#, r#"{"a":1,"a":1}"#, false),
        (r#"{"a":null}"#, "{}", false),
        ("[1,2]", "[2,1]", false),
        ("true", "1", false),
    ] {
        assert_eq!(equal(left, right), is_equal, "{left} {right}");
    }
}

#[test]
fn deep_values_are_compared_without_a_deep_stack() {
    let nested =
        |depth: usize, inner: &str| format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(equal(&nested(100, "1"), &nested(100, "1.0")));
    assert!(!equal(&nested(100, "1"), &nested(100, "2")));
    assert!(equal(&nested(10_000, "1"), &nested(10_000, "1")));
    let [left, right] = ["1", "2"].map(|inner| RawJson::parse(&nested(10_000, inner)).unwrap());
    assert_ne!(left, right);
}
