//! Single decisions.

use super::{dispatched, ms, queued, queues};
use k8s_flowcontrol_rules::defaults::Defaulted;
use k8s_flowcontrol_rules::queueing::{
    Decision, QueueSet, QueueSetConfig, Queuing, Rejection, Work,
};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use serde_json::json;

#[test]
fn a_full_queue_rejects() {
    let mut level = queues(1, 1, 1);
    let first = dispatched(level.arrive(ms(0), 1, Work::seats(1)));
    let second = queued(level.arrive(ms(1), 1, Work::seats(1)));
    let third = level.arrive(ms(2), 2, Work::seats(1));
    assert_eq!(third, Decision::Rejected(Rejection::QueueFull));
    assert_eq!((level.waiting(), level.executing()), (1, 1));
    assert_eq!(
        (level.place(first), level.place(second)),
        (None, Some((0, 0)))
    );
    assert_eq!(
        (level.queue(first), level.queue(second)),
        (Some(0), Some(0))
    );
    assert_eq!(level.hand(7), [0]);
    assert!(level.cancel(ms(3), second));
    assert_eq!(level.queue(second), None);
    assert!(!level.cancel(ms(3), first), "it executes");
    queued(level.arrive(ms(4), 2, Work::seats(1)));
}

#[test]
fn the_queue_of_the_hand_with_the_least_work_takes_a_request() {
    let mut level = queues(1, 3, 50);
    let running = dispatched(level.arrive(ms(0), 0, Work::seats(1)));
    let waiting: Vec<_> = (1..=6)
        .map(|at| queued(level.arrive(ms(at), 0, Work::seats(1))))
        .collect();
    let state = level.state();
    assert!(state.queues.iter().all(|queue| queue.waiting == 2));
    level.finish(ms(10), running);
    assert_eq!(level.dispatched().len(), 2);
    // The work of a wide request counts for its seats.
    queued(level.arrive(ms(11), 0, Work::seats(1)));
    queued(level.arrive(ms(12), 0, Work::seats(5)));
    let work: Vec<_> = level
        .state()
        .queues
        .iter()
        .map(|queue| queue.waiting_work.to_string())
        .collect();
    assert_eq!(
        work.iter().filter(|work| *work == "0.02100000ss").count(),
        1,
        "{work:?}"
    );
    assert_eq!(waiting.len(), 6);
}

#[test]
fn a_wide_request_waits_for_room_and_others_behind_it() {
    let mut level = queues(4, 1, 50);
    let three = dispatched(level.arrive(ms(0), 1, Work::seats(3)));
    let wide = queued(level.arrive(ms(1), 1, Work::seats(4)));
    let narrow = queued(level.arrive(ms(2), 1, Work::seats(1)));
    level.finish(ms(3), three);
    assert!(level.dispatched().eq([three, wide]));
    level.finish(ms(4), wide);
    assert!(level.dispatched().eq([narrow]));
}

#[test]
fn a_request_wider_than_the_level_executes_alone() {
    let mut level = queues(2, 1, 50);
    let one = dispatched(level.arrive(ms(0), 1, Work::seats(1)));
    let wide = queued(level.arrive(ms(1), 1, Work::seats(9)));
    level.finish(ms(2), one);
    assert!(level.dispatched().eq([one, wide]));
    assert_eq!(level.seats_in_use(), 9);
}

#[test]
fn final_seats_are_occupied_after_the_end() {
    let mut level = queues(3, 1, 50);
    let write = Work {
        initial_seats: 1,
        final_seats: 6,
        additional_latency: ms(5),
    };
    let first = dispatched(level.arrive(ms(0), 1, write));
    assert_eq!(level.seats_in_use(), 3, "reduced to the level's seats");
    let waits = queued(level.arrive(ms(1), 1, Work::seats(1)));
    // Half of the seats for twice the time.
    assert_eq!(level.finish(ms(10), first), Some(ms(20)));
    assert_eq!((level.executing(), level.seats_in_use()), (0, 3));
    assert_eq!(level.next_event(), Some(ms(20)));
    level.advance(ms(19));
    assert_eq!(level.waiting(), 1);
    level.advance(ms(20));
    assert!(level.dispatched().eq([first, waits]));
    assert_eq!(level.next_event(), None);
}

#[test]
fn events_in_between_happen_at_their_time() {
    let mut level = queues(1, 1, 50);
    let write = Work {
        initial_seats: 1,
        final_seats: 1,
        additional_latency: ms(5),
    };
    let first = dispatched(level.arrive(ms(0), 1, write));
    let second = queued(level.arrive(ms(0), 1, Work::seats(1)));
    level.finish(ms(1), first);
    // The additional latency ended at 6 ms, so the second request executes and cannot be canceled any more.
    assert!(!level.cancel(ms(7), second));
    assert!(level.dispatched().eq([first, second]));
}

