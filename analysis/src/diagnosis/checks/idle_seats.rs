//! A level whose requests wait while other levels have idle seats.

use super::overload::Pressed;
use super::{Check, Context, Observation, Report, Severity, count};

pub(super) const CHECK: Check = Check {
    id: "idle-seats",
    summary: "Requests wait although the server has idle seats.",
    run,
};

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        let Some(pressed) = Pressed::new(context, load).filter(|pressed| !pressed.is_overload())
        else {
            continue;
        };
        let message = format!(
            "{} of priority level {} wait for its {}, while other levels have {} of {} idle",
            count(load.waiting(), "request"),
            load.name(),
            count(pressed.current.value, "seat"),
            pressed.idle,
            count(pressed.all, "seat"),
        );
        let mut evidence = pressed.evidence(load);
        for other in context.others(load) {
            if other.free().is_some_and(|free| free > 0) {
                let measured = other.current.iter().chain(&other.in_use);
                evidence.extend(measured.map(|measured| measured.from.clone()));
            }
        }
        evidence.push(Observation::computed(format!(
            "idle seats of the other levels: {}, the sum of their limits without the seats in use",
            pressed.idle
        )));
        let action =
            "give the level more shares, let it borrow more, or let the other levels lend more";
        report.level(Severity::Problem, load, message, evidence, action);
    }
}
