//! The prediction for the requests that were sent, beside what became of them.

use crate::cluster::{Cluster, Configuration, GROUP, NAME};
use crate::load::Sent;
use crate::support::Failure;
use k8s_flowcontrol::rules::controller::FlowController;
use k8s_flowcontrol::rules::matching::{RequestAttributes, User};
use k8s_flowcontrol::rules::seats::{Estimator, LevelBounds, Stored};
use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::simulation::{Recorded, Recording, Report, Waits};
use serde_json::json;
use std::time::Duration;

/// Prints a table, and returns whether the rejections of each user and of the level are within 15 % or 10 requests of the prediction.
///
/// The simulation gets the times at which requests were sent and the execution time that was measured before, not the waits and rejections.
pub(crate) fn compare(
    server: &Configuration,
    cluster: &Cluster,
    sent: &[Sent],
    execution: Duration,
) -> Result<bool, Failure> {
    let report = simulate(server, cluster, sent, execution)?;
    println!(
        "{:<16}{:>9}{:>10}{:>11}{:>10}{:>11}{:>10}{:>11}",
        "USER",
        "REQUESTS",
        "REJECTED",
        "predicted",
        "WAIT P50",
        "predicted",
        "WAIT P99",
        "predicted"
    );
    for (index, user) in cluster.users.iter().enumerate() {
        let requests = sent.iter().filter(|sent| sent.user == index).count();
        let flow = report
            .flows
            .iter()
            .find(|flow| flow.flow_schema == NAME && flow.flow_distinguisher == *user)
            .ok_or_else(|| {
                format!("the requests of {user} have another flow schema than {NAME}")
            })?;
        let (observed, counts) = (&flow.observed, &flow.counts);
        println!(
            "{user:<16}{requests:>9}{:>10}{:>11}{:>10}{:>11}{:>10}{:>11}",
            observed.rejected,
            counts.rejected + counts.timed_out,
            milliseconds(&observed.waits, 50.0),
            milliseconds(&flow.waits, 50.0),
            milliseconds(&observed.waits, 99.0),
            milliseconds(&flow.waits, 99.0),
        );
    }
    let predictions = report.predictions();
    Ok(predictions
        .iter()
        .all(|prediction| prediction.is_rejected_within_limits()))
}

fn milliseconds(waits: &Waits, percent: f64) -> String {
    format!("{} ms", waits.percentile(percent).as_millis())
}

fn simulate(
    server: &Configuration,
    cluster: &Cluster,
    sent: &[Sent],
    execution: Duration,
) -> Result<Report, Failure> {
    let (levels, seats, release) = (&server.levels, server.seats, server.release);
    let controller = FlowController::new(&server.schemas, levels, seats, release, Duration::ZERO)?;
    let bounds = LevelBounds::new(levels, seats, release);
    let mut recording = Recording::new(controller, bounds, Estimator::new(release));
    let mut requests = Vec::new();
    for sent in sent {
        let user = &cluster.users[sent.user];
        let attributes =
            RequestAttributes::from_http("GET", &cluster.path, User::authenticated(user, [GROUP]))?;
        let Some(mut request) = add(&mut recording, sent, user, &attributes)? else {
            continue;
        };
        request.execution = Some(execution);
        request.observed = Some(sent.took.saturating_sub(execution));
        request.took = Some(sent.took);
        request.rejected = sent.is_rejected;
        requests.push(request);
    }
    Ok(recording.replay(requests, |_| ()))
}

/// Adds a request as the audit log of the server would have it.
fn add(
    recording: &mut Recording,
    sent: &Sent,
    user: &str,
    attributes: &RequestAttributes,
) -> Result<Option<Recorded>, Failure> {
    // The day does not matter: the simulation begins with the first request.
    let event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "replay", "stage": "ResponseComplete", "verb": "get",
        "requestURI": "/", "user": {"username": user},
        "requestReceivedTimestamp": format!("2026-01-01T00:00:{:09.6}Z", sent.at.as_secs_f64()),
    });
    let (mut log, mut added) = (AuditLog::new(), None);
    let mut read = |event: &k8s_flowcontrol_analysis::audit::Event<'_>| {
        added = recording.add(event, attributes, Stored::NotFound);
        Ok::<(), std::io::Error>(())
    };
    log.read(event.to_string().as_bytes(), &mut read)?;
    log.finish(&mut read)?;
    Ok(added)
}
