//! `/metrics`: the requested deprecated versions, and the seats of flow control.

mod gauges;
pub(crate) mod seats;

pub(crate) use gauges::Gauges;

use crate::flow_control::objects;
use crate::state::State;
use crate::throttle::metrics_text;
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_types::Kind;
use std::fmt::Write;

/// The beginning of the names of flow control's metrics.
pub(crate) const PREFIX: &str = "apiserver_flowcontrol_";

/// Writes the lines that precede the values of a metric of flow control.
pub(crate) fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "# HELP {PREFIX}{name} {help}\n# TYPE {PREFIX}{name} {kind}"
    );
}

pub(crate) fn text(state: &State) -> String {
    let flow_control = state.with_flow(|store, flow| match flow.throttled_mut() {
        Some(throttle) => metrics_text(throttle),
        None => {
            let levels = objects(store, &state.kinds, Kind::PriorityLevelConfiguration);
            let release = state.kinds.release;
            let limits = ServerLimits::new(&levels, state.seats, release);
            let mut gauges = Gauges::default();
            seats::set(&mut gauges, &limits, release, |_| None);
            let mut text = String::new();
            gauges.write(&mut text);
            text
        }
    });
    flow_control + &state.deprecated.text()
}
