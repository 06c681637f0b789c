//! A change of the configuration, simulated over the audit logs before it is advised.

use crate::commands::simulate::audit::Logs;
use crate::failure::Failure;
use k8s_flowcontrol::rules::controller::FlowController;
use k8s_flowcontrol_analysis::diagnosis::{Change, Evidence, Finding, Scope, server_seats};
use k8s_flowcontrol_analysis::simulation::Recording;
use std::time::Duration;

/// Audit logs that can be simulated; none if the seats of the server are unknown.
pub(super) fn logs(evidence: &Evidence) -> Option<Logs> {
    let (schemas, levels) = (&evidence.flow_schemas, &evidence.priority_levels);
    let seats = server_seats(evidence)?;
    let recording = Recording::of_objects(schemas, levels, seats, evidence.release);
    let mut recording = recording.ok()?;
    if let [server] = &evidence.servers[..] {
        recording.set_counted_waits(server.counted_waits());
    }
    Some(Logs::new(recording))
}

/// The finding about the change that may help; none if no request waits long.
pub(super) fn simulated(
    logs: Logs,
    evidence: &Evidence,
    scope: &Scope<'_>,
) -> Result<Option<Finding>, Failure> {
    let mut chosen = None;
    let reports = logs.changed(|base, report| {
        let seats = server_seats(evidence)?;
        let change = Change::new(evidence, scope, seats, report)?;
        let server = FlowController::new(
            &evidence.flow_schemas,
            &change.priority_levels,
            seats,
            evidence.release,
            Duration::ZERO,
        );
        chosen = Some(change);
        base.on(server.ok()?)
    })?;
    let found = chosen.zip(reports);
    Ok(found.map(|(change, [before, after])| change.finding(evidence, scope, [&before, &after])))
}