#[test]
fn a_level_without_queues_rejects() {
    let config = QueueSetConfig {
        seats: 2,
        queuing: Queuing::Reject,
    };
    let mut level = QueueSet::new(&config, ms(0)).unwrap();
    dispatched(level.arrive(ms(0), 1, Work::seats(1)));
    let wide = level.arrive(ms(0), 1, Work::seats(2));
    assert_eq!(wide, Decision::Rejected(Rejection::ConcurrencyLimit));
    dispatched(level.arrive(ms(0), 1, Work::seats(1)));
    assert_eq!(Rejection::ConcurrencyLimit.reason(), "concurrency-limit");
    assert_eq!(Rejection::QueueFull.reason(), "queue-full");
}

#[test]
fn an_exempt_level_counts() {
    let config = QueueSetConfig {
        seats: 0,
        queuing: Queuing::Exempt,
    };
    let mut level = QueueSet::new(&config, ms(0)).unwrap();
    let ids: Vec<_> = (0..100)
        .map(|flow| dispatched(level.arrive(ms(0), flow, Work::seats(3))))
        .collect();
    assert_eq!((level.executing(), level.seat_demand()), (100, 300));
    for id in ids {
        level.finish(ms(1), id);
    }
    assert_eq!((level.executing(), level.seat_demand()), (0, 0));
}

/// A server adds a waiting request with all of its seats to the demand, and takes it away with those that are left after the dispatch.
#[test]
fn seats_that_a_dispatch_takes_from_a_request_stay_demand() {
    let mut level = queues(2, 8, 50);
    let work = Work {
        initial_seats: 1,
        final_seats: 5,
        additional_latency: ms(5),
    };
    for (round, demand) in [(0, 5), (1, 8), (2, 11)] {
        let id = dispatched(level.arrive(ms(100 * round), 1, work));
        assert_eq!((level.seats_in_use(), level.seats_waiting()), (2, 0));
        assert_eq!(level.seat_demand(), demand);
        level.finish(ms(100 * round + 1), id);
        level.advance(ms(100 * round + 50));
        assert_eq!((level.seats_in_use(), level.seat_demand()), (0, demand - 2));
    }
}

#[test]
fn surplus_queues_drain() {
    let mut level = queues(1, 8, 50);
    let mut executing = dispatched(level.arrive(ms(0), 1, Work::seats(1)));
    for flow in 0..16 {
        queued(level.arrive(ms(1), flow, Work::seats(1)));
    }
    let fewer = QueueSetConfig {
        seats: 1,
        queuing: Queuing::Queue {
            queues: 2,
            hand_size: 1,
            queue_length_limit: 50,
        },
    };
    level.reconfigure(ms(2), &fewer).unwrap();
    assert_eq!(level.state().queues.len(), 8);
    level.dispatched();
    for end in 3..19 {
        level.finish(ms(end), executing);
        executing = level.dispatched().next().expect("another request waits");
    }
    level.finish(ms(19), executing);
    assert_eq!(level.waiting(), 0);
    assert_eq!(level.state().queues.len(), 2);
}

#[test]
fn a_surplus_queue_stays_while_final_seats_are_occupied() {
    let mut level = queues(8, 4, 50);
    let write = Work {
        initial_seats: 1,
        final_seats: 2,
        additional_latency: ms(100),
    };
    let ids: Vec<_> = (0..4)
        .map(|_| dispatched(level.arrive(ms(0), 7, write)))
        .collect();
    let one = QueueSetConfig {
        seats: 8,
        queuing: Queuing::Queue {
            queues: 1,
            hand_size: 1,
            queue_length_limit: 50,
        },
    };
    level.reconfigure(ms(1), &one).unwrap();
    for id in ids {
        level.finish(ms(2), id);
    }
    assert_eq!(level.state().queues.len(), 4);
    level.advance(ms(102));
    let state = level.state();
    assert_eq!((state.queues.len(), state.seats_in_use), (1, 0));
}

#[test]
fn requests_that_wait_are_dispatched_when_the_level_becomes_exempt() {
    let mut level = queues(0, 1, 50);
    let waiting = queued(level.arrive(ms(0), 1, Work::seats(1)));
    let exempt = QueueSetConfig {
        seats: 0,
        queuing: Queuing::Exempt,
    };
    level.reconfigure(ms(1), &exempt).unwrap();
    assert!(level.dispatched().eq([waiting]));
}

#[test]
fn the_configuration_comes_from_the_level() {
    let read = |spec| {
        let object = json!({"metadata": {"name": "a"}, "spec": spec});
        let level: PriorityLevelConfiguration = serde_json::from_value(object).unwrap();
        Queuing::of_level(&level.defaulted(Release::NEWEST))
    };
    assert_eq!(read(json!({"type": "Exempt"})), Queuing::Exempt);
    let reject = json!({"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}});
    assert_eq!(read(reject), Queuing::Reject);
    let queue = json!({"type": "Limited", "limited": {"limitResponse": {
        "type": "Queue", "queuing": {"queues": 16, "handSize": 4}}}});
    let expected = Queuing::Queue {
        queues: 16,
        hand_size: 4,
        queue_length_limit: 50,
    };
    assert_eq!(read(queue.clone()), expected);
    let level: PriorityLevelConfiguration =
        serde_json::from_value(json!({"metadata": {"name": "a"}, "spec": queue})).unwrap();
    let config = QueueSetConfig::of_level(&level.defaulted(Release::NEWEST), 7);
    assert_eq!((config.seats, config.queuing), (7, expected));
}
