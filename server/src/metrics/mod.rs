//! `/metrics`: the requested deprecated versions, and the seats of flow control.

mod deprecated;
mod seats;

pub(crate) use deprecated::{DeprecatedApi, DeprecatedApis};

use crate::state::State;

/// The text of the metrics, sorted by name.
pub(crate) fn text(state: &State) -> String {
    seats::text(state) + &state.deprecated.text()
}
