//! The limits of a server whose configuration changes.

use k8s_flowcontrol_rules::controller::{ADJUSTMENT_PERIOD, FlowController};
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

const SEATS: u32 = 600;

fn level(shares: i32, response: &Value) -> [PriorityLevelConfiguration; 1] {
    let limited = json!({"nominalConcurrencyShares": shares, "limitResponse": response});
    let level =
        json!({"metadata": {"name": "batch"}, "spec": {"type": "Limited", "limited": limited}});
    [serde_json::from_value(level).unwrap()]
}

fn queues() -> Value {
    json!({"type": "Queue", "queuing": {"queues": 64, "handSize": 8, "queueLengthLimit": 50}})
}

fn server(levels: &[PriorityLevelConfiguration]) -> FlowController {
    FlowController::new(&[], levels, SEATS, Release::NEWEST, Duration::ZERO).unwrap()
}

#[test]
fn a_change_of_the_configuration_does_not_move_the_next_adjustment() {
    let mut server = server(&[]);
    let change = Duration::from_secs(4);
    server
        .configure(change, &[], &level(10, &queues()))
        .unwrap();
    assert_eq!(server.next_event(), ADJUSTMENT_PERIOD);
    server.advance(ADJUSTMENT_PERIOD);
    assert_eq!(server.next_event(), 2 * ADJUSTMENT_PERIOD);
}

#[test]
fn a_level_that_does_not_queue_any_more_keeps_its_bound() {
    let mut server = server(&level(15, &queues()));
    let batch = server.level("batch").unwrap();
    // 15 of 20 shares are 450 seats, of which a queue of a hand has 56.
    assert_eq!(server.max_seats(batch), Some(56));

    let reject = json!({"type": "Reject"});
    server
        .configure(Duration::ZERO, &[], &level(1, &reject))
        .unwrap();
    assert_eq!(server.max_seats(batch), Some(56));

    server
        .configure(Duration::ZERO, &[], &level(1, &queues()))
        .unwrap();
    assert_eq!(server.max_seats(batch), Some(12));

    // A level that never queued does not have a bound.
    server.configure(Duration::ZERO, &[], &[]).unwrap();
    server
        .configure(Duration::ZERO, &[], &level(1, &reject))
        .unwrap();
    let batch = server.level("batch").unwrap();
    assert_eq!(server.max_seats(batch), None);
}

/// A server that takes the demand of another one continues with its limits.
#[test]
fn limits_follow_from_the_demand_of_another_server() {
    let levels = level(10, &queues());
    let mut busy = server(&levels);
    let batch = busy.level("batch").unwrap();
    for _ in 0..500 {
        let _ = busy.arrive(Duration::ZERO, batch, 0, Work::seats(1));
    }
    busy.advance(ADJUSTMENT_PERIOD);
    let of = |server: &FlowController| {
        let levels = server.levels();
        let of = levels.map(|level| (level.name.to_owned(), (level.limit, level.demand)));
        of.collect::<HashMap<_, _>>()
    };
    let mut other = server(&levels);
    assert_ne!(of(&other), of(&busy));
    let demand = of(&busy);
    other.set_demand(Duration::ZERO, |level| Some(demand.get(level)?.1));
    assert_eq!(of(&other), of(&busy));
    assert_eq!(other.next_event(), ADJUSTMENT_PERIOD);
}
