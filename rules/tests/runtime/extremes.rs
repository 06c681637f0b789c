//! The ends of all integers: no calculation overflows, in any profile (tests check for overflow).

use k8s_flowcontrol_rules::controller::wait_limit;
use k8s_flowcontrol_rules::limits::{DemandRecorder, SeatDemand, ServerLimits};
use k8s_flowcontrol_rules::queueing::{Decision, QueueSet, QueueSetConfig, Queuing, Work};
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Request, Stored};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use std::time::Duration;

const I32: [i32; 11] = [
    i32::MIN,
    i32::MIN + 1,
    -1,
    0,
    1,
    2,
    99,
    100,
    101,
    i32::MAX - 1,
    i32::MAX,
];
const U32: [u32; 8] = [0, 1, 2, 600, 1 << 31, (1 << 31) + 1, u32::MAX - 1, u32::MAX];
const I64: [i64; 8] = [
    i64::MIN,
    i64::MIN + 1,
    -1,
    0,
    1,
    1 << 53,
    i64::MAX - 1,
    i64::MAX,
];
const U64: [u64; 9] = [
    0,
    1,
    100,
    1 << 31,
    1 << 53,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

fn release() -> impl Strategy<Value = Release> {
    select(Release::all().collect::<Vec<_>>())
}

fn duration() -> impl Strategy<Value = Duration> {
    select(vec![
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_millis(3),
        Duration::from_nanos(i64::MAX as u64),
        Duration::from_nanos(u64::MAX - 1),
        Duration::from_nanos(u64::MAX),
        Duration::from_secs(u64::MAX / 2),
        Duration::MAX,
    ])
}

fn level() -> impl Strategy<Value = PriorityLevelConfiguration> {
    let numbers = || option::of(select(&I32[..]));
    let name = select(&["a", "b", "c", "exempt", "catch-all"][..]);
    let of = (name, any::<bool>(), vec(numbers(), 6));
    of.prop_map(|(name, is_exempt, numbers)| {
        let (kind, field) = match is_exempt {
            true => ("Exempt", "exempt"),
            false => ("Limited", "limited"),
        };
        let mut spec = json!({"type": kind, field: {
            "nominalConcurrencyShares": numbers[0], "lendablePercent": numbers[1],
        }});
        if !is_exempt {
            spec[field]["borrowingLimitPercent"] = json!(numbers[2]);
            spec[field]["limitResponse"] = json!({"type": "Queue", "queuing": {
                "queues": numbers[3], "handSize": numbers[4], "queueLengthLimit": numbers[5],
            }});
        }
        serde_json::from_value(json!({"metadata": {"name": name}, "spec": spec})).unwrap()
    })
}

fn work() -> impl Strategy<Value = Work> {
    (select(&U32[..]), select(&U32[..]), duration()).prop_map(
        |(initial_seats, final_seats, additional_latency)| Work {
            initial_seats,
            final_seats,
            additional_latency,
        },
    )
}

fn demand() -> impl Strategy<Value = SeatDemand> {
    let numbers = select(vec![
        f64::NEG_INFINITY,
        -1.0,
        -0.0,
        0.0,
        f64::MIN_POSITIVE,
        1e18,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ]);
    let recorded = vec((duration(), numbers.clone()), 0..4).prop_map(|steps| {
        let mut recorder = DemandRecorder::new(Duration::ZERO);
        let mut demand = SeatDemand::default();
        for (now, seats) in steps {
            recorder.set(now, seats);
            demand.update(&recorder.finish_period(now));
        }
        demand
    });
    let steady = select(&U32[..]).prop_map(SeatDemand::steady);
    let any = (select(&I64[..]), numbers).prop_map(|(high_watermark, number)| SeatDemand {
        high_watermark,
        average: number,
        deviation: number,
        smoothed: number,
    });
    prop_oneof![recorded, steady, any]
}

/// A call of a queue set.
#[derive(Clone, Debug)]
enum Call {
    Arrive(Duration, u64, Work),
    Finish(Duration, prop::sample::Index),
    Cancel(Duration, prop::sample::Index),
    Advance(Duration),
    Reconfigure(Duration, u32, i32),
}

fn call() -> impl Strategy<Value = Call> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => (duration(), select(&U64[..]), work()).prop_map(|(now, hash, work)| Call::Arrive(now, hash, work)),
        2 => (duration(), index()).prop_map(|(now, which)| Call::Finish(now, which)),
        1 => (duration(), index()).prop_map(|(now, which)| Call::Cancel(now, which)),
        1 => duration().prop_map(Call::Advance),
        1 => (duration(), select(&U32[..]), select(&I32[..]))
            .prop_map(|(now, seats, limit)| Call::Reconfigure(now, seats, limit)),
    ]
}

