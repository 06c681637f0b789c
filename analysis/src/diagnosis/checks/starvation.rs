//! Flows that other flows can starve.

use super::{Check, Context, Observation, Report, Severity, count, percent};
use crate::diagnosis::flows::{self, Flow};
use crate::diagnosis::load::Load;
use k8s_flowcontrol_rules::objects;
use k8s_flowcontrol_rules::sharding::{Dealer, flow_hash};
use k8s_flowcontrol_types::Resource;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const CHECK: Check = Check {
    id: "starvation",
    summary: "A few heavy flows fill, or are likely to fill, every queue of another flow.",
    run,
};

const HAND_SIZE: &str = "spec.limited.limitResponse.queuing.handSize";
const QUEUES: &str = "spec.limited.limitResponse.queuing.queues";
/// The probability above which heavy flows starve others too often.
const TOO_LIKELY: f64 = 0.01;
/// How many times the waiting requests of a flow another one has that starves it: flows that send as much share their queues.
const TIMES: i64 = 3;
/// The starved flows that are named.
const NAMED: usize = 5;

fn run(context: &Context<'_>, report: &mut Report) {
    let is_wanted = |load: &&Load<'_>| {
        // Without a seat, other queues help no flow.
        !load.has_no_seat() && (load.is_in_trouble() || context.scope.level.is_some())
    };
    for load in context.loads().filter(is_wanted) {
        match (objects::queuing(&load.level.object), flows::dealer(load)) {
            (_, Some(dealer)) => {
                queued(context, load, &dealer, report);
                one_flow(context, load, report);
            }
            (Some((1, _)), None) => single_queue(load, report),
            (None, _) if !load.is_exempt() => no_queue(load, report),
            _ => {}
        }
    }
}

/// The queues and the hand size of a level.
fn configured(load: &Load<'_>, dealer: &Dealer) -> Vec<Observation> {
    vec![
        Observation::level_field(load.name(), QUEUES, dealer.queues()),
        Observation::level_field(load.name(), HAND_SIZE, dealer.hand_size()),
    ]
}

fn severity(probability: f64) -> Severity {
    if probability < TOO_LIKELY {
        Severity::Note
    } else {
        Severity::Risk
    }
}

/// The odds of a level with queues that no heavy flow fills now.
fn odds(load: &Load<'_>, dealer: &Dealer, report: &mut Report) {
    let odds = |elephants| percent(dealer.squish_probability(elephants));
    let mut evidence = configured(load, dealer);
    evidence.push(Observation::computed(format!(
        "probability that heavy flows fill all queues of another flow: {} with 1, {} with 4, {} with 16 heavy flows",
        odds(1),
        odds(4),
        odds(16),
    )));
    evidence.extend(of_queues(load));
    let severity = severity(dealer.squish_probability(1));
    let message = format!(
        "priority level {} has {} and hand size {}: one heavy flow fills all queues of another flow with probability {}",
        load.name(),
        count(dealer.queues(), "queue"),
        dealer.hand_size(),
        odds(1),
    );
    report.level(severity, load, message, evidence, action(severity));
}

/// The odds of a level with queues, and the flows that are starved now.
fn queued(context: &Context<'_>, load: &Load<'_>, dealer: &Dealer, report: &mut Report) {
    let flows = flows::of_load(load).unwrap_or_default();
    let (heavy, occupied) = flows::occupied(&flows, dealer);
    let starved = starved(context, load, &flows, &heavy, dealer);
    if heavy.is_empty() {
        return odds(load, dealer, report);
    }
    let (queues, hand_size) = (dealer.queues(), dealer.hand_size());
    let mut evidence = configured(load, dealer);
    let occupied = u32::try_from(occupied.len()).unwrap_or(u32::MAX);
    let probability = dealer.covered_probability(occupied);
    let number = count(heavy.len(), "heavy flow");
    evidence.push(Observation::computed(match starved.is_empty() {
        true => format!(
            "queues in the hands of {number}: {occupied} of {queues}; probability that all queues of another flow are among them: {}",
            percent(probability)
        ),
        false => format!(
            "queues in the hands of {number}: {occupied} of {queues}, among them all queues of the flows that have no other"
        ),
    }));
    evidence.extend(of_queues(load));
    for index in heavy.iter().take(NAMED) {
        if let Some(flow) = flows.get(*index) {
            let name = context.flow_name(&flow.flow_schema, &flow.distinguisher);
            let what = format!(
                "waiting requests of {name}, which are in all of its {}",
                count(hand_size, "queue")
            );
            evidence.push(load.in_dump_requests(what, flow.waiting));
        }
    }
    let have = if heavy.len() == 1 { "has" } else { "have" };
    let (severity, rest) = match starved.is_empty() {
        false => {
            let names: Vec<_> = starved.into_iter().take(NAMED).collect();
            (
                Severity::Problem,
                format!(
                    "{} {} no other queue",
                    names.join(", "),
                    if names.len() == 1 { "has" } else { "have" }
                ),
            )
        }
        true => {
            let rest = format!(
                "another flow has no other queue with probability {}",
                percent(probability)
            );
            (severity(probability), rest)
        }
    };
    let message = format!(
        "{number} of priority level {} {have} requests in {occupied} of its {queues} queues; {rest}",
        load.name(),
    );
    report.level(severity, load, message, evidence, action(severity));
}

