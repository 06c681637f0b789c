//! The limits of the priority levels, which depend on the objects and the server's seats alone.

use crate::flow_control::{Flow, objects};
use crate::state::State;
use k8s_flowcontrol_rules::limits::{LevelLimits, ServerLimits};
use k8s_flowcontrol_types::Fact;
use k8s_flowcontrol_types::Kind;

/// A gauge with one value for each priority level.
struct Gauge {
    name: &'static str,
    help: &'static str,
    value: fn(&LevelLimits) -> i64,
}

const GAUGES: [Gauge; 4] = [
    Gauge {
        name: "current_limit_seats",
        help: "[ALPHA] current derived number of execution seats available to each priority level",
        value: LevelLimits::initial,
    },
    Gauge {
        name: "lower_limit_seats",
        help: "[ALPHA] Configured lower bound on number of execution seats available to each priority level",
        value: |level| level.minimum,
    },
    Gauge {
        name: "nominal_limit_seats",
        help: "[BETA] Nominal number of execution seats configured for each priority level",
        value: |level| level.nominal,
    },
    Gauge {
        name: "upper_limit_seats",
        help: "[ALPHA] Configured upper bound on number of execution seats available to each priority level",
        value: |level| level.maximum,
    },
];

const BEFORE_LENDING: [Gauge; 1] = [Gauge {
    name: "request_concurrency_limit",
    help: "[ALPHA] Shared concurrency limit in the API Priority and Fairness subsystem",
    value: |level| level.nominal,
}];

/// The gauges of the release.
pub(super) fn text(state: &State) -> String {
    let release = state.kinds.release();
    let limits = state.with_flow(|store, flow| match flow.throttled() {
        Some(throttle) => throttle.limits().clone(),
        None => {
            let levels = objects(store, &state.kinds, Kind::PriorityLevelConfiguration);
            ServerLimits::new(&levels, state.seats, release)
        }
    });
    let gauges = match release.has(Fact::Lending) {
        false => &BEFORE_LENDING[..],
        true => &GAUGES,
    };
    let mut text = String::new();
    for Gauge { name, help, value } in gauges {
        let name = format!("apiserver_flowcontrol_{name}");
        text += &format!("# HELP {name} {help}\n# TYPE {name} gauge\n");
        for level in limits.levels() {
            if level.exempt && !release.has(Fact::ExemptField) {
                continue;
            }
            let adjusted = name.ends_with("_current_limit_seats").then(|| {
                let current = |flow: &mut Flow| Some(flow.throttled()?.level(&level.name)?.limit);
                state.with_flow(|_, flow| current(flow))
            });
            let value = adjusted.flatten().unwrap_or_else(|| value(level));
            let level = &level.name;
            text += &format!("{name}{{priority_level=\"{level}\"}} {value}\n");
        }
    }
    text
}
