//! A level without seats.

use super::{Check, Context, Observation, Report, Severity, sources, waiting_requests};

pub(super) const CHECK: Check = Check {
    id: "closed-level",
    summary: "Requests wait in a priority level without seats.",
    run,
};

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        let Some(current) = load.current.as_ref().filter(|current| current.value <= 0) else {
            continue;
        };
        if load.is_exempt() || load.waiting() == 0 {
            continue;
        }
        let message = format!(
            "{}, and the level does not have a seat",
            waiting_requests(load.waiting(), load.name()),
        );
        let mut evidence = sources([
            load.measured_waiting(),
            Some(current),
            load.maximum.as_ref(),
        ]);
        if let Some(limited) = &load.level.object.spec.limited {
            let shares = limited.nominal_concurrency_shares.unwrap_or_default();
            let path = "spec.limited.nominalConcurrencyShares";
            evidence.push(Observation::level_field(load.name(), path, shares));
        }
        let action = "simulate shares for the level over an audit log first, to see who gains and who pays, if its requests are wanted; limitResponse type Reject does not keep requests out, since a level without seats executes a single request while it is idle: deny them with authorization instead";
        report.level(Severity::Problem, load, message, evidence, action);
    }
}
