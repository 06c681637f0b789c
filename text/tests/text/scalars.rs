//! Scalars of YAML 1.1, and the floats of JSON.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use k8s_flowcontrol_text::{Content, Node, parse_json, parse_yaml, to_value};

/// The value that a scalar of YAML has in JSON, or the message.
fn value(scalar: &str) -> Result<String, String> {
    let yaml = parse_yaml(format!("a: {scalar}\n").as_bytes());
    let yaml = yaml.map_err(|error| error.message().to_owned())?;
    Ok(match yaml.tree.root().get("a").map(Node::content) {
        Some(Content::Number(text)) => text.to_owned(),
        Some(Content::String(text)) => format!("{text:?}"),
        Some(Content::Bool(value)) => value.to_string(),
        _ => "null".to_owned(),
    })
}

#[test]
fn yaml_scalars_are_those_of_yaml_1_1() {
    for (scalar, expected) in [
        ("010", "8"),
        ("0o17", "15"),
        ("0x1F", "31"),
        ("-0b11", "-3"),
        ("1_000", "1000"),
        ("09", "9"),
        ("500.", "500"),
        ("1e3", "1000"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709552000"),
        ("1e21", "1e+21"),
        ("1.5e-7", "1.5e-7"),
        ("-0.0", "-0"),
        ("1:30", "\"1:30\""),
        ("+-5", "\"+-5\""),
        ("Off", "false"),
        ("tRUE", "\"tRUE\""),
        ("~", "null"),
        ("!!str yes", "\"yes\""),
        ("!!float 500", "500"),
        ("! 500", "\"500\""),
        ("! ~", "\"~\""),
        ("!!binary \"aGVs\\nbG8=\"", "\"hello\""),
    ] {
        assert_eq!(value(scalar).as_deref(), Ok(expected), "{scalar}");
    }
}

#[test]
fn yaml_scalars_that_fit_neither_tag_nor_json_are_errors() {
    for (scalar, message) in [
        ("!!int x", "yaml: cannot decode !!str `x` as a !!int"),
        (
            "!!binary aGVsb",
            "yaml: !!binary value contains invalid base64 data",
        ),
        (".nan", "json: unsupported value: NaN"),
        ("-.inf", "json: unsupported value: -Inf"),
    ] {
        assert_eq!(value(scalar), Err(message.to_owned()));
    }
}

#[test]
fn yaml_keys_that_are_floats_have_the_names_of_go() {
    for (key, name) in [("1e3", "1000"), ("1e6", "1e+06"), (".Inf", ".inf")] {
        let yaml = parse_yaml(format!("{key}: a\n").as_bytes()).unwrap();
        assert!(yaml.tree.root().get(name).is_some(), "{key}");
    }
    let error = parse_yaml(b"? [0.00001]\n: a\n").unwrap_err();
    assert_eq!(
        error.message(),
        "yaml: invalid map key: []interface {}{1e-05}"
    );
}

#[test]
fn a_json_float_that_is_written_reads_as_the_same_float() {
    for text in [
        "12345678900234567890123456",
        "1.7976931348623157e308",
        "5e-324",
        "-0.0",
    ] {
        let value = |text: &str| to_value(parse_json(text.as_bytes()).unwrap().root()).unwrap();
        let first = value(text);
        assert_eq!(first.as_f64(), text.parse().ok());
        assert_eq!(value(&first.to_string()), first);
    }
}
