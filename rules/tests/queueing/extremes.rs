//! Numbers and times at the edge of what is possible.

use super::{dispatched, ms, queued, queues};
use k8s_flowcontrol_rules::queueing::{
    Decision, QueueSet, QueueSetConfig, Queuing, Rejection, Work,
};
use std::time::Duration;

#[test]
fn a_level_without_seats() {
    let mut level = queues(0, 2, 1);
    queued(level.arrive(ms(0), 1, Work::seats(1)));
    queued(level.arrive(ms(1), 1, Work::seats(1)));
    let third = level.arrive(ms(2), 1, Work::seats(1));
    assert_eq!(third, Decision::Rejected(Rejection::QueueFull));
    let config = QueueSetConfig {
        seats: 0,
        queuing: Queuing::Reject,
    };
    let mut level = QueueSet::new(&config, ms(0)).unwrap();
    dispatched(level.arrive(ms(0), 1, Work::seats(1)));
    let second = level.arrive(ms(0), 1, Work::seats(1));
    assert_eq!(second, Decision::Rejected(Rejection::ConcurrencyLimit));
}

#[test]
fn hands_larger_than_queues_are_errors_and_change_nothing() {
    let queuing = |queues, hand_size| Queuing::Queue {
        queues,
        hand_size,
        queue_length_limit: 1,
    };
    for (queues, hand_size) in [(2, 3), (0, 1), (-1, 1), (4, 0), (512, 8)] {
        let config = QueueSetConfig {
            seats: 1,
            queuing: queuing(queues, hand_size),
        };
        assert!(QueueSet::new(&config, ms(0)).is_err());
        let mut level = self::queues(1, 2, 1);
        let before = level.state();
        assert!(level.reconfigure(ms(1), &config).is_err());
        assert_eq!(level.state(), before);
    }
}

#[test]
fn time_that_goes_back_stands_still() {
    let mut level = queues(1, 1, 50);
    let first = dispatched(level.arrive(ms(100), 1, Work::seats(1)));
    let second = queued(level.arrive(ms(50), 1, Work::seats(1)));
    let before = level.state().queues[0].next_dispatch_r;
    assert_eq!(level.finish(ms(0), first), None);
    assert!(level.dispatched().eq([first, second]));
    let state = level.state();
    assert_eq!(before.to_string(), "0.00300000ss");
    // The first request took no time, and the second one is charged with 3 ms.
    assert_eq!(state.queues[0].next_dispatch_r.to_string(), "0.00300000ss");
    assert!((state.queues[0].next_dispatch_r.as_f64() - 0.003).abs() < 1e-12);
}

#[test]
fn virtual_time_does_not_overflow() {
    let mut level = queues(u32::MAX, 1, 50);
    let years = Duration::from_secs(500 * 365 * 86_400);
    let wide = Work {
        initial_seats: u32::MAX,
        final_seats: u32::MAX,
        additional_latency: years,
    };
    let first = dispatched(level.arrive(ms(0), 1, wide));
    let second = queued(level.arrive(ms(0), 1, wide));
    level.finish(years, first);
    assert!(level.state().current_r.as_f64() < 1.5e11);
    level.advance(Duration::MAX);
    assert!(level.dispatched().eq([first, second]));
    level.finish(Duration::MAX, second);
    level.advance(Duration::MAX);
    assert_eq!(level.seat_demand(), 0);
}

#[test]
fn order_is_kept_when_virtual_time_is_set_back() {
    // A hundred million seats in one queue end an epoch after about half an hour.
    let mut level = queues(100_000_000, 2, 50);
    let all = Work::seats(100_000_000);
    let mut executing = dispatched(level.arrive(ms(0), 1, all));
    let mut waiting = queued(level.arrive(ms(0), 2, all));
    let mut highest = level.state().current_r;
    let mut was_set_back = false;
    for minutes in 1..200_u64 {
        let now = Duration::from_secs(60 * minutes);
        level.finish(now, executing);
        executing = waiting;
        assert_eq!(level.dispatched().next_back(), Some(executing));
        waiting = queued(level.arrive(now, minutes, all));
        let current = level.state().current_r;
        was_set_back |= current < highest;
        highest = current;
    }
    assert!(was_set_back);
}

#[test]
fn of_ten_million_queues_few_without_requests_are_kept() {
    let config = QueueSetConfig {
        seats: 2,
        queuing: Queuing::Queue {
            queues: 10_000_000,
            hand_size: 2,
            queue_length_limit: 1,
        },
    };
    let mut level = QueueSet::new(&config, ms(0)).unwrap();
    // It keeps its place among all the others.
    let long = dispatched(level.arrive(ms(0), u64::MAX, Work::seats(1)));
    let queue = level.queue(long).unwrap();
    let mut used = std::collections::BTreeSet::new();
    for flow in 0..25_000 {
        let hash = flow * 0x9e37_79b9_7f4a;
        let request = dispatched(level.arrive(ms(flow + 1), hash, Work::seats(1)));
        used.extend(level.queue(request));
        level.finish(ms(flow + 1), request);
    }
    assert!(used.len() > 20_000, "{}", used.len());
    let is_kept = |queue: &&u32| {
        let state = level.queue_state(**queue).unwrap();
        state.next_dispatch_r.as_f64() > 0.0
    };
    let kept = used.iter().filter(is_kept).count();
    assert!((1..=10_000).contains(&kept), "{kept}");
    let state = level.queue_state(queue).unwrap();
    assert_eq!((state.executing, state.seats_in_use), (1, 1));
    level.finish(ms(30_000), long);
    assert_eq!((level.executing(), level.seats_in_use()), (0, 0));
}

#[test]
fn unknown_ids_are_ignored() {
    let mut level = queues(1, 1, 50);
    let first = dispatched(level.arrive(ms(0), 1, Work::seats(1)));
    level.finish(ms(1), first);
    assert_eq!(level.finish(ms(2), first), None);
    assert!(!level.cancel(ms(2), first));
    let second = dispatched(level.arrive(ms(3), 1, Work::seats(1)));
    assert_eq!(first.slot(), second.slot());
    assert_ne!(first, second);
    level.finish(ms(4), first);
    assert_eq!(level.executing(), 1);
}

/// An unused queue does not take memory: otherwise the test would need more than 100 GB.
#[test]
fn a_level_may_have_ten_million_queues() {
    let config = QueueSetConfig {
        seats: 1,
        queuing: Queuing::Queue {
            queues: 10_000_000,
            hand_size: 2,
            queue_length_limit: 5,
        },
    };
    let mut levels: Vec<_> = (0..200)
        .map(|_| QueueSet::new(&config, ms(0)).unwrap())
        .collect();
    for level in &mut levels {
        let running = dispatched(level.arrive(ms(0), 1, Work::seats(1)));
        for flow in 0..20 {
            queued(level.arrive(ms(1), flow << 40, Work::seats(1)));
        }
        assert_eq!((level.queue_count(), level.waiting()), (10_000_000, 20));
        level.finish(ms(2), running);
        assert_eq!(level.executing(), 1);
        let used = level.hand(1)[0];
        assert!(level.queue_state(used).is_some());
        assert!(level.queue_state(10_000_000).is_none());
        // Fewer queues: all but those in use are gone at once, or as their requests end.
        level
            .reconfigure(
                ms(3),
                &QueueSetConfig {
                    seats: 100,
                    queuing: Queuing::Reject,
                },
            )
            .unwrap();
        assert_eq!(level.waiting(), 0);
    }
}