/// The queues with waiting requests.
fn of_queues(load: &Load<'_>) -> Vec<Observation> {
    let rows = load.server.queues.iter().flatten();
    let of_level = rows.filter(|row| row.priority_level == load.name());
    let pending: Vec<i64> = of_level
        .filter_map(|row| Some(row.queue.as_ref()?.pending_requests))
        .filter(|pending| *pending > 0)
        .collect();
    let Some(longest) = pending.iter().copied().max() else {
        return Vec::new();
    };
    let row =
        |what: String, value| Observation::dump(&load.server.name, "dump_queues", what, value);
    let number = i64::try_from(pending.len()).unwrap_or(i64::MAX);
    vec![
        row(
            format!("queues of {} with waiting requests", load.name()),
            number,
        ),
        row(
            format!("waiting requests in the longest queue of {}", load.name()),
            longest,
        ),
    ]
}

fn action(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "keep the queues: they isolate the other flows",
        _ => {
            "simulate more queues, such as 64 with hand size 8 or 128 with hand size 6, or a separate level for the heavy flows, \
             over an audit log first, to see who gains and who pays"
        }
    }
}

/// The names of the flows that share each of their queues with a much heavier flow.
fn starved(
    context: &Context<'_>,
    load: &Load<'_>,
    flows: &[Flow],
    heavy: &[usize],
    dealer: &Dealer,
) -> Vec<String> {
    if heavy.is_empty() {
        return Vec::new();
    }
    let heavy: Vec<&Flow> = heavy.iter().filter_map(|index| flows.get(*index)).collect();
    // The waiting requests of each flow; of the flows in the log, none.
    let mut waiting: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    if let Some(log) = &context.evidence.log {
        let of_level = log
            .flows
            .keys()
            .filter(|(_, level, _)| level == load.name());
        waiting.extend(
            of_level
                .map(|(schema, _, distinguisher)| ((schema.as_str(), distinguisher.as_str()), 0)),
        );
    }
    waiting.extend(flows.iter().map(|flow| {
        let key = (flow.flow_schema.as_str(), flow.distinguisher.as_str());
        (key, flow.waiting)
    }));
    let is_covered = |((schema, distinguisher), own): (&(&str, &str), &i64)| {
        let least = (*own).max(1).saturating_mul(TIMES);
        let heavier = heavy.iter().filter(|flow| flow.waiting >= least);
        let queues: BTreeSet<u32> = heavier.flat_map(|flow| flow.hand(dealer)).collect();
        let mut hand = dealer.deal(flow_hash(schema, distinguisher)).into_iter();
        hand.all(|queue| queues.contains(&queue))
    };
    let covered = waiting.iter().filter(|flow| is_covered(*flow));
    covered
        .map(|((schema, distinguisher), _)| context.flow_name(schema, distinguisher))
        .collect()
}

/// A flow schema whose requests are all one flow.
fn one_flow(context: &Context<'_>, load: &Load<'_>, report: &mut Report) {
    let of_level = context.schemas.iter().filter(|schema| {
        schema.spec.priority_level_configuration.name == load.name()
            && schema.spec.distinguisher_method.is_none()
    });
    for schema in of_level {
        let flows = flows::of_load(load).unwrap_or_default();
        let own = flows.iter().find(|flow| flow.flow_schema == schema.name());
        let Some(flow) = own.filter(|flow| flow.users.len() > 1) else {
            continue;
        };
        let message = format!(
            "all users of FlowSchema {} are one flow in priority level {}, so that one user can starve the others",
            schema.name(),
            load.name(),
        );
        let users = i64::try_from(flow.users.len()).unwrap_or(i64::MAX);
        let evidence = vec![
            Observation::field(
                k8s_flowcontrol_types::Kind::FlowSchema,
                schema.name(),
                "spec.distinguisherMethod",
                "unset",
            ),
            load.in_dump_requests("users of the flow", users),
        ];
        let action = "set distinguisherMethod to ByUser or ByNamespace";
        report.level(Severity::Risk, load, message, evidence, action);
    }
}

fn single_queue(load: &Load<'_>, report: &mut Report) {
    let message = format!(
        "priority level {} has one queue, so that one flow can starve all others",
        load.name()
    );
    let evidence = vec![Observation::level_field(load.name(), QUEUES, 1)];
    report.level(
        Severity::Risk,
        load,
        message,
        evidence,
        action(Severity::Risk),
    );
}

fn no_queue(load: &Load<'_>, report: &mut Report) {
    let message = format!(
        "priority level {} does not queue requests, so that one flow can take all of its seats",
        load.name()
    );
    let path = "spec.limited.limitResponse.type";
    let evidence = vec![Observation::level_field(load.name(), path, "Reject")];
    let action = "simulate limitResponse type Queue, with which the flows take turns, over an audit log first";
    report.level(Severity::Risk, load, message, evidence, action);
}
