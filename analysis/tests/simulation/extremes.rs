//! The ends of all integers in loads, and random logs: no calculation overflows, and every simulation ends.

use super::recordings::{event, lines, read_for, server};
use k8s_flowcontrol_analysis::simulation::{Arrivals, Client, Load, ServiceTime, simulate};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use std::time::Duration;

const I32: [i32; 6] = [i32::MIN, -1, 0, 1, 100, i32::MAX];
const U32: [u32; 6] = [0, 1, 2, 600, 1 << 31, u32::MAX];

fn level(numbers: &[i32]) -> PriorityLevelConfiguration {
    let queuing = json!({"queues": 2, "handSize": 1, "queueLengthLimit": numbers[3]});
    serde_json::from_value(json!({"metadata": {"name": "catch-all"}, "spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": numbers[0], "lendablePercent": numbers[1], "borrowingLimitPercent": numbers[2],
        "limitResponse": {"type": "Queue", "queuing": queuing},
    }}}))
    .unwrap()
}

fn levels() -> impl Strategy<Value = PriorityLevelConfiguration> {
    vec(select(&I32[..]), 4).prop_map(|numbers| level(&numbers))
}

fn duration() -> impl Strategy<Value = Duration> {
    select(vec![
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_millis(100),
        // A simulation goes on until all requests have ended, in steps of ten seconds.
        Duration::from_secs(3600),
    ])
}

fn client() -> impl Strategy<Value = Client> {
    let arrivals = prop_oneof![
        select(vec![
            f64::NEG_INFINITY,
            f64::NAN,
            -1.0,
            0.0,
            f64::MIN_POSITIVE,
            5.0
        ])
        .prop_map(|per_second| Arrivals::Open { per_second }),
        (
            0_u32..3,
            select(vec![
                Duration::from_millis(200),
                Duration::from_nanos(u64::MAX),
                Duration::MAX
            ])
        )
            .prop_map(|(clients, think)| Arrivals::Closed { clients, think }),
    ];
    let service = (any::<bool>(), duration()).prop_map(|(is_constant, time)| match is_constant {
        true => ServiceTime::Constant(time),
        false => ServiceTime::Exponential(time),
    });
    let work = (select(&U32[..]), select(&U32[..]), duration()).prop_map(
        |(initial_seats, final_seats, additional_latency)| Work {
            initial_seats,
            final_seats,
            additional_latency,
        },
    );
    let times = (duration(), duration(), duration());
    (arrivals, service, work, times, select(&[0, 1, 10][..])).prop_map(
        |(arrivals, service_time, work, (deadline, start, end), retries)| {
            let user = User::new("alice", ["system:authenticated".to_owned()]);
            let request = RequestAttributes::from_http("GET", "/api/v1/pods", user).unwrap();
            Client {
                arrivals,
                service_time,
                work,
                deadline,
                retries,
                start,
                end,
                ..Client::new("c", request)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn simulations(
        levels in vec(levels(), 0..2),
        clients in vec(client(), 1..3),
        seats in select(&U32[..]),
        seed in any::<u64>(),
    ) {
        let server = FlowController::new(&[], &levels, seats, Release::NEWEST, Duration::ZERO).unwrap();
        let load = Load { duration: Duration::from_secs(2), clients };
        let report = simulate(server, &load, seed, |_| ());
        let text = format!("{report:?}");
        prop_assert!(!text.is_empty());
    }
}

/// The requests of a log: the user, the times in milliseconds until it comes after the last one and until it ends, and its wait, if the log has it;
/// one of four is rejected.
fn requests() -> impl Strategy<Value = Vec<(usize, u64, u64, Option<u64>, usize)>> {
    let wait = proptest::option::of(select(vec![0, 1, 600, 100_000]));
    let pause = select(vec![0_u64, 0, 0, 1, 20, 2_000]);
    let took = select(vec![0_u64, 0, 1, 5, 300, 20_000]);
    vec((0..2_usize, pause, took, wait, 0..4_usize), 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A simulation of any log ends, and each of its requests has one outcome.
    #[test]
    fn logs(requests in requests(), few in any::<bool>()) {
        let mut now = 0;
        let mut events = Vec::new();
        for (index, (user, pause, took, wait, outcome)) in requests.iter().enumerate() {
            now += pause;
            let at = Duration::from_millis;
            let mut event = event(&index.to_string(), ["ann", "bob"][*user], at(now), at(now + took));
            if let Some(wait) = wait {
                event["annotations"]["apiserver.latency.k8s.io/apf-queue-wait"] = format!("{wait}ms").into();
            }
            if *outcome == 0 {
                event["responseStatus"]["code"] = 429.into();
                event["annotations"] = json!({});
            }
            events.push(event);
        }
        let server = match few {
            true => server(),
            false => FlowController::new(&[], &[], 600, Release::NEWEST, Duration::ZERO).unwrap(),
        };
        let (mut recording, requests) = read_for(server, &lines(&events));
        prop_assert_eq!(requests.len(), events.len());
        recording.find_loops(requests.iter().copied());
        let separated: Vec<_> = recording.separate_waits(requests.iter().copied()).collect();
        prop_assert_eq!(separated.len(), requests.len());
        recording.find_slowdown(separated.iter().copied());
        let report = recording.replay(separated, |progress| assert!(progress.requests < 1_000_000, "{events:?}"));
        for flow in &report.flows {
            let counts = &flow.counts;
            prop_assert_eq!(counts.arrived, counts.dispatched + counts.rejected + counts.timed_out);
        }
        let arrived: u64 = report.flows.iter().map(|flow| flow.counts.arrived).sum();
        prop_assert_eq!(report.requests, arrived);
    }
}

/// A client that is faster than in its log, and whose last requests took no time.
#[test]
fn requests_without_a_duration_end() {
    let at = Duration::from_millis;
    let mut events = Vec::new();
    for number in 0..40 {
        let received = at(number * 100);
        let mut event = event(&number.to_string(), "ann", received, received + at(100));
        event["annotations"]["apiserver.latency.k8s.io/apf-queue-wait"] = "90ms".into();
        events.push(event);
    }
    events
        .extend((40..80).map(|number: u64| event(&number.to_string(), "ann", at(4000), at(4000))));
    let server = FlowController::new(&[], &[], 600, Release::NEWEST, Duration::ZERO).unwrap();
    let (mut recording, requests) = read_for(server, &lines(&events));
    recording.find_loops(requests.iter().copied());
    let report = recording.replay(requests, |progress| {
        assert!(progress.requests < 1_000_000, "{progress:?}");
    });
    assert!(report.requests > 100, "{}", report.requests);
}
