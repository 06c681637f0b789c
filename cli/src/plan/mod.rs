//! The steps of an upgrade: which version can be applied on which release, and who needs what by when.

mod cluster;
mod files;
mod output;
mod steps;

pub(crate) use cluster::{ClusterState, look_at};
pub(crate) use files::read;
pub(crate) use output::{json, table};
pub(crate) use steps::Plan;
