//! Borrowing that cannot happen.

use super::machine::Limit;
use super::{Check, Context, Observation, Report, Severity, about_seats, count, sources};
use crate::diagnosis::load::Load;
use k8s_flowcontrol_types::Fact;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfigurationSpec;

pub(super) const CHECK: Check = Check {
    id: "borrowing",
    summary: "A priority level with waiting or rejected requests cannot borrow seats.",
    run,
};

const BORROWING_LIMIT: &str = "spec.limited.borrowingLimitPercent";
const LENDABLE: &str = "spec.limited.lendablePercent";

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        let is_full = load.is_full().unwrap_or(true);
        if load.is_exempt() || load.is_closed() || !load.is_in_trouble_now() || !is_full {
            continue;
        }
        if !context.evidence.release.has(Fact::Lending) {
            let message = format!(
                "priority level {} cannot borrow seats: Kubernetes {} does not support borrowing",
                load.name(),
                context.evidence.release
            );
            let action = "newer releases lend seats between levels";
            let release = format!("the release of the servers is {}", context.evidence.release);
            let evidence = vec![Observation::computed(release)];
            report.level(Severity::Note, load, message, evidence, action);
        } else if let Some(reason) = reason(context, load) {
            let Reason {
                message,
                evidence,
                action,
            } = reason;
            let action = about_seats(load, action);
            // Whether the requests wait for seats is unknown without the seats in use at that moment.
            let waits_for_seats = load.waiting() == 0 || load.is_full().is_some();
            let severity = match Limit::now(load.server) {
                None if waits_for_seats => Severity::Problem,
                _ => Severity::Note,
            };
            report.level(severity, load, message, evidence, action);
        }
    }
    nobody_lends(context, report);
}

/// The reason for which a level cannot borrow.
struct Reason {
    message: String,
    evidence: Vec<Observation>,
    action: &'static str,
}

fn reason(context: &Context<'_>, load: &Load<'_>) -> Option<Reason> {
    let name = load.name();
    let limited = load.level.object.spec.limited.as_ref()?;
    if limited.borrowing_limit_percent == Some(0) {
        return Some(Reason {
            message: format!(
                "priority level {name} may not borrow seats: its borrowingLimitPercent is 0"
            ),
            evidence: vec![Observation::level_field(name, BORROWING_LIMIT, 0)],
            action: "keep it if the level must stay small; else simulate a higher borrowingLimitPercent over an audit log first, to see who gains and who pays",
        });
    }
    let (current, maximum) = (load.current.as_ref()?, load.maximum.as_ref()?);
    if current.value >= maximum.value {
        let mut evidence = sources([Some(current), Some(maximum)]);
        if let Some(percent) = limited.borrowing_limit_percent {
            evidence.push(Observation::level_field(name, BORROWING_LIMIT, percent));
        }
        return Some(Reason {
            message: format!(
                "priority level {name} has borrowed as much as it may: its limit is at the maximum of {}",
                count(maximum.value, "seat")
            ),
            evidence,
            action: "simulate a higher borrowingLimitPercent over an audit log first, to see who gains and who pays",
        });
    }
    // The check `overload` tells how few seats the other levels can lend to requests that wait.
    if load.waiting() > 0 {
        return None;
    }
    let lendable = context.others(load).try_fold(0_i64, |sum, other| {
        Some(sum.saturating_add(other.can_lend_at(load.moment)?))
    })?;
    if lendable > 0 {
        return None;
    }
    let mut evidence = sources([load.current.as_ref()]);
    for other in context.others(load) {
        evidence.extend(sources([
            other.current.as_ref(),
            other.minimum.as_ref(),
            other.in_use_at(load.moment),
        ]));
    }
    Some(Reason {
        message: format!(
            "priority level {name} cannot borrow more seats: the other levels use or have lent all seats that they may lend"
        ),
        evidence,
        action: "simulate a higher lendablePercent of levels with idle seats over an audit log first, to see who gains and who pays",
    })
}

/// A configuration in which no level lends.
fn nobody_lends(context: &Context<'_>, report: &mut Report) {
    if !context.evidence.release.has(Fact::Lending) {
        return;
    }
    let limited: Vec<_> = context
        .levels
        .iter()
        .filter(|level| shares(&level.object.spec) > 0)
        .collect();
    let mut lendable_percents = limited.iter().map(|level| lendable(&level.object.spec));
    // catch-all alone never lends.
    if limited.len() < 3 || lendable_percents.any(|percent| percent > 0) {
        return;
    }
    let evidence = limited.iter().map(|level| {
        Observation::level_field(level.name(), LENDABLE, lendable(&level.object.spec))
    });
    report.cluster(
        Severity::Risk,
        None,
        "no priority level lends seats, so that no level can borrow any".to_owned(),
        evidence.collect(),
        "simulate a lendablePercent of levels that rarely use all of their seats over an audit log first, to see who gains and who pays",
    );
}

fn shares(spec: &PriorityLevelConfigurationSpec) -> i32 {
    let limited = spec.limited.as_ref();
    let shares = limited.and_then(|limited| limited.nominal_concurrency_shares);
    shares.unwrap_or_default()
}

fn lendable(spec: &PriorityLevelConfigurationSpec) -> i32 {
    let limited = spec.limited.as_ref();
    let percent = limited.and_then(|limited| limited.lendable_percent);
    percent.unwrap_or_default()
}
