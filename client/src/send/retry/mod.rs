//! Sending a request again where that is safe.

mod attempts;
mod budget;
mod repeat;

pub(crate) use attempts::Attempts;
pub(crate) use budget::Budget;
use repeat::Repeat;
pub(crate) use repeat::RetryClass;
