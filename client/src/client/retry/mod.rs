//! Sending a request again where that is safe.

mod attempts;
mod budget;
mod repeat;

pub(super) use attempts::Attempts;
pub(super) use budget::Budget;
use repeat::{Failure, Repeat};
