//! Evidence from a server: audit logs, metrics, debug dumps and the owners of objects.

pub mod audit;
pub mod dumps;
mod duration;
pub mod metrics;
pub mod ownership;

pub(crate) use duration::go_duration;
