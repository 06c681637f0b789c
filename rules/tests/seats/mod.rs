//! The seats of requests, as real servers estimate them.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

use k8s_flowcontrol_rules::seats::{
    Estimator, FeatureGate, LevelBounds, Measure, Reason, Request, Stored,
};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use serde_json::Value;
use std::time::Duration;

const RECORDED: &str = include_str!("../fixtures/seats/recorded.jsonl");

/// A list of 1,000 pods of 5 kB.
const LIST: Request<'static> = Request {
    verb: "list",
    resource: "pods",
    subresource: "",
    name: "",
    query: "",
    stored: Stored::Known {
        objects: 1000,
        average_bytes: 5000,
    },
    watches: 0,
    max_seats: None,
};

fn release(minor: u32) -> Release {
    Release::new(minor).unwrap()
}

fn initial(minor: u32, request: &Request<'_>) -> u64 {
    Estimator::new(release(minor))
        .estimate(request)
        .initial_seats
}

#[test]
fn estimates_are_those_of_recorded_servers() {
    for line in RECORDED.lines() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| recorded[name].as_str().unwrap_or_default();
        let number = |name: &str| recorded[name].as_u64().unwrap_or_default();
        let server = text("server");
        let (minor, mode) = server.split_once('-').unwrap_or((server, ""));
        let estimator = Estimator::new(minor.parse().unwrap())
            .with(FeatureGate::ConsistentListFromCache, false)
            .with(FeatureGate::SizeBasedListCostEstimate, mode == "size");
        let estimator = match mode {
            "watchlist" => estimator.with(FeatureGate::WatchList, true),
            _ => estimator,
        };
        let estimate = estimator.estimate(&Request {
            verb: text("verb"),
            resource: text("resource"),
            subresource: text("subresource"),
            name: text("name"),
            query: text("query"),
            stored: match text("objectCountState") {
                "known" => Stored::Known {
                    objects: number("objects"),
                    average_bytes: number("objectSizeBytes"),
                },
                "stale" => Stored::Stale,
                _ => Stored::NotFound,
            },
            watches: number("watches"),
            max_seats: Some(number("maxSeats")),
        });
        let found = (
            estimate.initial_seats,
            estimate.final_seats,
            estimate.additional_latency.as_micros() as u64,
        );
        let expected = (
            number("initialSeats"),
            number("finalSeats"),
            number("additionalLatencyUs"),
        );
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn lists_without_a_resource_version_come_from_the_cache_since_1_31() {
    // 2,000 objects from etcd; 1,000 from the cache.
    assert_eq!(initial(30, &LIST), 10);
    let explained = |minor| Estimator::new(release(minor)).explain(&LIST).reason;
    let from_cache = |minor| match explained(minor) {
        Reason::List { from_cache, .. } => Some(from_cache),
        _ => None,
    };
    assert_eq!(
        [30, 31, 33, 37].map(from_cache),
        [false, true, true, true].map(Some)
    );
    let Reason::List { measure, seats, .. } = explained(30) else {
        unreachable!("a list");
    };
    assert_eq!((measure, seats), (Measure::Objects(2000), 20));
}

#[test]
fn watches_with_initial_events_are_lists() {
    let watch = Request {
        verb: "watch",
        query: "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        ..LIST
    };
    // The gate came in 1.28; it was on in 1.32, and is since 1.34.
    let seats = [27, 28, 31, 32, 33, 34, 37].map(|minor| initial(minor, &watch));
    assert_eq!(seats, [1, 1, 1, 10, 1, 10, 10]);
    // A watch from now on sends the stored objects too.
    let legacy = Request { query: "", ..watch };
    assert_eq!([34, 35].map(|minor| initial(minor, &legacy)), [1, 10]);
    let from_now = Request {
        query: "resourceVersion=7",
        ..watch
    };
    assert_eq!(initial(37, &from_now), 1);
}

#[test]
fn watches_occupy_seats_until_they_are_initialized() {
    let watch = Request {
        verb: "watch",
        ..LIST
    };
    for minor in [25, 37] {
        let explanation = Estimator::new(release(minor)).explain(&watch);
        assert!(explanation.until_initialized);
        let steps = explanation.to_string();
        let last = "\na watch occupies its seats until its initial events are sent";
        assert!(steps.ends_with(last), "{steps}");
    }
    for verb in ["list", "get", "update"] {
        let explanation = Estimator::new(release(37)).explain(&Request { verb, ..LIST });
        assert!(!explanation.until_initialized, "{verb}");
        assert!(!explanation.to_string().contains("watch occupies"));
    }
}

#[test]
fn one_object_is_measured_by_its_size_since_1_34() {
    let stored = Stored::Known {
        objects: 9,
        average_bytes: 450_000,
    };
    let one = Request {
        name: "x",
        query: "fieldSelector=metadata.name%3Dx",
        stored,
        ..LIST
    };
    assert_eq!([33, 34].map(|minor| initial(minor, &one)), [1, 5]);
    let nothing = Request {
        stored: Stored::Known {
            objects: 0,
            average_bytes: 0,
        },
        ..one
    };
    assert_eq!(initial(34, &nothing), 1);
    let unknown_size = Request {
        stored: Stored::Known {
            objects: 9,
            average_bytes: 0,
        },
        ..one
    };
    assert_eq!(initial(34, &unknown_size), 10);
    let stale = Request {
        stored: Stored::Stale,
        ..LIST
    };
    assert_eq!([33, 34].map(|minor| initial(minor, &stale)), [10, 10]);
}

#[test]
fn numbers_that_cannot_be_read_take_the_bound() {
    for query in [
        "limit=garbage",
        "limit=",
        "timeoutSeconds=1s",
        "limit=99999999999999999999",
    ] {
        let list = Request { query, ..LIST };
        assert_eq!(initial(34, &list), 100, "{query}");
        assert_eq!(initial(33, &list), 10, "{query}");
    }
    // A server drops a malformed parameter.
    let list = Request {
        query: "limit=1;x&resourceVersion=0",
        ..LIST
    };
    assert_eq!(initial(33, &list), 10);
}

#[test]
fn tokens_have_no_events() {
    let token = Request {
        verb: "create",
        resource: "serviceaccounts",
        subresource: "token",
        watches: 500,
        ..Request::default()
    };
    let estimator = Estimator::new(Release::NEWEST);
    assert_eq!(estimator.estimate(&token).final_seats, 0);
    // The first releases charge them like any other write.
    let oldest = Estimator::new(Release::OLDEST).estimate(&token);
    assert_eq!(oldest.final_seats, 10);
    let other = Request {
        subresource: "",
        ..token
    };
    let estimate = estimator.estimate(&other);
    assert_eq!((estimate.max_seats(), estimate.final_seats), (10, 10));
    assert_eq!(estimate.additional_latency, Duration::from_millis(25));
}

#[test]
fn levels_with_queues_have_bounds() {
    let level = |response: &str| -> PriorityLevelConfiguration {
        let text = format!(
            r#"{{"metadata": {{"name": "batch"}}, "spec": {{"type": "Limited", "limited": {{
                "nominalConcurrencyShares": 95, "limitResponse": {response}}}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let queues = |hand: &str| format!(r#"{{"type": "Queue", "queuing": {{{hand}}}}}"#);
    let bound = |response: &str, minor| {
        LevelBounds::new(&[level(response)], 200, release(minor)).of("batch")
    };
    // 190 of 200 seats: 15 % are 29 seats, a hand of 8 queues leaves 23 for each.
    assert_eq!(bound(&queues(""), 37), Some(23));
    assert_eq!(bound(&queues(r#""handSize": 2"#), 37), Some(29));
    assert_eq!(bound(&queues(""), 25), None);
    assert_eq!(bound(r#"{"type": "Reject"}"#, 37), None);
    let bounds = LevelBounds::new(&[], 20, Release::NEWEST);
    assert_eq!((bounds.of("catch-all"), bounds.of("exempt")), (None, None));
    // The bound also cuts the final seats.
    let list = Request {
        max_seats: Some(3),
        ..LIST
    };
    assert_eq!(initial(37, &list), 3);
}

#[test]
fn feature_gates_have_their_names() {
    for gate in FeatureGate::ALL {
        assert_eq!(gate.to_string().parse(), Ok(*gate));
    }
    let error = "APIListChunking".parse::<FeatureGate>().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the feature gate `APIListChunking` does not")
    );
    // A gate that the release lacks cannot be turned on.
    let estimator = Estimator::new(release(33)).with(FeatureGate::SizeBasedListCostEstimate, true);
    assert!(!estimator.is_enabled(FeatureGate::SizeBasedListCostEstimate));
}
