//! Go's quotation marks and escapes.

use k8s_flowcontrol_text::go::{json_quote, quote, quote_byte};

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
