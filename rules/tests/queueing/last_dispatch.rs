//! The last dispatch, as the metrics of a server show it.

use k8s_flowcontrol_rules::queueing::{Decision, QueueSet, QueueSetConfig, Queuing, Work};
use std::time::Duration;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn queue_set() -> QueueSet {
    let queuing = Queuing::Queue {
        queues: 4,
        hand_size: 1,
        queue_length_limit: 5,
    };
    QueueSet::new(&QueueSetConfig { seats: 1, queuing }, ms(0)).unwrap()
}

fn is_queued(decision: Decision) -> bool {
    matches!(decision, Decision::Queued(_))
}

#[test]
fn the_last_dispatch_and_the_bounds_of_the_queues() {
    let mut set = queue_set();
    set.keep_last_dispatch();
    assert_eq!(set.last_dispatch(), None);
    let Decision::Dispatched(first) = set.arrive(ms(10), 0, Work::seats(1)) else {
        panic!("a seat is free")
    };
    assert!(is_queued(set.arrive(ms(20), 0, Work::seats(1))));
    // Another queue: now virtual time passes at half the speed.
    assert!(is_queued(set.arrive(ms(50), 1, Work::seats(1))));
    set.finish(ms(210), first);
    let last = set.last_dispatch().unwrap();
    let seconds = [
        last.r,
        last.start_r,
        last.start_bounds.0,
        last.start_bounds.1,
        last.discounted_bounds.0,
        last.discounted_bounds.1,
    ];
    // The queue of the second request was charged for the first one, from the arrival of the second one on.
    let expected = [0.12, 0.04, 0.04, 0.207, 0.04, 0.207];
    for (found, expected) in seconds.into_iter().zip(expected) {
        assert!((found.as_f64() - expected).abs() < 1e-6, "{last:?}");
    }
}

#[test]
fn nothing_is_kept_unasked() {
    let mut set = queue_set();
    assert!(!is_queued(set.arrive(ms(10), 0, Work::seats(1))));
    assert_eq!(set.last_dispatch(), None);
}
