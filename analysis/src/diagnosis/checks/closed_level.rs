//! A level without seats.

use super::{
    Check, Context, Observation, Report, Severity, count, problem_if, sources, waiting_requests,
};
use crate::diagnosis::load::Load;
use k8s_flowcontrol_types::api::v1::LimitedPriorityLevelConfiguration;

pub(super) const CHECK: Check = Check {
    id: "closed-level",
    summary: "Requests wait or are rejected in a priority level without seats.",
    run,
};

const SHARES: &str = "spec.limited.nominalConcurrencyShares";
const LENDABLE: &str = "spec.limited.lendablePercent";

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        let Some(limited) = &load.level.object.spec.limited else {
            continue;
        };
        if load.is_closed() {
            closed(load, limited, report);
        } else if load.waiting() > 0 && load.has_lent_all() {
            lent(load, limited, report);
        }
    }
}

/// A level that never has a seat.
fn closed(load: &Load<'_>, limited: &LimitedPriorityLevelConfiguration, report: &mut Report) {
    let rejections = &load.rejections;
    let (what, severity) = match (load.waiting(), rejections.first()) {
        (0, None) => return,
        (0, Some(first)) => {
            let sum = rejections
                .iter()
                .fold(0_i64, |sum, found| sum.saturating_add(found.requests));
            let what = format!(
                "{} of priority level {} {} rejected {}",
                count(sum, "request"),
                load.name(),
                if sum == 1 { "was" } else { "were" },
                first.period
            );
            (what, problem_if(first.period.is_interval()))
        }
        (waiting, _) => (waiting_requests(waiting, load.name()), Severity::Problem),
    };
    let message = format!("{what}, and the level does not have a seat");
    let waiting = load.measured_waiting().filter(|_| load.waiting() > 0);
    let mut evidence = sources([waiting, load.current.as_ref(), load.maximum.as_ref()]);
    if load.waiting() == 0 {
        evidence.extend(rejections.iter().map(|found| found.from.clone()));
    }
    evidence.push(shares(load, limited));
    let action = "simulate shares for the level over an audit log first, to see who gains and who pays, if its requests are wanted; limitResponse type Reject does not keep requests out, since a level without seats executes a single request while it is idle: deny them with authorization instead";
    report.level(severity, load, message, evidence, action);
}

/// A level without a seat until the server next adjusts the limits.
fn lent(load: &Load<'_>, limited: &LimitedPriorityLevelConfiguration, report: &mut Report) {
    let has_own = load.nominal.as_ref().is_some_and(|seats| seats.value > 0);
    let message = format!(
        "{}, and the level does not have a seat until the server adjusts the limits again, as it does every ten seconds: {}",
        waiting_requests(load.waiting(), load.name()),
        match has_own {
            true => "it lends all of its seats while it is idle",
            false => "its nominal limit is 0, and it borrows seats that other levels leave",
        }
    );
    let mut evidence = sources([
        load.measured_waiting(),
        load.current.as_ref(),
        load.nominal.as_ref(),
        load.maximum.as_ref(),
    ]);
    let lendable = limited.lendable_percent.unwrap_or_default();
    let (field, action) = match has_own {
        true => (
            Observation::level_field(load.name(), LENDABLE, lendable),
            "simulate a smaller lendablePercent over an audit log first, to see who gains and who pays, if the first requests must not wait",
        ),
        false => (
            shares(load, limited),
            "simulate shares for the level over an audit log first, to see who gains and who pays, if the first requests must not wait",
        ),
    };
    evidence.push(field);
    report.level(Severity::Problem, load, message, evidence, action);
}

fn shares(load: &Load<'_>, limited: &LimitedPriorityLevelConfiguration) -> Observation {
    let shares = limited.nominal_concurrency_shares.unwrap_or_default();
    Observation::level_field(load.name(), SHARES, shares)
}
