//! Follows requests through flow control: their flow schema, the seats that they take and that there are, the requests of an audit log, and
//! a load that waits.
//!
//! `cargo run --example requests` does not need a server.

use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::bootstrap;
use k8s_flowcontrol::rules::controller::FlowController;
use k8s_flowcontrol::rules::limits::ServerLimits;
use k8s_flowcontrol::rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol::rules::seats::{Estimator, LevelBounds};
use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::simulation::{LoadFile, simulate};
use k8s_flowcontrol_analysis::traffic::{Accounting, Traffic};
use std::error::Error;
use std::time::Duration;

/// The seats of a server with default flags.
const SEATS: u32 = 600;

const LOG: &str = r#"{"kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "7", "stage": "ResponseComplete", "verb": "list", "requestURI": "/api/v1/nodes", "user": {"username": "alice", "groups": ["system:authenticated"]}, "objectRef": {"resource": "nodes"}, "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:02.000000Z"}
"#;

const LOAD: &[u8] = b"
duration: 10s
clients:
- {user: alice, groups: [dev], verb: list, resource: pods, clients: 200, executes: 100ms, objects: 40000, objectSize: 10240}
";

fn main() -> Result<(), Box<dyn Error>> {
    let release: Release = "1.36".parse()?;
    // The objects that every server has; a program can add its own.
    let schemas = bootstrap::flow_schemas(release);
    let levels = bootstrap::priority_levels(release);

    let user = User::authenticated("alice", ["dev"]);
    let request = RequestAttributes::from_http("GET", "/api/v1/pods", user)?;
    let classifier = Classifier::new(&schemas, &levels, release);
    if let Some(taken) = classifier.classify(&request) {
        let limits = ServerLimits::new(&levels, SEATS, release);
        let level = limits.level(taken.priority_level);
        let nominal = level.map_or(0, |level| level.nominal);
        println!(
            "{} at {}: {nominal} of {SEATS} seats",
            taken.flow_schema, taken.priority_level
        );
    }

    let accounting = Accounting::new(&schemas, &levels, SEATS, release);
    let (mut traffic, mut log) = (Traffic::new(&accounting), AuditLog::new());
    traffic.begin_log();
    log.read(LOG.as_bytes(), |event| {
        traffic.add(event, accounting.sample(event));
        Ok::<(), std::io::Error>(())
    })?;
    for level in traffic.report().priority_levels {
        println!("{}: {} seat-seconds", level.name, level.sums.seat_seconds);
    }

    let server = FlowController::new(&schemas, &levels, SEATS, release, Duration::ZERO)?;
    let bounds = LevelBounds::new(&levels, SEATS, release);
    let load = LoadFile::read(LOAD)?.load(&server, &bounds, &Estimator::new(release));
    let report = simulate(server, &load, 1, |_| ());
    for level in report
        .levels
        .iter()
        .filter(|level| level.counts.arrived > 0)
    {
        println!(
            "{}: {} requests, {} rejected, 99 of 100 wait at most {:?}",
            level.name,
            level.counts.arrived,
            level.counts.rejected,
            level.waits.percentile(99.0)
        );
    }
    Ok(())
}
