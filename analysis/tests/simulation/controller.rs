//! Levels of one server.

use super::{get_pods, level, schema, user};
use k8s_flowcontrol_rules::controller::{
    ADJUSTMENT_PERIOD, Admission, FlowController, Ticket, wait_limit,
};
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_types::Release;
use std::time::Duration;

const fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

fn controller(release: Release) -> FlowController {
    let levels = [level("batch", 20, 8, 50), level("web", 75, 8, 50)];
    let schemas = [
        schema("batch", "batch", "batch"),
        schema("web", "web", "web"),
    ];
    FlowController::new(&schemas, &levels, 100, release, ms(0)).unwrap()
}

fn limit(controller: &FlowController, name: &str) -> i64 {
    controller
        .levels()
        .find(|level| level.name == name)
        .unwrap()
        .limit
}

fn send(controller: &mut FlowController, now: Duration, group: &str) -> Admission {
    let request = get_pods(user("alice", group));
    let flow = controller.classify(&request).unwrap();
    let (level, hash) = (
        controller.level(flow.priority_level).unwrap(),
        flow.flow_hash(),
    );
    controller.arrive(now, level, hash, Work::seats(1))
}

fn ticket(admission: Admission) -> Ticket {
    match admission {
        Admission::Dispatched(ticket) | Admission::Queued(ticket) => ticket,
        Admission::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

#[test]
fn a_busy_level_borrows_after_ten_seconds() {
    let mut server = controller(Release::NEWEST);
    let at_first = limit(&server, "batch");
    for _ in 0..60 {
        let _ = ticket(send(&mut server, ms(1), "batch"));
    }
    assert_eq!(server.dispatched().len() as i64, at_first.min(60));
    assert_eq!(server.next_event(), ADJUSTMENT_PERIOD);
    server.advance(ADJUSTMENT_PERIOD);
    let borrowed = limit(&server, "batch");
    assert!(
        borrowed > server.limits().level("batch").unwrap().nominal,
        "{borrowed}"
    );
    assert!(
        server.dispatched().len() > 0,
        "the borrowed seats are used at once"
    );
    let demand = server
        .levels()
        .find(|level| level.name == "batch")
        .unwrap()
        .demand;
    assert_eq!(demand.high_watermark, 60);
}

#[test]
fn servers_before_1_26_do_not_borrow() {
    let mut server = controller(Release::new(25).unwrap());
    let nominal = limit(&server, "batch");
    for _ in 0..60 {
        let _ = ticket(send(&mut server, ms(1), "batch"));
    }
    server.advance(ms(30_000));
    assert_eq!(limit(&server, "batch"), nominal);
}

#[test]
fn a_removed_level_drains() {
    let mut server = controller(Release::NEWEST);
    let old = ticket(send(&mut server, ms(1), "batch"));
    server.configure(ms(2), &[], &[]).unwrap();
    let batch = server.levels().find(|level| level.name == "batch").unwrap();
    assert!(batch.is_quiescing && batch.queues.executing() == 1);
    let new = ticket(send(&mut server, ms(3), "batch"));
    assert_ne!(new.level, old.level, "catch-all has it now");
    server.finish(ms(4), old);
    let batch = server.levels().find(|level| level.name == "batch").unwrap();
    assert_eq!(batch.queues.executing(), 0);
    server
        .configure(
            ms(5),
            &[schema("batch", "batch", "batch")],
            &[level("batch", 20, 8, 50)],
        )
        .unwrap();
    assert_eq!(ticket(send(&mut server, ms(6), "batch")).level, old.level);
}

/// The removed level counts until its last request ends, and the others get its seats then.
#[test]
fn a_removed_level_keeps_its_shares_until_it_is_drained() {
    let mut server = controller(Release::NEWEST);
    let nominal = |server: &FlowController, name: &str| {
        let limits = server.limits().level(name);
        limits.map(|limits| limits.nominal)
    };
    assert_eq!(nominal(&server, "web"), Some(75));
    let old = ticket(send(&mut server, ms(1), "batch"));
    let web = ([schema("web", "web", "web")], [level("web", 75, 8, 50)]);
    server.configure(ms(2), &web.0, &web.1).unwrap();
    assert_eq!(nominal(&server, "batch"), Some(20));
    assert_eq!(nominal(&server, "web"), Some(75));
    server.finish(ms(3), old);
    assert_eq!(nominal(&server, "batch"), None);
    assert_eq!(nominal(&server, "web"), Some(94));
    assert!(limit(&server, "web") >= 94 - 47);
    assert_eq!(server.level("batch"), None);
    // A new level of the same name starts again, in the same place.
    server.advance(ms(30_000));
    let both = [level("batch", 20, 8, 50), level("web", 75, 8, 50)];
    server.configure(ms(30_000), &web.0, &both).unwrap();
    assert_eq!(server.level("batch"), Some(old.level));
    let state = server.levels().nth(old.level.index()).unwrap();
    assert_eq!(state.demand.smoothed, 0.0);
    assert_eq!(nominal(&server, "batch"), Some(20));
}

/// A server keeps the settings of the level exempt while its object is missing.
#[test]
fn a_missing_mandatory_level_is_as_it_was() {
    let mut exempt = k8s_flowcontrol_rules::bootstrap::priority_levels(Release::NEWEST)
        .into_iter()
        .find(|level| level.metadata.name.as_deref() == Some("exempt"))
        .unwrap();
    exempt
        .spec
        .exempt
        .as_mut()
        .unwrap()
        .nominal_concurrency_shares = Some(95);
    let mut server = FlowController::new(&[], &[exempt], 100, Release::NEWEST, ms(0)).unwrap();
    assert_eq!(server.limits().level("exempt").unwrap().nominal, 95);
    server.configure(ms(1), &[], &[]).unwrap();
    assert_eq!(server.limits().level("exempt").unwrap().nominal, 95);
}

#[test]
fn an_invalid_configuration_changes_nothing() {
    let mut server = controller(Release::NEWEST);
    let before = server.limits().clone();
    let mut wrong = level("batch", 1, 8, 50);
    let queuing = wrong
        .spec
        .limited
        .as_mut()
        .unwrap()
        .limit_response
        .queuing
        .as_mut()
        .unwrap();
    queuing.hand_size = Some(9);
    assert!(server.configure(ms(1), &[], &[wrong]).is_err());
    assert_eq!(*server.limits(), before);
}

#[test]
fn requests_are_canceled_and_finished_once() {
    let mut server = FlowController::new(&[], &[], 0, Release::NEWEST, ms(0)).unwrap();
    let request = get_pods(user("alice", "any"));
    let flow = server.classify(&request).unwrap();
    let level = server.level(flow.priority_level).unwrap();
    let hash = flow.flow_hash();
    let Admission::Dispatched(first) = server.arrive(ms(0), level, hash, Work::seats(1)) else {
        panic!("catch-all executes one request without seats")
    };
    let Admission::Rejected(_) = server.arrive(ms(0), level, hash, Work::seats(1)) else {
        panic!("and rejects the others")
    };
    assert!(!server.cancel(ms(1), first));
    server.finish(ms(1), first);
    server.finish(ms(1), first);
    assert!(server.levels().all(|level| level.queues.executing() == 0));
}

#[test]
fn clocks_may_jump() {
    let mut server = controller(Release::NEWEST);
    let first = ticket(send(&mut server, ms(100_000), "web"));
    let second = ticket(send(&mut server, ms(1), "web"));
    server.finish(ms(50), first);
    server.advance(Duration::from_secs(100 * 365 * 86_400));
    server.finish(ms(1), second);
    server.advance(Duration::MAX);
    assert!(server.levels().all(|level| level.queues.seat_demand() == 0));
}

#[test]
fn a_quarter_of_the_deadline() {
    assert_eq!(wait_limit(ms(60_000)), ms(15_000));
    assert_eq!(wait_limit(ms(2_000)), ms(500));
    assert_eq!(wait_limit(Duration::MAX), ms(60_000));
    // Before 1.29 all requests had the same limit.
    let limits = |minor| {
        let server = controller(Release::new(minor).unwrap());
        [2_000, 60_000].map(|deadline| server.wait_limit(ms(deadline)))
    };
    assert_eq!(limits(28), [ms(2_000), ms(15_000)]);
    assert_eq!(limits(29), [ms(500), ms(15_000)]);
}
