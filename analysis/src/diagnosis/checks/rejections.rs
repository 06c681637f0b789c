//! Rejected requests, by reason.

use super::{Check, Context, Report, Severity, count, problem_if};
use crate::diagnosis::load::{Load, Measured, Rejections};
use crate::diagnosis::observation::Observation;
use k8s_flowcontrol_types::{Fact, Release};
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    id: "rejections",
    summary: "Requests of a priority level were rejected.",
    run,
};

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        if load.rejections.is_empty() {
            note_the_past(load, report);
            continue;
        }
        let mut by_reason = BTreeMap::<&str, Vec<&Rejections>>::new();
        for rejections in &load.rejections {
            by_reason
                .entry(&rejections.reason)
                .or_default()
                .push(rejections);
        }
        for (reason, rejections) in by_reason {
            let sum = rejections
                .iter()
                .fold(0_i64, |sum, found| sum.saturating_add(found.requests));
            let Some(period) = rejections.first().map(|first| first.period) else {
                continue;
            };
            let (cause, action) = explanation(reason, context.evidence.release);
            let action = match load.is_closed() {
                true => {
                    "give the level seats, or deny its requests with authorization: it does not have a seat"
                }
                false => action,
            };
            let message = format!(
                "{} of priority level {} {} {cause} {period}",
                count(sum, "request"),
                load.name(),
                if sum == 1 { "was" } else { "were" },
            );
            let severity = problem_if(period.is_interval());
            let evidence = rejections.into_iter().map(|found| found.from.clone());
            report.level(severity, load, message, evidence.collect(), action);
        }
    }
    rejected_in_log(context, report);
}

/// Rejections that the interval does not have.
fn note_the_past(load: &Load<'_>, report: &mut Report) {
    let Some(Measured { value, from }) = load.rejected_since_start.clone() else {
        return;
    };
    let message = format!(
        "{} of priority level {} {} rejected since the server started, and none in the interval",
        count(value, "request"),
        load.name(),
        if value == 1 { "was" } else { "were" },
    );
    let action = "measure while the requests are rejected, or give the audit logs of that time";
    report.level(Severity::Note, load, message, vec![from], action);
}

const WAIT_ACTION: &str = "reduce the requests of the level: they wait for a quarter of their timeout, at most one minute";

/// The cause, and an action.
fn explanation(reason: &str, release: Release) -> (&'static str, &'static str) {
    match reason {
        "queue-full" => (
            "rejected because of full queues (queue-full)",
            "reduce the requests of the flow that fills the queues; longer queues only make requests wait longer",
        ),
        "concurrency-limit" => (
            "rejected because all seats were in use (concurrency-limit)",
            "reduce the requests of the level, or simulate limitResponse type Queue, with which short peaks wait, over an audit log first",
        ),
        "time-out" if release.has(Fact::OwnWaitLimits) => (
            "rejected after a long time in a queue, or cancelled by their clients (time-out),",
            WAIT_ACTION,
        ),
        "time-out" => (
            "rejected after a long time in a queue (time-out)",
            "reduce the requests of the level: they wait for a quarter of the server's --request-timeout",
        ),
        // The dump's column CancelledRequests.
        "waited" if release.has(Fact::OwnWaitLimits) => (
            "rejected after a long time in a queue, or cancelled by their clients,",
            WAIT_ACTION,
        ),
        "cancelled" | "waited" => (
            "cancelled by their clients while they waited (cancelled)",
            "reduce the requests of the level, or raise the timeout of the clients",
        ),
        _ => (
            "rejected",
            "reduce the requests of the level; the metrics show the reason",
        ),
    }
}

fn rejected_in_log(context: &Context<'_>, report: &mut Report) {
    let Some(log) = &context.evidence.log else {
        return;
    };
    let mut levels = BTreeMap::<&str, Vec<(u64, String)>>::new();
    for ((schema, level, distinguisher), requests) in &log.flows {
        if requests.rejected > 0 && context.includes(level) {
            let flow = context.flow_name(schema, distinguisher);
            levels
                .entry(level)
                .or_default()
                .push((requests.rejected, flow));
        }
    }
    for (level, mut flows) in levels {
        flows.sort_by(|left, right| right.cmp(left));
        let sum: u64 = flows.iter().map(|(rejected, _)| rejected).sum();
        let message = format!(
            "the audit logs have {} of priority level {level} that {} rejected",
            count(sum, "request"),
            if sum == 1 { "was" } else { "were" },
        );
        let all = Observation::log(format!("rejected requests of priority level {level}"), sum);
        let of_flows = flows.into_iter().take(MOST_FLOWS).map(|(rejected, flow)| {
            Observation::log(format!("rejected requests of {flow}"), rejected)
        });
        let action = "compare the flow with most rejections with the flow that fills the level";
        report.cluster(
            Severity::Risk,
            Some(level),
            message,
            [all].into_iter().chain(of_flows).collect(),
            action,
        );
    }
}

/// The flows that are named.
const MOST_FLOWS: usize = 5;
