//! The ends of all integers in loads: no calculation overflows.

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
