//! Sending a request again where that is safe.

mod attempts;
mod repeat;

pub(super) use attempts::Attempts;
use repeat::{Failure, Repeat};
