//! Numbers that are `f64`.

use k8s_flowcontrol_types::meta::Unknown;
use k8s_flowcontrol_types::{json, rt};

#[derive(Clone, Debug, Default, PartialEq)]
struct Sample {
    ratio: Option<f64>,
    weight: f64,
    all: Vec<f64>,
    unknown: Unknown,
}

rt::v1::fields! {
    Sample {
        "ratio" => ratio,
        "weight" => weight,
        "all" => all,
    }
}

fn read(text: &str) -> Sample {
    json::from_str(text).unwrap()
}

#[test]
fn the_text_of_a_number_survives_until_its_value_changes() {
    for number in [
        "0",
        "1",
        "-1",
        "0.5",
        "0.50",
        "5e-1",
        "1E2",
        "-0.0",
        "0.1",
        "100000000000000000000000",
        "1e400",
        "0.30000000000000004",
        "12345678901234567890.123",
        "1e-7",
        "1e21",
    ] {
        let text = format!(r#"{{"ratio":{number},"weight":{number}}}"#);
        let mut sample = read(&text);
        assert_eq!(json::to_string(&sample), text);
        assert_eq!(serde_json::to_string(&sample).unwrap(), text);
        sample.ratio = Some(2.5);
        assert_eq!(
            json::to_string(&sample),
            format!(r#"{{"ratio":2.5,"weight":{number}}}"#)
        );
    }
    let list = r#"{"weight":1,"all":[1.0,2,3e0]}"#;
    let mut sample = read(list);
    assert_eq!(json::to_string(&sample), list);
    sample.all.push(0.5);
    assert_eq!(
        json::to_string(&sample),
        r#"{"weight":1,"all":[1,2,3,0.5]}"#
    );
    // A spelling takes memory only if it is not the plain one.
    assert_eq!(read(r#"{"ratio":0.50,"weight":1}"#).ratio, Some(0.5));
}

#[test]
fn new_numbers_are_written_as_a_server_writes_them() {
    let write = |weight: f64| {
        let sample = Sample {
            weight,
            ..Sample::default()
        };
        json::to_string(&sample)
    };
    assert_eq!(write(3.0), r#"{"weight":3}"#);
    assert_eq!(write(1e21), r#"{"weight":1e21}"#);
    assert_eq!(write(f64::INFINITY), r#"{"weight":null}"#);
}

#[test]
fn other_values_are_errors() {
    for value in [r#""1""#, "true", "{}", "[1]", "-", "01", "1.", ".5"] {
        let text = format!(r#"{{"weight":{value}}}"#);
        assert!(json::from_str::<Sample>(&text).is_err(), "{text}");
    }
}
