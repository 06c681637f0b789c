//! Evidence from a server: audit logs, metrics, debug dumps and the owners of objects.

pub mod audit;
pub mod dumps;
pub mod metrics;
pub mod ownership;
