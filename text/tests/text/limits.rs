//! Short texts with very many values, which would take far more memory than their length.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use k8s_flowcontrol_text::{MAX_VALUES, parse_json, parse_json_values, parse_yaml};

#[test]
fn the_values_of_a_text_are_bounded() {
    let list = |count: usize| format!("[{}0]", "0,".repeat(count - 2));
    assert!(parse_json(list(MAX_VALUES - 1).as_bytes()).is_ok());
    let many = list(MAX_VALUES + 2);
    let message = "the text has more than 4000000 values";
    let mut errors = vec![
        parse_json(many.as_bytes()).map(drop).unwrap_err(),
        parse_json_values("{}".repeat(MAX_VALUES + 1).as_bytes())
            .error
            .unwrap(),
    ];
    // They take as long as all others; the gate has them.
    if std::env::var_os("FLOWCONTROL_TEST_ALL").is_some() {
        errors.push(parse_json_values(many.as_bytes()).error.unwrap());
        errors.push(parse_yaml(many.as_bytes()).map(drop).unwrap_err());
    }
    for error in errors {
        assert_eq!(error.message(), message);
    }
}
