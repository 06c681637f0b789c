//! The flow that fills a level.

use super::machine::Limit;
use super::{Check, Context, Observation, Report, Severity, count, share};
use crate::diagnosis::flows::{self, Flow};
use crate::diagnosis::load::Load;
use crate::diagnosis::log_tally::Requests;
use std::cmp::Reverse;

pub(super) const CHECK: Check = Check {
    id: "busiest-flow",
    summary: "One flow has most of the requests, waiting and executing, of a priority level in which requests wait or are rejected.",
    run,
};

/// The percentage of the requests from which a flow fills a level.
const MOST: i64 = 50;
/// How many times the requests of the next flow it has: at a given moment, flows that send as much differ by chance.
const TIMES: i64 = 3;
/// The flows that are named if none has most requests.
const NAMED: usize = 3;

fn run(context: &Context<'_>, report: &mut Report) {
    let is_full = |load: &&Load<'_>| load.is_in_trouble() && !load.has_no_seat();
    for load in context.loads().filter(is_full) {
        if let Some(flows) = flows::of_load(load).filter(|flows| !flows.is_empty()) {
            of_dump(context, load, &flows, report);
        }
    }
    of_log(context, report);
}

fn of_dump(context: &Context<'_>, load: &Load<'_>, flows: &[Flow], report: &mut Report) {
    let Some(largest) = flows.first() else {
        return;
    };
    let sum = |of: fn(&Flow) -> i64| {
        flows
            .iter()
            .fold(0_i64, |sum, flow| sum.saturating_add(of(flow)))
    };
    let (requests, seats) = (sum(Flow::requests), sum(|flow| flow.seats));
    let are_wide = seats != requests;
    let (part, whole, what) = match are_wide {
        true => (
            largest.seats,
            seats,
            "seats of the waiting and executing requests",
        ),
        false => (
            largest.requests(),
            requests,
            "requests that wait or execute",
        ),
    };
    let name = context.flow_name(&largest.flow_schema, &largest.distinguisher);
    let next = flows.get(1).map_or(0, |next| next.seats);
    let fills = share(largest.seats, seats) >= MOST && largest.seats >= next.saturating_mul(TIMES);
    // The requests that wait in the metrics had left their queues before the dump, or had not come.
    let is_other_moment = load.waiting() > 0 && sum(|flow| flow.waiting) == 0;
    let message = match (fills, is_other_moment) {
        (_, true) => format!(
            "at the moment of dump_requests no request of priority level {} waits: {} has {part} of the {whole} {what}",
            load.name(),
            match flows.len() {
                1 => "its only flow".to_owned(),
                number => format!("the largest of {number} flows"),
            },
        ),
        (true, false) => format!(
            "one flow fills priority level {}: {name} has {part} of the {whole} {what}",
            load.name()
        ),
        (false, false) => format!(
            "{} share priority level {}: the largest has {part} of the {whole} {what}",
            count(flows.len(), "flow"),
            load.name()
        ),
    };
    let shown = if fills { 1 } else { NAMED };
    let mut evidence = Vec::new();
    for flow in flows.iter().take(shown) {
        let name = context.flow_name(&flow.flow_schema, &flow.distinguisher);
        evidence.push(load.in_dump_requests(format!("waiting requests of {name}"), flow.waiting));
        evidence
            .push(load.in_dump_requests(format!("executing requests of {name}"), flow.executing));
        if are_wide {
            evidence.push(
                load.in_dump_requests(format!("seats of the requests of {name}"), flow.seats),
            );
        }
        // A flow without a distinguisher has the requests of many users.
        let user = flow
            .largest_user()
            .filter(|(user, _)| *user != flow.distinguisher);
        if let Some((user, requests)) = user {
            let user = context.user_name(user);
            evidence.push(load.in_dump_requests(format!("requests of {name} by {user}"), requests));
        }
    }
    let all = match flows.len() {
        1 => "the flow".to_owned(),
        number => format!("the {number} flows"),
    };
    evidence.push(load.in_dump_requests(
        format!("{what} of {all} of priority level {}", load.name()),
        whole,
    ));
    let severity = match fills && !is_other_moment && load.is_in_trouble_now() {
        true => Severity::Problem,
        false => Severity::Note,
    };
    let action = match (fills, Limit::of(load.server)) {
        _ if is_other_moment => "read dump_requests while requests wait, to see their flows",
        (true, _) => {
            "reduce the requests of this flow; simulate a separate priority level over an audit log first, to see who gains and who pays"
        }
        (false, None) => {
            "reduce the requests of all flows; simulate more seats for the level over an audit log first, to see who gains and who pays"
        }
        (false, Some(_)) => "reduce the requests of all flows",
    };
    report.level(severity, load, message, evidence, action);
}

/// The busiest flow of each level in the audit logs.
fn of_log(context: &Context<'_>, report: &mut Report) {
    let Some(log) = &context.evidence.log else {
        return;
    };
    for level in context
        .levels
        .iter()
        .filter(|level| context.includes(level.name()))
    {
        let level = level.name();
        let of_level = || log.flows.iter().filter(|((_, own, _), _)| own == level);
        let rejected = of_level().any(|(_, requests)| requests.rejected > 0);
        if !rejected && !context.is_in_trouble(level) {
            continue;
        }
        // The time that requests take counts, because it keeps seats busy; a log may lack times.
        let mut flows: Vec<_> = of_level().collect();
        flows.sort_by_key(|(_, requests)| Reverse((requests.busy_us, requests.all)));
        let Some((_, largest)) = flows.first() else {
            continue;
        };
        let all: u64 = of_level().map(|(_, requests)| requests.all).sum();
        let busy = of_level().fold(0_u64, |sum, (_, requests)| {
            sum.saturating_add(requests.busy_us)
        });
        let next = flows.get(1).map_or(0, |(_, requests)| requests.busy_us);
        let is_alone = largest.busy_us >= next.saturating_mul(2);
        let named: Vec<_> = flows
            .iter()
            .take(if is_alone { 1 } else { NAMED })
            .map(|((schema, _, distinguisher), requests)| {
                (context.flow_name(schema, distinguisher), *requests)
            })
            .collect();
        let took = |(name, requests): &(String, &Requests)| {
            format!("requests of {name} took {:.1} s", seconds(requests.busy_us))
        };
        let took: Vec<_> = named.iter().map(took).collect();
        let message = match is_alone {
            true => format!(
                "in the audit logs, one flow is the busiest of priority level {level}: {} of {:.1} s",
                took.join(", "),
                seconds(busy),
            ),
            false => format!(
                "in the audit logs, no flow of priority level {level} is much busier than all others: {} of {:.1} s",
                took.join(", "),
                seconds(busy),
            ),
        };
        let of = |what: &str, busy: u64, requests| {
            let what = format!("requests of {what}, which took {:.1} s", seconds(busy));
            Observation::log(what, requests)
        };
        let mut evidence = vec![of(&format!("priority level {level}"), busy, all)];
        for (name, requests) in &named {
            evidence.push(of(name, requests.busy_us, requests.all));
            let rejected = format!("rejected requests of {name}");
            evidence.push(Observation::log(rejected, requests.rejected));
        }
        let action = "compare with the flows that wait; these times are without the waits that servers since 1.31 write into the log, of requests that \
                      took more than half a second, and with all other waits";
        report.cluster(Severity::Note, Some(level), message, evidence, action);
    }
}

fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}
