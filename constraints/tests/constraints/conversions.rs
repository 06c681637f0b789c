//! Conversions of text, as in Go.

use crate::expressions::{are_true, fail};
use serde_json::json;

#[test]
fn text_is_converted_as_by_go() {
    let properties = json!({ "s": { "type": "string" } });
    for (text, rule) in [
        ("+5", "int(self.s) == 5 && double(self.s) == 5.0"),
        ("1_000.5", "double(self.s) == 1000.5"),
        ("F", "!bool(self.s)"),
        ("1m0.5s", "duration(self.s) == duration('60500ms')"),
        ("1µs", "duration(self.s) > duration('0')"),
        (
            "2024-01-02T03:04:05,5Z",
            "timestamp(self.s) == timestamp('2024-01-02T03:04:05.5Z')",
        ),
    ] {
        are_true(&properties, &json!({ "s": text }), &[rule]);
    }
    for (text, function, kind) in [
        ("x", "int", "int"),
        ("+5", "uint", "uint"),
        ("1e400", "double", "double"),
        ("1__0", "double", "double"),
        ("yes", "bool", "bool"),
        ("1e3s", "duration", "google.protobuf.Duration"),
        (
            "2024-01-02t03:04:05z",
            "timestamp",
            "google.protobuf.Timestamp",
        ),
        (
            "2024-01-02T03:04:60Z",
            "timestamp",
            "google.protobuf.Timestamp",
        ),
    ] {
        let rule = format!("type({function}(self.s)) != string");
        let words = format!("type conversion error from 'string' to '{kind}'");
        fail(&properties, &json!({ "s": text }), &[(&rule, &words)]);
    }
}
