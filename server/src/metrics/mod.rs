//! `/metrics`: the requested deprecated versions, and the seats of flow control.

mod deprecated;
mod seats;

pub(crate) use deprecated::{DeprecatedApi, DeprecatedApis};

use crate::flow_control::Flow;
use crate::state::State;
use crate::throttle::{ExecutingSeats, metrics_text};

/// The text of the metrics. Those of a server that throttles come first.
pub(crate) fn text(state: &State) -> String {
    let metrics = |flow: &mut Flow| Some(metrics_text(flow.throttled()?, &executing_seats(flow)));
    let throttled = state.with_flow(|_, flow| metrics(flow));
    throttled.unwrap_or_default() + &seats::text(state) + &state.deprecated.text()
}

/// The seats of the requests that execute.
fn executing_seats(flow: &Flow) -> ExecutingSeats {
    let mut seats = ExecutingSeats::new();
    for executing in flow.executing().filter(|request| request.started.is_some()) {
        let key = (
            executing.flow_schema.clone(),
            executing.priority_level.clone(),
        );
        *seats.entry(key).or_default() += u64::from(executing.seats);
    }
    seats
}
