//! Requests that wait for more seats than are free.

use super::{Check, Context, Report, Severity, count, sources};
use crate::diagnosis::load::Load;

pub(super) const CHECK: Check = Check {
    id: "wide-requests",
    summary: "Requests that take several seats wait for them, although their priority level has free seats.",
    run,
};

/// The seats of the widest request that waits, and the fewer that are free.
pub(super) fn widest(load: &Load<'_>) -> Option<(i64, i64)> {
    let free = load.free()?;
    let widest = load.widest_waiting()?;
    (free > 0 && widest > free).then_some((widest, free))
}

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        let Some((widest, free)) = widest(load) else {
            continue;
        };
        let message = format!(
            "requests of priority level {} wait although {} free: a request that waits takes {}",
            load.name(),
            match free {
                1 => "1 seat is".to_owned(),
                free => format!("{free} seats are"),
            },
            count(widest, "seat"),
        );
        let mut evidence = sources([
            load.measured_waiting(),
            load.in_use(),
            load.current.as_ref(),
        ]);
        let what = format!(
            "the largest InitialSeats or FinalSeats of a waiting request of {}",
            load.name()
        );
        evidence.push(load.in_dump_requests(what, widest));
        let action = "let the clients list with `limit`, by namespace or from the watch cache (resourceVersion=0), so that their lists need fewer seats";
        // A full level has few seats to lose.
        let severity = match load.is_full() {
            Some(true) => Severity::Note,
            _ => Severity::Problem,
        };
        report.level(severity, load, message, evidence, action);
    }
}
