//! Properties of all sequences of events, also with times that go back.

use k8s_flowcontrol_rules::queueing::{
    Decision, QueueSet, QueueSetConfig, Queuing, RequestId, Work,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

#[derive(Clone, Debug)]
enum Step {
    Arrive(u64, Work),
    Finish(usize),
    Cancel(usize),
    Reconfigure(QueueSetConfig),
    Advance,
}

fn config() -> impl Strategy<Value = QueueSetConfig> {
    let queuing = prop_oneof![
        1 => Just(Queuing::Exempt),
        1 => Just(Queuing::Reject),
        8 => (1..6i32, 0..3i32, 0..4i32).prop_map(|(hand_size, more, queue_length_limit)| {
            let queues = hand_size + more;
            Queuing::Queue { queues, hand_size, queue_length_limit }
        }),
    ];
    (0..6u32, queuing).prop_map(|(seats, queuing)| QueueSetConfig { seats, queuing })
}

fn step() -> impl Strategy<Value = Step> {
    let work = (0..4u32, 0..4u32, 0..3u64).prop_map(|(initial_seats, final_seats, latency)| Work {
        initial_seats,
        final_seats,
        additional_latency: Duration::from_millis(latency),
    });
    prop_oneof![
        6 => (0..9u64, work).prop_map(|(flow, work)| Step::Arrive(flow, work)),
        4 => any::<usize>().prop_map(Step::Finish),
        1 => any::<usize>().prop_map(Step::Cancel),
        1 => config().prop_map(Step::Reconfigure),
        1 => Just(Step::Advance),
    ]
}

/// The sums over the queues, as far as requests have queues.
fn is_consistent(level: &QueueSet, waiting: usize, executing: usize) {
    let state = level.state();
    assert_eq!((state.waiting, state.executing), (waiting, executing));
    assert_eq!(state.seats_waiting, level.seats_waiting());
    assert!(state.seats_in_use + state.seats_waiting <= level.seat_demand());
    let sum = |count: fn(&k8s_flowcontrol_rules::queueing::QueueState) -> u64| -> u64 {
        state.queues.iter().map(count).sum()
    };
    assert_eq!(sum(|queue| queue.waiting.into()), waiting as u64);
    assert_eq!(sum(|queue| queue.seats_waiting), state.seats_waiting);
    assert!(sum(|queue| queue.executing.into()) <= executing as u64);
    assert!(sum(|queue| queue.seats_in_use) <= state.seats_in_use);
}

fn hash(flow: u64) -> u64 {
    flow.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Some element of a set.
fn pick<T: Copy>(set: &BTreeSet<T>, index: usize) -> Option<T> {
    set.iter().nth(index.checked_rem(set.len())?).copied()
}

proptest! {
    #[test]
    fn every_request_is_decided_once(
        first in config(),
        steps in vec((0..20u64, step()), 0..150),
    ) {
        let ms = Duration::from_millis;
        let mut config = first;
        let mut level = QueueSet::new(&config, ms(5)).unwrap();
        let (mut waiting, mut executing) = (BTreeSet::new(), BTreeSet::new());
        let mut last: BTreeMap<RequestId, Duration> = BTreeMap::new();
        let mut now = Duration::ZERO;
        for (base, (time, step)) in steps.into_iter().enumerate() {
            // Mostly forward, and sometimes back.
            now = ms(time + base as u64);
            match step {
                Step::Arrive(flow, work) => match level.arrive(now, hash(flow), work) {
                    Decision::Dispatched(id) | Decision::Queued(id) => prop_assert!(waiting.insert(id)),
                    Decision::Rejected(_) => prop_assert!(config.queuing != Queuing::Exempt),
                },
                Step::Finish(index) => if let Some(id) = pick(&executing, index) {
                    executing.remove(&id);
                    level.finish(now, id);
                },
                Step::Cancel(index) => if let Some(id) = pick(&waiting, index)
                    && level.cancel(now, id) {
                    waiting.remove(&id);
                },
                Step::Reconfigure(new) => {
                    level.reconfigure(now, &new).unwrap();
                    config = new;
                }
                Step::Advance => level.advance(now),
            }
            let before = level.seats_in_use();
            for id in level.dispatched() {
                prop_assert!(waiting.remove(&id), "{id:?} was waiting");
                prop_assert!(executing.insert(id));
                prop_assert_eq!(last.insert(id, now), None);
            }
            prop_assert_eq!(level.seats_in_use(), before);
            is_consistent(&level, waiting.len(), executing.len());
        }
        // Everything ends.
        level.reconfigure(now, &QueueSetConfig { seats: 100, queuing: config.queuing }).unwrap();
        for _ in 0..200 {
            for id in level.dispatched() {
                waiting.remove(&id);
                executing.insert(id);
            }
            if let Some(id) = executing.pop_first() {
                level.finish(now, id);
            }
            now += ms(10);
            level.advance(now);
        }
        prop_assert!(waiting.is_empty());
        let state = level.state();
        prop_assert_eq!((state.waiting, state.executing), (0, 0));
        prop_assert_eq!((state.seats_in_use, state.seats_waiting), (0, 0));
    }

    #[test]
    fn seats_are_not_exceeded(
        seats in 1..6u32,
        flows in vec((0..9u64, 1..5u32), 1..100),
    ) {
        let queuing = Queuing::Queue { queues: 8, hand_size: 2, queue_length_limit: 50 };
        let mut level = QueueSet::new(&QueueSetConfig { seats, queuing }, Duration::ZERO).unwrap();
        let mut executing = Vec::new();
        let mut now = Duration::ZERO;
        for (flow, width) in flows {
            now += Duration::from_micros(700);
            let _ = level.arrive(now, hash(flow), Work::seats(width));
            executing.extend(level.dispatched());
            let state = level.state();
            prop_assert!(state.seats_in_use <= seats.into() || state.executing == 1);
            // Seats stay free only for a request that does not fit.
            prop_assert!(state.waiting == 0 || state.seats_in_use > 0);
            if executing.len() > 3 {
                level.finish(now, executing.remove(0));
                executing.extend(level.dispatched());
            }
        }
    }

    #[test]
    fn a_mouse_is_not_behind_an_elephant(waiting in 1..50u64) {
        // The flows have hands without a common queue.
        let queuing = Queuing::Queue { queues: 64, hand_size: 1, queue_length_limit: 50 };
        let mut level = QueueSet::new(&QueueSetConfig { seats: 1, queuing }, Duration::ZERO).unwrap();
        let ms = Duration::from_millis;
        let (elephant, mouse) = (1, 2);
        for _ in 0..=waiting {
            let _ = level.arrive(ms(0), elephant, Work::seats(1));
        }
        let first = level.dispatched().next().unwrap();
        let Decision::Queued(small) = level.arrive(ms(1), mouse, Work::seats(1)) else { panic!() };
        level.finish(ms(10), first);
        let next = level.dispatched().next().unwrap();
        prop_assert_eq!(next, small, "the elephant has used its share");
    }
}
