//! Reading the metrics and debug dumps of all API servers.

use crate::cluster::{ApiServer, ControlPlane};
use k8s_flowcontrol::Error;
use k8s_flowcontrol_analysis::diagnosis::{Gap, ServerEvidence};
use k8s_flowcontrol_analysis::dumps::{
    Dump, NotADump, parse_priority_levels, parse_queues, parse_requests,
};
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, MachineMetrics};
use k8s_flowcontrol_analysis::redact::Redactor;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const METRICS: &str = "/metrics";
/// The reason without the names of an error.
const NO_RESPONSE: &str = "no response";
const DUMPS: &str = "/debug/api_priority_and_fairness/";

/// The evidence of all API servers.
pub(super) struct Gathered {
    pub(super) servers: Vec<ServerEvidence>,
    /// The way to each server.
    pub(super) reached_by: Vec<&'static str>,
    pub(super) gaps: Vec<Gap>,
}

impl Gathered {
    /// Reads all servers at the same time: the metrics twice, `interval` apart, and the dumps after the second time.
    pub(super) async fn read(
        control_plane: &ControlPlane,
        interval: Duration,
        redactor: &Redactor,
    ) -> Self {
        let mut reads = JoinSet::new();
        for (index, server) in control_plane.servers.iter().cloned().enumerate() {
            let redactor = redactor.clone();
            reads.spawn(async move {
                let read = one(&server, interval, &redactor).await;
                (index, server.reached_by(), read)
            });
        }
        let mut results = reads.join_all().await;
        results.sort_by_key(|(index, ..)| *index);
        let unreachable = control_plane.unreachable.iter();
        let mut gathered = Self {
            servers: Vec::new(),
            reached_by: Vec::new(),
            gaps: unreachable
                .map(|(server, reason)| {
                    let server = redactor.server(server);
                    let reason = match redactor.replaces() {
                        true => NO_RESPONSE,
                        false => reason,
                    };
                    Gap::new(format!("the API server {server}"), reason)
                })
                .collect(),
        };
        if let Some(note) = &control_plane.note {
            let note = match redactor.replaces() {
                true => "only one API server was asked",
                false => note,
            };
            gathered.gaps.push(Gap::new("other API servers", note));
        }
        for (_, reached_by, (evidence, gaps)) in results {
            gathered.servers.push(evidence);
            gathered.reached_by.push(reached_by);
            gathered.gaps.extend(gaps);
        }
        gathered
    }
}

async fn one(
    server: &ApiServer,
    interval: Duration,
    redactor: &Redactor,
) -> (ServerEvidence, Vec<Gap>) {
    let name = redactor.server(&server.address);
    let mut evidence = ServerEvidence::new(&name);
    let mut gaps = Vec::new();
    let mut earlier = None;
    if !interval.is_zero()
        && let Ok(text) = server.text(METRICS).await
    {
        let machine = MachineMetrics::parse(&text);
        earlier = Some((FlowMetrics::parse(&text), machine, Instant::now()));
        tokio::time::sleep(interval).await;
    }
    match server.text(METRICS).await {
        Ok(text) => {
            evidence.metrics = Some(FlowMetrics::parse(&text));
            evidence.machine = Some(MachineMetrics::parse(&text));
            if let Some((metrics, machine, at)) = earlier {
                evidence.earlier = Some((metrics, at.elapsed()));
                evidence.earlier_machine = Some(machine);
            }
        }
        Err(error) => {
            let what = format!("the metrics of {name}");
            gaps.push(Gap::new(what, reason(&error, redactor)));
        }
    }
    evidence.priority_levels = dump(
        server,
        "dump_priority_levels",
        parse_priority_levels,
        redactor,
        &mut gaps,
    )
    .await;
    evidence.queues = dump(server, "dump_queues", parse_queues, redactor, &mut gaps).await;
    // The details have the names of users.
    let requests = "dump_requests?includeRequestDetails=1";
    evidence.requests = dump(server, requests, parse_requests, redactor, &mut gaps).await;
    (evidence, gaps)
}

/// The rows of a dump.
async fn dump<R>(
    server: &ApiServer,
    name: &str,
    parse: fn(&str) -> Result<Dump<R>, NotADump>,
    redactor: &Redactor,
    gaps: &mut Vec<Gap>,
) -> Option<Vec<R>> {
    let shown = name.split('?').next().unwrap_or(name);
    let what = format!("{shown} of {}", redactor.server(&server.address));
    let text = server.text(&format!("{DUMPS}{name}")).await;
    let parsed = text
        .map_err(|error| reason(&error, redactor))
        .and_then(|text| {
            parse(&text).map_err(|error| match redactor.replaces() {
                true => "it has an unexpected format".to_owned(),
                false => error.to_string(),
            })
        });
    match parsed {
        Ok(dump) => {
            if !dump.problems.is_empty() {
                let why = format!("{} lines have an unexpected format", dump.problems.len());
                gaps.push(Gap::new(format!("a part of {what}"), why));
            }
            Some(dump.rows)
        }
        Err(why) => {
            gaps.push(Gap::new(what, why));
            None
        }
    }
}

/// The reason for missing evidence. The text of an error names users and servers.
fn reason(error: &Error, redactor: &Redactor) -> String {
    match (redactor.replaces(), error.code()) {
        (false, _) => error.to_string(),
        (true, Some(code)) => format!("status {code}"),
        (true, None) => NO_RESPONSE.to_owned(),
    }
}
