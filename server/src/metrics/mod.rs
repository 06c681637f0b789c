//! `/metrics`: the requested deprecated versions, and the seats of flow control.

mod seats;

use crate::state::State;
use crate::throttle::metrics_text;

/// The text of the metrics. The metrics of throttling come first, if the server throttles.
pub(crate) fn text(state: &State) -> String {
    let throttled = state.with_flow(|_, flow| flow.throttled_mut().map(metrics_text));
    throttled.unwrap_or_default() + &seats::text(state) + &state.deprecated.text()
}
