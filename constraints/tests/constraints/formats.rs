//! Formats of strings, as the Go libraries of a server read them.

use k8s_flowcontrol_constraints::Schema;
use serde_json::{Value, json};

fn schema(format: &str, rule: &str) -> Schema {
    let property = json!({ "type": "string", "format": format, "x-kubernetes-validations": [{ "rule": rule }] });
    let schema = json!({ "type": "object", "properties": { "a": property } });
    Schema::new(&schema).unwrap()
}

#[track_caller]
fn has(format: &str, valid: &[&str], invalid: &[&str]) {
    let schema = schema(format, "true");
    let is_valid = |text: &str| schema.validate(&json!({ "a": text })).is_valid();
    for text in valid {
        assert!(is_valid(text), "{format} {text:?}");
    }
    for text in invalid {
        assert!(!is_valid(text), "{format} {text:?}");
    }
}

#[test]
fn times_are_those_of_the_pattern_of_a_server() {
    has(
        "date-time",
        &[
            "2024-02-29T23:59:59Z",
            "2024-01-02t03:04:05z",
            "2024-01-02T03:04:05.5+01:00",
        ],
        &[
            "2024-01-02T03:04:60Z",
            "2024-01-02T24:00:00Z",
            "2024-01-02 03:04:05Z",
            "2023-02-29T00:00:00Z",
            "2024-01-02T03:04:05",
        ],
    );
}

#[test]
fn durations_are_those_of_go_and_scala() {
    has(
        "duration",
        &[
            "0",
            "-0",
            "+5s",
            "1.5h",
            ".5s",
            "1.s",
            "1h2m3s4ms5us6ns",
            "1µs",
            "1μs",
            "2 days",
            "1.5.2s",
            "1w",
            "3 weeks, 4 hr",
            "9223372036854775807ns",
            "-9223372036854775808ns",
            "2562047h47m16.854775807s",
            "00000000000000000000000001s",
        ],
        &[
            "",
            "-",
            "1",
            ".s",
            "s",
            "1 x",
            "--1",
            "9999999999999999999999 days",
        ],
    );
    // More than 63 bits are not a duration of Go. Scala's pattern finds another number in them.
    for (text, nanoseconds) in [
        ("9223372036854775807ns", "9223372036.854775807s"),
        ("2400h0.000000001s", "8640000.000000001s"),
        ("0.3333333333333333333333h", "1200s"),
        ("1.5h", "5400s"),
        ("2 days", "172800s"),
    ] {
        let schema = schema("duration", &format!("string(self) == '{nanoseconds}'"));
        let outcome = schema.validate(&json!({ "a": text }));
        assert!(outcome.is_valid(), "{text}: {outcome:?}");
    }
}

#[test]
fn uuids_have_versions_and_variants() {
    let any = "01234567-89ab-cdef-0123-456789abcdef";
    let plain = any.replace('-', "");
    let upper = any.to_uppercase();
    has(
        "uuid",
        &[any, &plain, &upper, "0123456789ab-cdef0123-456789abcdef"],
        &[
            "",
            "-0123456789abcdef0123456789abcdef",
            &any[1..],
            &format!("{any}0"),
            &format!("{any}-"),
            "01234567--89ab-cdef-0123-456789abcdef",
            &any.replace('f', "g"),
            &any.replace('f', "é"),
        ],
    );
    let third = "01234567-89ab-3def-0123-456789abcdef";
    let fourth = "01234567-89ab-4def-a123-456789abcdef";
    let fifth = "01234567-89ab-5def-B123-456789abcdef";
    has("uuid3", &[third], &[any, fourth]);
    has(
        "uuid4",
        &[fourth],
        &[third, fifth, &fourth.replace("-a", "-7")],
    );
    has(
        "uuid5",
        &[fifth],
        &[third, fourth, &fifth.replace("-B", "-c")],
    );
}

#[test]
fn host_names_have_labels() {
    let long = "a".repeat(63);
    has(
        "hostname",
        &[
            "a",
            "a-b",
            "a-",
            "example.com",
            "1.example.com",
            "bücher.de",
            &long,
            &format!("{long}.com"),
        ],
        &[
            "",
            "-",
            "a..b",
            "a.b1",
            "a b",
            &format!("{long}a.com"),
            &format!("{}com", "abc.".repeat(70)),
        ],
    );
}

/// None of these texts makes a format fail or take long.
#[test]
fn hostile_texts_are_only_invalid() {
    let parts = [
        "1",
        "1.",
        "1:",
        ":",
        "-",
        ".",
        "1s",
        "1 day ",
        "é",
        "\0",
        "%",
        "a-",
        "2021-01-01T00:00:00.",
        "AAAA",
        "=",
        "/1",
    ];
    let formats = [
        "byte",
        "cidr",
        "date",
        "date-time",
        "duration",
        "hexcolor",
        "hostname",
        "ipv4",
        "ipv6",
        "k8s-long-name",
        "mac",
        "uuid4",
    ];
    for format in formats {
        let schema = schema(format, "self == self");
        for part in parts {
            for text in [
                part.to_owned(),
                part.repeat(20_000),
                format!("{}é", part.repeat(7)),
            ] {
                let outcome = schema.validate(&json!({ "a": Value::from(text) }));
                assert_eq!(outcome.not_checked, []);
            }
        }
    }
}
