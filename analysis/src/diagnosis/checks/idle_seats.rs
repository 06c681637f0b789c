//! A level whose requests wait while other levels have idle seats.

use super::machine::Limit;
use super::overload::Pressed;
use super::{
    Check, Context, MORE_SEATS, Report, Severity, about_seats, count, sources, waiting_requests,
};

pub(super) const CHECK: Check = Check {
    id: "idle-seats",
    summary: "Requests wait although the server has idle seats.",
    run,
};

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        // A level below its maximum gets the seats at the next adjustment, within ten seconds.
        let is_own = |pressed: &Pressed<'_>| !pressed.is_overload() && pressed.is_at_maximum;
        let Some(pressed) = Pressed::new(context, load).filter(is_own) else {
            continue;
        };
        let message = format!(
            "{} for its {}, while other levels can lend {} of {}",
            waiting_requests(load.waiting(), load.name()),
            count(pressed.limit, "seat"),
            pressed.lendable,
            count(pressed.all, "seat"),
        );
        let mut evidence = pressed.evidence(load);
        for other in context.others(load) {
            if other
                .can_lend_at(load.moment)
                .is_some_and(|seats| seats > 0)
            {
                evidence.extend(sources([
                    other.current.as_ref(),
                    other.in_use_at(load.moment),
                    other.minimum.as_ref(),
                ]));
            }
        }
        evidence.push(pressed.idle_seats());
        // Who gains and who pays depends on the load, which the evidence does not have.
        let advice = format!("the level has the most seats that it may have: {MORE_SEATS}");
        let action = about_seats(load, &advice);
        let severity = match Limit::now(load.server) {
            None => Severity::Problem,
            Some(_) => Severity::Note,
        };
        report.level(severity, load, message, evidence, action);
    }
}
