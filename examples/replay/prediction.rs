//! The prediction for the requests that were sent, beside what became of them.

use crate::answer::event;
use crate::cluster::{Cluster, Configuration};
use crate::load::Sent;
use crate::support::Failure;
use k8s_flowcontrol::rules::controller::FlowController;
use k8s_flowcontrol::rules::matching::RequestAttributes;
use k8s_flowcontrol::rules::seats::{Estimator, LevelBounds, Stored};
use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::simulation::{Recorded, Recording, Report, Waits};
use std::time::Duration;

/// Prints a table, and returns whether the rejections of each flow and level are within 15 % or 10 requests of the prediction.
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
    let controller = controller(server)?;
    for (index, user) in cluster.users.iter().enumerate() {
        let requests = sent.iter().filter(|sent| sent.user == index).count();
        let attributes = cluster.attributes(index)?;
        let of = controller.classify(&attributes);
        let flow = report.flows.iter().find(|flow| {
            of.as_ref().is_some_and(|of| {
                flow.flow_schema == of.flow_schema
                    && flow.flow_distinguisher == of.flow_distinguisher
            })
        });
        let flow = flow.ok_or_else(|| format!("{user} sent no request"))?;
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
    let bounds = LevelBounds::new(levels, seats, release);
    let mut recording = Recording::new(controller(server)?, bounds, Estimator::new(release));
    let mut requests = Vec::new();
    for (number, sent) in sent.iter().enumerate() {
        let attributes = cluster.attributes(sent.user)?;
        let event = event(
            number,
            &attributes.user.name,
            &cluster.path,
            (sent.at, sent.at + sent.took),
        );
        let Some(mut request) = add(&mut recording, &event, &attributes)? else {
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

fn controller(server: &Configuration) -> Result<FlowController, Failure> {
    let (levels, seats, release) = (&server.levels, server.seats, server.release);
    let controller = FlowController::new(&server.schemas, levels, seats, release, Duration::ZERO)?;
    Ok(controller)
}

/// Adds a request as the audit log of the server would have it.
fn add(
    recording: &mut Recording,
    event: &str,
    attributes: &RequestAttributes,
) -> Result<Option<Recorded>, Failure> {
    let (mut log, mut added) = (AuditLog::new(), None);
    let mut read = |event: &Event<'_>| {
        added = recording.add(event, attributes, Stored::NotFound);
        Ok::<(), std::io::Error>(())
    };
    log.read(event.as_bytes(), &mut read)?;
    log.finish(&mut read)?;
    Ok(added)
}
