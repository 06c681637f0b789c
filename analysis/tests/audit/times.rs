//! The times of events.

use super::{event, read};
use std::time::Duration;

#[test]
fn waits_are_durations_of_go() {
    let wait = |text: &str| {
        let mut event = event("a", "ResponseComplete");
        event["annotations"]["apiserver.latency.k8s.io/apf-queue-wait"] = text.into();
        read(&[&event.to_string()], |event| event.queue_wait()).0[0]
    };
    for (text, nanoseconds) in [
        ("100ns", 100),
        ("1.5µs", 1_500),
        ("1.5us", 1_500),
        ("203.698864ms", 203_698_864),
        ("4.730661757s", 4_730_661_757),
        (".5s", 500_000_000),
        ("1m2.5s", 62_500_000_000),
        ("1h0m0.000001s", 3_600_000_001_000),
        ("0s", 0),
    ] {
        assert_eq!(
            wait(text),
            Some(Duration::from_nanos(nanoseconds)),
            "{text}"
        );
    }
    for text in [
        "",
        "5",
        "s",
        ".s",
        "5 s",
        "-1s",
        "1d",
        "1.2.3s",
        "1e99h",
        "99999999999999999999h",
    ] {
        assert_eq!(wait(text), None, "{text}");
    }
}
