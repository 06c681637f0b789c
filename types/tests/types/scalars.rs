//! Quantities, bytes and times: each keeps its text.

use k8s_flowcontrol_types::meta::{ByteString, MicroTime, Quantity, Time};
use std::collections::HashSet;

#[test]
fn the_default_quantity_is_zero() {
    let zero = Quantity::default();
    assert_eq!((zero.as_str(), &zero), ("0", &Quantity::from("0")));
    assert_eq!(serde_json::to_string(&zero).unwrap(), "\"0\"");
}

#[test]
fn quantities_are_compared_by_value() {
    let set: HashSet<Quantity> = ["1Gi", "1024Mi", " 1Gi", "1", "auto", "auto"]
        .map(Quantity::from)
        .into();
    assert_eq!(set.len(), 3);
    let mut sorted = ["auto", "2", "-1Ki", "1500m"].map(Quantity::from);
    sorted.sort();
    assert_eq!(
        sorted.each_ref().map(Quantity::as_str),
        ["-1Ki", "1500m", "2", "auto"]
    );
}

#[test]
fn texts_of_quantities_come_back() {
    for json in ["1.50", "\"1.50\"", "1e3", "\"\\\"\"", "\"\""] {
        let quantity: Quantity = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&quantity).unwrap(), json);
    }
}

#[test]
fn texts_of_bytes_come_back() {
    for (text, bytes) in [
        ("", &b""[..]),
        ("AAEC/w==", &[0, 1, 2, 255]),
        ("AAEC/w", &[0, 1, 2, 255]),
        ("AAEC/x==", &[0, 1, 2, 255]),
        ("AA\r\nEC\n/w==\n", &[0, 1, 2, 255]),
        ("\n", b""),
    ] {
        let value = ByteString::from_base64(text).unwrap();
        assert_eq!(value.as_bytes(), bytes, "{text:?}");
        assert_eq!(value.to_base64(), text);
        assert_eq!(value, ByteString::from(bytes));
    }
}

#[test]
fn an_error_of_bytes_names_the_offset_and_no_text() {
    for (text, offset) in [("AA\nA-", 4), ("A", 1), ("AAAA=AAA", 4), ("äAAA", 0)] {
        let error = ByteString::from_base64(text).unwrap_err().to_string();
        let expected = format!("illegal base64 data at input byte {offset}");
        assert_eq!(error, expected, "{text:?}");
    }
}

#[test]
fn texts_of_times_come_back() {
    for text in [
        "",
        "2026-11-21T06:23:00",
        "2026-11-21T06:23:00Z",
        "2026-11-21T06:23:00zZ",
        "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}",
    ] {
        assert_eq!(MicroTime::from(text).as_str(), text);
        let json = serde_json::to_string(text).unwrap();
        let time: Time = serde_json::from_str(&json).unwrap();
        assert_eq!((time.as_str(), &time), (text, &Time::from(text)));
        assert_eq!(serde_json::to_string(&time).unwrap(), json);
    }
    assert_eq!(Time::default(), Time::from(""));
}

#[cfg(feature = "jiff")]
#[test]
fn moments_come_back() {
    use std::time::{Duration, SystemTime};

    let epoch = SystemTime::UNIX_EPOCH;
    let time = epoch + Duration::new(1_795_242_180, 123_456_789);
    assert_eq!(Time::from(time).as_str(), "2026-11-21T06:23:00Z");
    let micro = MicroTime::from(time);
    assert_eq!(micro.as_str(), "2026-11-21T06:23:00.123456Z");
    assert_eq!(
        micro.system_time(),
        Ok(epoch + Duration::new(1_795_242_180, 123_456_000))
    );
    let before = epoch - Duration::from_millis(1500);
    let micro = MicroTime::from(before);
    assert_eq!(micro.as_str(), "1969-12-31T23:59:58.500000Z");
    assert_eq!(micro.system_time(), Ok(before));
    let east = Time::from("1970-01-01T01:00:00+01:00");
    assert_eq!(east.system_time(), Ok(epoch));
    let last = epoch + Duration::from_secs(253_402_300_799);
    for text in ["9999-12-31T23:59:59Z", "9999-12-31T22:59:59-01:00"] {
        assert_eq!(Time::from(text).system_time(), Ok(last));
    }
    for text in [
        "",
        "soon",
        "2026-11-21",
        "2026-02-29T06:23:00Z",
        "2026-11-21T06:23:00",
    ] {
        assert!(Time::from(text).system_time().is_err(), "{text}");
    }
}
