//! Conversions of text, as in Go: `int(x)`, `duration(x)` and the like.

use super::as_in_go::declared;
use super::library::{Answer, fails};
use cel::common::types::{
    CelBool, CelDouble, CelDuration, CelInt, CelString, CelTimestamp, CelUInt,
};
use cel::common::value::{CowVal, StaticVal};
use chrono::{DateTime, Duration, FixedOffset};
use k8s_flowcontrol_text::go::{parse_duration, parse_uint};

/// The conversions, each with its name and the name behind its macro.
pub(super) const ALL: [(&str, &str, cel::common::functions::Function); 6] = [
    ("bool", "@bool", |args| {
        of_text(args, "bool", "bool", |text| {
            boolean(text).map(CelBool::from)
        })
    }),
    ("double", "@double", |args| {
        of_text(args, "double", "double", |text| {
            float(text).map(CelDouble::from)
        })
    }),
    ("duration", "@duration", |args| {
        of_text(args, "duration", "google.protobuf.Duration", |text| {
            let nanoseconds = parse_duration(text).ok()?;
            Some(CelDuration::from(Duration::nanoseconds(nanoseconds)))
        })
    }),
    ("int", "@int", |args| {
        of_text(args, "int", "int", |text| {
            text.parse::<i64>().ok().map(CelInt::from)
        })
    }),
    ("timestamp", "@timestamp", timestamp),
    ("uint", "@uint", |args| {
        of_text(args, "uint", "uint", |text| {
            parse_uint(text).ok().map(CelUInt::from)
        })
    }),
];

/// Converts text with `read`, and all else as CEL does.
fn of_text<'b, 'v, T: StaticVal + 'v>(
    args: Vec<CowVal<'b, 'v>>,
    function: &str,
    kind: &str,
    read: fn(&str) -> Option<T>,
) -> Answer<'b, 'v> {
    match text(&args) {
        Some(text) => read(text)
            .map(CowVal::owned)
            .ok_or_else(|| fails(format!("type conversion error from 'string' to '{kind}'"))),
        None => declared(function, args),
    }
}

fn text<'a>(args: &'a [CowVal<'_, '_>]) -> Option<&'a str> {
    let text = args.first()?.as_ref().downcast_ref::<CelString<'_>>();
    text.map(CelString::inner)
}

/// A time from text; CEL itself checks that it is between the years 1 and 9999.
fn timestamp<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let kind = "google.protobuf.Timestamp";
    let converted = of_text(args, "timestamp", kind, |text| {
        time(text).map(CelTimestamp::from)
    })?;
    declared("timestamp", vec![converted])
}

/// A time as Go reads RFC 3339: capital letters, no leap second, and also a comma before the fraction.
fn time(text: &str) -> Option<DateTime<FixedOffset>> {
    let has_letters = text.as_bytes().get(10) == Some(&b'T') && !text.ends_with('z');
    let is_second = text.get(17..19)? < "60";
    let time = DateTime::parse_from_rfc3339(&text.replacen(',', ".", 1)).ok()?;
    (has_letters && is_second).then_some(time)
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// A decimal number, also with `_` between two digits; neither a hexadecimal one nor one beyond the floats.
fn float(text: &str) -> Option<f64> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let is_separator =
        |at: usize| at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1));
    let mut separators = text.match_indices('_');
    if !separators.all(|(at, _)| is_separator(at)) {
        return None;
    }
    let number: f64 = text.replace('_', "").parse().ok()?;
    let has_digits = bytes.iter().any(u8::is_ascii_digit);
    (number.is_finite() || !has_digits).then_some(number)
}