fn config(seats: u32, queue_length_limit: i32) -> QueueSetConfig {
    let queuing = Queuing::Queue {
        queues: 2,
        hand_size: 1,
        queue_length_limit,
    };
    QueueSetConfig { seats, queuing }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn limits(
        levels in vec(level(), 0..5),
        others in vec(level(), 0..3),
        seats in select(&U32[..]),
        fewer in select(&U32[..]),
        release in release(),
        demand in demand(),
        current in option::of(select(&I64[..])),
    ) {
        let limits = ServerLimits::new(&levels, seats, release);
        for level in limits.levels() {
            prop_assert!((0..=i64::from(u32::MAX)).contains(&level.nominal));
            prop_assert!((0..=level.nominal).contains(&level.lendable));
            prop_assert!(level.minimum >= 0 && level.maximum >= level.nominal);
            prop_assert!(level.initial() >= level.minimum);
        }
        prop_assert!(limits.nominal_sum() >= 0);
        for change in limits.changes_to(&ServerLimits::new(&others, fewer, release)) {
            change.seats();
        }
        let adjusted = limits.adjust(|_| demand, |_| current);
        prop_assert!(adjusted.levels.len() <= limits.levels().len());
        let bounds = LevelBounds::new(&levels, seats, release);
        for level in limits.levels() {
            prop_assert!(bounds.of(&level.name).is_none_or(|bound| bound >= 1));
        }
    }

    #[test]
    fn seats(
        verb in select(&["list", "watch", "create", "update", "delete", "deletecollection", "get"][..]),
        query in select(&[
            "", "limit=9223372036854775807", "limit=-9223372036854775808", "limit=500&resourceVersion=0",
            "limit=18446744073709551616", "resourceVersion=18446744073709551615", "continue=x&limit=1",
        ][..]),
        objects in select(&U64[..]),
        average_bytes in select(&U64[..]),
        watches in select(&U64[..]),
        max_seats in option::of(select(&U64[..])),
        release in release(),
    ) {
        let stored = Stored::Known { objects, average_bytes };
        let request = Request { verb, resource: "pods", query, stored, watches, max_seats, ..Request::default() };
        let estimator = Estimator::new(release);
        let estimate = estimator.estimate(&request);
        prop_assert!(estimate.initial_seats >= 1);
        prop_assert!(!estimator.explain(&request).to_string().is_empty());
    }

    #[test]
    fn queueing(seats in select(&U32[..]), limit in select(&I32[..]), calls in vec(call(), 0..30)) {
        let mut set = QueueSet::new(&config(seats, limit), Duration::ZERO).unwrap();
        let mut requests = Vec::new();
        for call in calls {
            match call {
                Call::Arrive(now, hash, work) => match set.arrive(now, hash, work) {
                    Decision::Dispatched(request) | Decision::Queued(request) => requests.push(request),
                    _ => {}
                },
                Call::Finish(now, which) if !requests.is_empty() => {
                    set.finish(now, *which.get(&requests));
                }
                Call::Cancel(now, which) if !requests.is_empty() => {
                    set.cancel(now, *which.get(&requests));
                }
                Call::Advance(now) => set.advance(now),
                Call::Reconfigure(now, seats, limit) => set.reconfigure(now, &config(seats, limit)).unwrap(),
                Call::Finish(..) | Call::Cancel(..) => {}
            }
            set.next_event();
            set.seat_demand();
            set.state();
            set.next_finish();
            for request in &requests {
                set.virtual_execution(*request);
                set.place(*request);
            }
        }
    }

    #[test]
    fn any_configuration_makes_a_queue_set_or_an_error(level in level(), seats in select(&U32[..])) {
        let config = QueueSetConfig::of_level(&level, seats);
        if let Ok(mut set) = QueueSet::new(&config, Duration::MAX) {
            let _decision = set.arrive(Duration::MAX, u64::MAX, Work::seats(u32::MAX));
            set.advance(Duration::MAX);
        }
    }

    #[test]
    fn waits(deadline in duration()) {
        prop_assert!(wait_limit(deadline) <= Duration::from_secs(60));
    }
}
