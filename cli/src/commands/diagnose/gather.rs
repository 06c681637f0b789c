//! Reading the metrics and debug dumps of all API servers.

use crate::cluster::{ApiServer, ControlPlane, at_once};
use crate::output::plural;
use k8s_flowcontrol::Error;
use k8s_flowcontrol_analysis::diagnosis::{Gap, ServerEvidence};
use k8s_flowcontrol_analysis::dumps::AnyDump;
use k8s_flowcontrol_analysis::redact::Redactor;
use std::time::{Duration, Instant};

const METRICS: &str = "/metrics";
/// The reason without the names of an error.
const NO_RESPONSE: &str = "no response";
const FOLDER: &str = "/debug/api_priority_and_fairness/";
/// The details have the names of users.
const DUMPS: [&str; 3] = [
    "dump_priority_levels",
    "dump_queues",
    "dump_requests?includeRequestDetails=1",
];

/// The evidence of all API servers.
pub(super) struct Gathered {
    pub(super) servers: Vec<ServerEvidence>,
    /// The way to each server.
    pub(super) reached_by: Vec<&'static str>,
    pub(super) gaps: Vec<Gap>,
    /// Whether a server forbids a request.
    pub(super) is_forbidden: bool,
}

impl Gathered {
    /// Reads all servers at the same time: the metrics twice, `interval` apart, and the dumps after the second time.
    pub(super) async fn read(
        control_plane: &ControlPlane,
        interval: Duration,
        redactor: &Redactor,
    ) -> Self {
        let reads = control_plane.servers.iter().cloned().map(|server| {
            let redactor = redactor.clone();
            async move {
                let read = one(&server, interval, &redactor).await;
                (server.reached_by(), read)
            }
        });
        let results = at_once(reads).await;
        let unreachable = control_plane.unreachable.iter();
        let mut gathered = Self {
            servers: Vec::new(),
            reached_by: Vec::new(),
            is_forbidden: false,
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
        for (reached_by, (evidence, gaps, is_forbidden)) in results {
            gathered.is_forbidden |= is_forbidden;
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
) -> (ServerEvidence, Vec<Gap>, bool) {
    let name = redactor.server(&server.address);
    let mut evidence = ServerEvidence::new(&name);
    let mut gaps = Vec::new();
    let (mut earlier, mut is_forbidden) = (None, false);
    let mut reason = |error: &Error| {
        is_forbidden |= error.is_forbidden();
        reason(error, redactor)
    };
    if !interval.is_zero()
        && let Ok(text) = server.text(METRICS).await
    {
        earlier = Some((text, Instant::now()));
        tokio::time::sleep(interval).await;
    }
    match server.text(METRICS).await {
        Ok(text) => {
            evidence.set_metrics(&text);
            if let Some((text, at)) = earlier
                && let Err(error) = evidence.set_earlier_metrics(&text, at.elapsed())
            {
                let what = format!("the increase of the counters of {name}");
                gaps.push(Gap::new(what, error.to_string()));
            }
        }
        Err(error) => {
            let what = format!("the metrics of {name}");
            gaps.push(Gap::new(what, reason(&error)));
        }
    }
    for dump in DUMPS {
        let shown = dump.split('?').next().unwrap_or(dump);
        let what = format!("{shown} of {name}");
        match server.text(&format!("{FOLDER}{dump}")).await {
            Ok(text) => add_dump(&mut evidence, &text, &what, redactor, &mut gaps),
            Err(error) => gaps.push(Gap::new(what, reason(&error))),
        }
    }
    (evidence, gaps, is_forbidden)
}

fn add_dump(
    evidence: &mut ServerEvidence,
    text: &str,
    what: &str,
    redactor: &Redactor,
    gaps: &mut Vec<Gap>,
) {
    match AnyDump::parse(text) {
        Ok(dump) => {
            gaps.extend(of_problems(&dump, what));
            evidence.set_dump(dump);
        }
        Err(error) => {
            let why = match redactor.replaces() {
                true => "it has an unexpected format".to_owned(),
                false => error.to_string(),
            };
            gaps.push(Gap::new(what, why));
        }
    }
}

/// The rows of a dump that cannot be read.
pub(super) fn of_problems(dump: &AnyDump, what: &str) -> Option<Gap> {
    let problems = dump.problems().len();
    let lines = plural(problems, "line");
    let why = format!("{lines} of an unexpected format");
    (problems > 0).then(|| Gap::new(format!("a part of {what}"), why))
}

/// The reason for missing evidence. The text of an error names users and servers.
fn reason(error: &Error, redactor: &Redactor) -> String {
    match (redactor.replaces(), error.code()) {
        (false, _) => error.to_string(),
        (true, Some(code)) => format!("status {code}"),
        (true, None) => NO_RESPONSE.to_owned(),
    }
}
