//! Load files: the same load or error each time, and every load that is accepted can be simulated for a while.

use k8s_flowcontrol_analysis::simulation::{Arrivals, LoadFile, simulate};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds};
use k8s_flowcontrol_types::Release;
use std::time::Duration;

/// More requests than this take too long for a fuzzer.
const MOST: f64 = 200.0;

pub(crate) fn check(input: &[u8]) {
    let file = match (LoadFile::read(input), LoadFile::read(input)) {
        (Ok(file), Ok(_)) => file,
        (Err(error), Err(again)) => {
            assert_eq!(error, again);
            assert!(!error.to_string().is_empty());
            return;
        }
        (first, second) => panic!("{first:?} and {second:?}"),
    };
    let release = Release::NEWEST;
    let Ok(server) = FlowController::new(&[], &[], 600, release, Duration::ZERO) else {
        return;
    };
    let bounds = LevelBounds::new(&[], 600, release);
    let mut load = file.load(&server, &bounds, &Estimator::new(release));
    load.duration = load.duration.min(Duration::from_millis(100));
    load.clients.truncate(3);
    for client in &mut load.clients {
        client.users.truncate(5);
        match &mut client.arrivals {
            Arrivals::Open { per_second } => *per_second = per_second.min(MOST),
            Arrivals::Closed { clients, think } => {
                *clients = (*clients).min(5);
                *think = (*think).max(Duration::from_millis(10));
            }
            other => panic!("a load file gave {other:?}"),
        }
    }
    let sent = simulate(server, &load, 1, |_| ());
    for level in &sent.levels {
        let counts = &level.counts;
        assert!(counts.dispatched + counts.rejected <= 100_000, "{counts:?}");
    }
}
