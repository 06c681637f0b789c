//! The limits of the priority levels.

use super::Gauges;
use k8s_flowcontrol_rules::limits::{LevelLimits, ServerLimits};
use k8s_flowcontrol_types::{Fact, Release};

/// A name, a help text, and a value of each priority level.
type Gauge = (&'static str, &'static str, fn(&LevelLimits) -> i64);

const GAUGES: [Gauge; 3] = [
    (
        "lower_limit_seats",
        "[ALPHA] Configured lower bound on number of execution seats available to each priority level",
        |level| level.minimum,
    ),
    (
        "nominal_limit_seats",
        "[BETA] Nominal number of execution seats configured for each priority level",
        |level| level.nominal,
    ),
    (
        "upper_limit_seats",
        "[ALPHA] Configured upper bound on number of execution seats available to each priority level",
        |level| level.maximum,
    ),
];

const BEFORE_LENDING: [Gauge; 1] = [(
    "request_concurrency_limit",
    "[ALPHA] Shared concurrency limit in the API Priority and Fairness subsystem",
    |level| level.nominal,
)];

/// Sets the limits of all levels. `current` has the adjusted limit of a level; none if its demand is not known.
pub(crate) fn set(
    gauges: &mut Gauges,
    limits: &ServerLimits,
    release: Release,
    current: impl Fn(&str) -> Option<i64>,
) {
    let lends = release.has(Fact::Lending);
    for level in limits.levels() {
        if level.exempt && !release.has(Fact::ExemptField) {
            continue;
        }
        let of = || format!("{{priority_level=\"{}\"}}", level.name);
        let all = match lends {
            true => &GAUGES[..],
            false => &BEFORE_LENDING,
        };
        for (name, help, value) in all {
            gauges.set(name, help, of(), value(level) as f64);
        }
        if lends {
            let help = "[ALPHA] current derived number of execution seats available to each priority level";
            let seats = current(&level.name).unwrap_or_else(|| level.initial());
            gauges.set("current_limit_seats", help, of(), seats as f64);
        }
    }
}
