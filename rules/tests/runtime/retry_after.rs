//! The header `Retry-After` of rejections.

use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_types::Release;
use std::time::Duration;

/// The values of the last rejection in each of these seconds, of a level that rejects so many requests in them.
fn values(server: &mut FlowController, rejections: &[(u64, u64)]) -> Vec<u64> {
    let level = server.level("catch-all").unwrap();
    let mut last_of_each = Vec::new();
    for (second, count) in rejections {
        let at = Duration::from_secs(*second);
        let all = (0..*count).map(|_| server.reject(at, level).as_secs());
        last_of_each.extend(all.last());
    }
    last_of_each
}

fn server(release: Release) -> FlowController {
    FlowController::new(&[], &[], 30, release, Duration::ZERO).unwrap()
}

/// The seconds and counts come from the recorded run in the tests of the simulation. The pauses of its clients are these values.
#[test]
fn it_grows_as_in_a_recorded_run() {
    let mut server = server(Release::NEWEST);
    let recorded = [
        (16, 9),
        (17, 10),
        (19, 9),
        (20, 1),
        (23, 9),
        (24, 1),
        (27, 9),
    ];
    assert_eq!(values(&mut server, &recorded), [1, 2, 4, 4, 4, 4, 4]);
}

#[test]
fn it_falls_by_one_with_each_second_of_few_rejections() {
    let mut server = server(Release::NEWEST);
    let many = [
        (10, 9),
        (11, 9),
        (13, 9),
        (14, 9),
        (15, 9),
        (16, 9),
        (17, 9),
    ];
    assert_eq!(values(&mut server, &many), [1, 2, 4, 4, 4, 4, 8]);
    assert_eq!(values(&mut server, &[(30, 1), (31, 1), (60, 1)]), [7, 6, 5]);
    // A long time without a rejection does not change it by itself.
    assert_eq!(values(&mut server, &[(10_000, 1)]), [4]);
}

/// It stays while the rejections of the last seconds are unknown, and then falls or grows as usual.
#[test]
fn it_can_go_on_from_a_log() {
    let of_log = |release, rejections: &[(u64, u64)]| {
        let mut server = server(release);
        let level = server.level("catch-all").unwrap();
        server.set_retry_after(level, Duration::from_secs(4));
        values(&mut server, rejections)
    };
    let few = [(100, 1), (101, 1), (103, 1), (104, 1), (105, 1)];
    assert_eq!(of_log(Release::NEWEST, &few), [4, 4, 4, 3, 2]);
    let many = [(100, 9), (101, 9), (103, 9), (104, 9)];
    assert_eq!(of_log(Release::NEWEST, &many), [4, 4, 4, 8]);
    assert_eq!(of_log(Release::nearest(27), &many), [1, 1, 1, 1]);
}

#[test]
fn it_is_bounded_and_belongs_to_one_level() {
    let flood: Vec<_> = (100..400).map(|second| (second, 200)).collect();
    let mut server = server(Release::NEWEST);
    assert_eq!(values(&mut server, &flood).last(), Some(&32));
    let other = server.level("exempt").unwrap();
    assert_eq!(server.reject(Duration::from_secs(400), other).as_secs(), 1);
    // The clock may stand still, or go back.
    assert_eq!(values(&mut server, &[(5, 1)]).len(), 1);
}

#[test]
fn it_is_constant_before_1_28() {
    let flood: Vec<_> = (100..400).map(|second| (second, 200)).collect();
    let mut server = server("1.27".parse().unwrap());
    assert!(values(&mut server, &flood).iter().all(|value| *value == 1));
}
