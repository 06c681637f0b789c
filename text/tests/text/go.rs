//! Go's quotation marks and escapes.

use k8s_flowcontrol_text::go::{json_quote, parse_duration, parse_uint, quote, quote_byte};

#[test]
fn texts_are_quoted_as_by_go() {
    assert_eq!(
        quote("a\"b\\\u{1}\u{7f}é\u{200b}\u{1F600}"),
        "\"a\\\"b\\\\\\x01\\x7fé\\u200b😀\""
    );
    assert_eq!(quote("'\u{301}\u{fffd}"), "\"'\u{301}\u{fffd}\"");
    assert_eq!(
        json_quote("<a>&\u{8}\u{1}\u{2028}"),
        "\"\\u003ca\\u003e\\u0026\\b\\u0001\\u2028\""
    );
}

#[test]
fn bytes_are_quoted_as_by_go() {
    for (byte, quoted) in [
        (b'\'', "'\\''"),
        (b'"', "'\"'"),
        (0xff, "'ÿ'"),
        (0, "'\\x00'"),
    ] {
        assert_eq!(quote_byte(byte), quoted);
    }
}

#[test]
fn numbers_that_do_not_fit_end_at_the_digit_that_is_too_much() {
    for (text, why) in [
        ("18446744073709551616x", "value out of range"),
        ("1844674407370955161x", "invalid syntax"),
        ("", "invalid syntax"),
    ] {
        let message = format!("strconv.ParseUint: parsing \"{text}\": {why}");
        assert_eq!(parse_uint(text), Err(message));
    }
}

#[test]
fn durations_in_messages_are_ascii() {
    let message = r#"time: invalid duration "\xc2\xb5s\x09\"""#;
    assert_eq!(parse_duration("µs\t\""), Err(message.into()));
    let message = r#"time: unknown unit "\xc3\xa9" in duration "5\xc3\xa9""#;
    assert_eq!(parse_duration("5é"), Err(message.into()));
}
