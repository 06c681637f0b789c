//! The answer of `size` to the intents, for the load on the server.

use crate::cluster::{Cluster, Configuration, GROUP};
use crate::load::Load;
use crate::support::Failure;
use k8s_flowcontrol::rules::seats::Stored;
use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::size::{Answer, Collector, Intents, Sizer, Sizing};
use serde_json::json;
use std::ops::ControlFlow;
use std::time::Duration;

/// The intents without a file: one user gets no more than three seats, so that the other one does not wait.
pub(crate) fn intents(users: &[String; 2], seats: u32) -> String {
    let [hasty, calm] = users;
    let client = |user: &str| format!("client: {{user: {user:?}, groups: [{GROUP}]}}");
    format!(
        "server: {{seats: {seats}}}\nintents:\n- {}\n  neverMoreThan: {{seats: 3}}\n- {}\n  waits: {{p90: 50ms}}\n",
        client(hasty),
        client(calm)
    )
}

/// The fewest and smallest changes of the server with which the intents hold under the load.
///
/// Size reads the load as the audit log of a server on which nothing waited, and every request took `execution`.
pub(crate) fn size(
    intents: &[u8],
    server: &Configuration,
    cluster: &Cluster,
    load: &Load,
    execution: Duration,
) -> Result<Sizing, Failure> {
    let intents = Intents::read(intents)?;
    let (schemas, levels) = (&server.schemas, &server.levels);
    let mut collector = Collector::new(schemas, levels, server.seats, server.release)?;
    for (number, (user, at)) in load.requests.iter().enumerate() {
        let attributes = cluster.attributes(*user)?;
        let event = event(
            number,
            &attributes.user.name,
            &cluster.path,
            (*at, *at + execution),
        );
        let mut add = |event: &Event<'_>| {
            collector.add(event, &attributes, Stored::NotFound);
            Ok::<(), std::io::Error>(())
        };
        let mut log = AuditLog::new();
        log.read(event.as_bytes(), &mut add)?;
        log.finish(&mut add)?;
    }
    let requests = collector.finish()?;
    let sizer = Sizer::new(&intents, schemas, levels, server.release, Some(&requests))?;
    match sizer.size(|_progress| ControlFlow::Continue(()))? {
        Answer::Sized(sizing) if sizing.seats == server.seats => Ok(*sizing),
        Answer::Sized(sizing) => Err(format!(
            "the intents need a server of {} seats, and this one has {}",
            sizing.seats, server.seats
        )
        .into()),
        answer => {
            Err(format!("no configuration was found that satisfies the intents: {answer:?}").into())
        }
    }
}

/// A request as the audit log of a server has it. The day does not matter.
pub(crate) fn event(
    number: usize,
    user: &str,
    path: &str,
    (start, end): (Duration, Duration),
) -> String {
    let time = |at: Duration| {
        let (minutes, seconds) = (at.as_secs() / 60, at.as_secs() % 60);
        format!(
            "2026-01-01T00:{minutes:02}:{seconds:02}.{:06}Z",
            at.subsec_micros()
        )
    };
    let event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": format!("replay-{number}"), "stage": "ResponseComplete", "verb": "get",
        "requestURI": path, "user": {"username": user, "groups": [GROUP, "system:authenticated"]}, "responseStatus": {"code": 200},
        "requestReceivedTimestamp": time(start), "stageTimestamp": time(end),
    });
    event.to_string()
}
