//! The requests of a log are kept in few bytes each, without losing anything on which their waits depend.

use super::{RELEASE, Request, holds, level, logged};
use k8s_flowcontrol_analysis::size::{Intents, Sizer};
use serde_json::json;

const PODS: &str = "/api/v1/namespaces/a/pods";

/// Whether no request of a log waits longer than this on a server with so many seats. All requests but those of `/version` belong to one
/// level, which has all of the seats.
fn is_met(log: &[Request<'_>], seats: u32, at_most: &str) -> bool {
    let limited = json!({
        "nominalConcurrencyShares": 10_000, "lendablePercent": 0, "borrowingLimitPercent": 0,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 1, "handSize": 1, "queueLengthLimit": 1000}},
    });
    let (mut schema, level) = level("batch", limited, &["alice"]);
    schema.spec.rules[0].non_resource_rules =
        serde_json::from_value(json!([{"verbs": ["*"], "nonResourceURLs": ["/metrics"]}])).unwrap();
    let (schemas, levels) = ([schema], [level]);
    let requests = log.iter().map(|request| ("alice", *request));
    let requests = logged(requests, &schemas, &levels).unwrap();
    let intents = format!(
        "server: {{seats: {seats}}}\nkeep: all\nintents:\n- level: batch\n  waits: {{max: {at_most}}}\n"
    );
    let intents = Intents::read(intents.as_bytes()).unwrap();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests)).unwrap();
    holds(&sizer, &schemas, &levels, seats)
}

/// Whether a request waits although one seat of twenty is free. An earlier request is alone on the server.
fn waits(earlier: Request<'_>, (verb, uri, name): (&str, &str, &str)) -> bool {
    let get = format!("{PODS}/b");
    let mut log = vec![earlier];
    log.extend([("get", get.as_str(), "b", 10_000, 12_000); 19]);
    log.push((verb, uri, name, 11_000, 11_500));
    !is_met(&log, 20, "0s")
}

#[test]
fn requests_that_differ_in_their_seats_are_told_apart() {
    let lists = [
        ("", "", true),
        ("?limit=500&continue=abc&pretty=1", "", true),
        ("?limit=1", "", false),
        ("?limit=1&continue=abc", "", false),
        ("?limit=1&continue=abc&labelSelector=a%3Db", "", true),
        ("?limit=1&timeoutSeconds=7", "", false),
        ("?limit=1&timeoutSeconds=x", "", true),
        (
            "?limit=1&resourceVersion=7&resourceVersionMatch=Exact",
            "",
            false,
        ),
        ("?fieldSelector=metadata.name%3Db", "b", false),
        ("?fieldSelector=spec.nodeName%3Db", "", true),
    ];
    for (query, name, expected) in lists {
        for (other, other_name, _) in lists {
            let (uri, other) = (format!("{PODS}{query}"), format!("{PODS}{other}"));
            let earlier = ("list", other.as_str(), other_name, 0, 500);
            let found = waits(earlier, ("list", &uri, name));
            assert_eq!(found, expected, "{uri} after {other}");
        }
    }
}

/// Requests for other paths than resources belong to a level because of their paths.
#[test]
fn paths_are_told_apart() {
    for (path, other, expected) in [
        ("/metrics", "/version", true),
        ("/version", "/metrics", false),
    ] {
        let get = format!("{PODS}/b");
        let mut log = vec![("get", other, "", 0, 500)];
        log.extend([("get", get.as_str(), "b", 10_000, 12_000); 20]);
        log.push(("get", path, "", 11_000, 11_500));
        assert_eq!(!is_met(&log, 20, "0s"), expected, "{path}");
    }
}

/// A request waits a quarter of its time limit at most, and is rejected then.
#[test]
fn time_limits_are_told_apart() {
    for (query, other, expected) in [("", "?timeout=5s", true), ("?timeout=5s", "", false)] {
        let [get, short, earlier] = ["", query, other].map(|query| format!("{PODS}/b{query}"));
        let mut log = vec![("get", earlier.as_str(), "b", 0, 500)];
        log.extend([("get", get.as_str(), "b", 10_000, 13_000); 20]);
        log.push(("get", &short, "b", 11_000, 11_500));
        assert_eq!(is_met(&log, 20, "3s"), expected, "{query}");
    }
}

/// A request of half an hour keeps its seat until its end.
#[test]
fn long_requests_stay_long() {
    let minute = 60_000;
    let get = format!("{PODS}/b");
    let log = [
        ("get", get.as_str(), "b", 0, 50 * minute),
        ("get", get.as_str(), "b", 40 * minute, 41 * minute),
    ];
    assert_eq!([1, 2].map(|seats| is_met(&log, seats, "0s")), [false, true]);
}
