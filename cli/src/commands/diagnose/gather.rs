//! Reading the metrics and debug dumps of all API servers.

use crate::cluster::{ApiServer, ControlPlane};
use k8s_flowcontrol_analysis::diagnosis::{Gap, ServerEvidence};
use k8s_flowcontrol_analysis::dumps::{
    Dump, NotADump, parse_priority_levels, parse_queues, parse_requests,
};
use k8s_flowcontrol_analysis::metrics::FlowMetrics;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const METRICS: &str = "/metrics";
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
    pub(super) async fn read(control_plane: &ControlPlane, interval: Duration) -> Self {
        let mut reads = JoinSet::new();
        for (index, server) in control_plane.servers.iter().cloned().enumerate() {
            reads.spawn(async move { (index, server.reached_by(), one(&server, interval).await) });
        }
        let mut results = reads.join_all().await;
        results.sort_by_key(|(index, ..)| *index);
        let unreachable = control_plane.unreachable.iter();
        let mut gathered = Self {
            servers: Vec::new(),
            reached_by: Vec::new(),
            gaps: unreachable
                .map(|(server, reason)| Gap::new(format!("the API server {server}"), reason))
                .collect(),
        };
        if let Some(note) = &control_plane.note {
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

async fn one(server: &ApiServer, interval: Duration) -> (ServerEvidence, Vec<Gap>) {
    let mut evidence = ServerEvidence::new(&server.address);
    let mut gaps = Vec::new();
    let mut earlier = None;
    if !interval.is_zero()
        && let Ok(text) = server.text(METRICS).await
    {
        earlier = Some((FlowMetrics::parse(&text), Instant::now()));
        tokio::time::sleep(interval).await;
    }
    match server.text(METRICS).await {
        Ok(text) => {
            evidence.metrics = Some(FlowMetrics::parse(&text));
            evidence.earlier = earlier.map(|(metrics, at)| (metrics, at.elapsed()));
        }
        Err(error) => {
            let what = format!("the metrics of {}", server.address);
            gaps.push(Gap::new(what, error.to_string()));
        }
    }
    evidence.priority_levels = dump(
        server,
        "dump_priority_levels",
        parse_priority_levels,
        &mut gaps,
    )
    .await;
    evidence.queues = dump(server, "dump_queues", parse_queues, &mut gaps).await;
    // The details have the names of users.
    let requests = "dump_requests?includeRequestDetails=1";
    evidence.requests = dump(server, requests, parse_requests, &mut gaps).await;
    (evidence, gaps)
}

/// The rows of a dump.
async fn dump<R>(
    server: &ApiServer,
    name: &str,
    parse: fn(&str) -> Result<Dump<R>, NotADump>,
    gaps: &mut Vec<Gap>,
) -> Option<Vec<R>> {
    let shown = name.split('?').next().unwrap_or(name);
    let what = format!("{shown} of {}", server.address);
    let text = server.text(&format!("{DUMPS}{name}")).await;
    let parsed = text
        .map_err(|error| error.to_string())
        .and_then(|text| parse(&text).map_err(|error| error.to_string()));
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
