//! Times: the text that a server keeps, and the messages of Go's `time.Parse`.

use super::LEVEL;
use k8s_flowcontrol_rules::decode::{self, DecodeAs, Format};
use k8s_flowcontrol_text::parse_json;
use k8s_flowcontrol_types::meta::MicroTime;
use k8s_flowcontrol_types::{FieldValidation, Release, Resource, custom_object, custom_resource};
use serde_json::{Value, json};

custom_object! {
    /// The holding of a lease.
    struct LeaseSpec {
        /// The time of the last renewal.
        "renewTime" => renew_time: Option<MicroTime>,
    }
}

custom_resource! {
    /// A kind with a time in microseconds.
    struct Lease {
        group: "example.com",
        version: "v1",
        kind: "Lease",
        plural: "leases",
        namespaced: true,
        spec: LeaseSpec,
    }
}

/// The time as a server stores it; `None` for Go's zero time.
type Kept = Result<Option<String>, String>;

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn seconds(time: &str) -> Kept {
    let body = json!({"metadata": {"creationTimestamp": time}}).to_string();
    decode::read_body(
        body.as_bytes(),
        Format::Json,
        LEVEL,
        FieldValidation::Strict,
    )
    .map(|object| text(&object.value["metadata"]["creationTimestamp"]))
    .map_err(|error| error.cause)
}

fn micros(time: &str) -> Kept {
    let body = json!({"spec": {"renewTime": time}}).to_string();
    let target = DecodeAs {
        schema: Lease::schema().schema,
        package: "v1",
        release: Release::NEWEST,
        sorted: false,
    };
    decode::decode(parse_json(body.as_bytes()).unwrap().root(), target)
        .map(|decoded| text(&decoded.value["spec"]["renewTime"]))
        .map_err(|error| error.message)
}

#[test]
fn times_are_kept_in_utc() {
    for (time, kept) in [
        ("2020-01-02T03:04:05.678+01:00", "2020-01-02T02:04:05Z"),
        ("2020-01-02T3:04:05,6Z", "2020-01-02T03:04:05Z"),
        ("2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00Z"),
        ("2023-03-01T00:30:00+24:60", "2023-02-27T23:30:00Z"),
        ("1999-12-31T23:59:59-00:01", "2000-01-01T00:00:59Z"),
        ("2000-01-01T00:00:00+00:01", "1999-12-31T23:59:00Z"),
        ("2023-12-31T23:00:00-24:60", "2024-01-02T00:00:00Z"),
        ("1900-02-28T23:00:00-01:00", "1900-03-01T00:00:00Z"),
    ] {
        assert_eq!(seconds(time), Ok(Some(kept.into())), "{time}");
    }
    assert_eq!(
        micros("2020-01-02T03:04:05.678900+01:00"),
        Ok(Some("2020-01-02T02:04:05.678900Z".into()))
    );
}

#[test]
fn zero_times_and_times_beyond_four_digits_of_years_are_absent() {
    for time in [
        "0001-01-01T00:00:00Z",
        "0000-01-01T00:00:00+00:01",
        "9999-12-31T23:59:00-00:01",
    ] {
        assert_eq!(seconds(time), Ok(None), "{time}");
    }
    assert_eq!(micros("0001-01-01T00:00:00.000000Z"), Ok(None));
}

#[test]
fn messages_are_those_of_go() {
    let seconds_layout = r#"as "2006-01-02T15:04:05Z07:00": cannot parse"#;
    for (time, problem) in [
        ("", format!(r#" {seconds_layout} "" as "2006""#)),
        ("2020-01-01", format!(r#" {seconds_layout} "" as "T""#)),
        (
            "2020-01-01T00:00:00+1:000",
            format!(r#" {seconds_layout} "+1:000" as "Z07:00""#),
        ),
        ("2020-02-30T00:00:00Z", ": day out of range".into()),
        ("2020-13-01T00:00:00Z", ": month out of range".into()),
        (
            "2020-01-01T00:00:00+25:00",
            ": time zone offset hour out of range".into(),
        ),
        ("2020-01-01T00:00:00Zx", r#": extra text: "x""#.into()),
    ] {
        assert_eq!(
            seconds(time),
            Err(format!(r#"parsing time "{time}"{problem}"#))
        );
    }
    let quoted = r#""2020\xe2\x80\x9301""#;
    assert_eq!(
        seconds("2020–01"),
        Err(format!(
            r#"parsing time {quoted} {seconds_layout} "\xe2\x80\x9301" as "-""#
        ))
    );
    assert_eq!(
        micros("2020-01-02T03:04:05Z"),
        Err(
            r#"parsing time "2020-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#
                .into()
        )
    );
}
