//! Who still depends on old versions of the API: what a cluster tells, what Helm keeps in it, what an audit log says.

mod audit;
mod cluster;
mod helm;
mod metric;
mod output;
mod stamps;

pub(crate) use audit::AuditLog;
pub(crate) use cluster::{ClusterScan, look_at};
pub(crate) use output::{json, refusals, table};

use k8s_flowcontrol::{ApiVersion, Release};

/// The minor release from which servers refuse `version`, if that is no later than `target`.
pub(crate) fn refused_from(version: &str, target: Release) -> Option<u32> {
    let removed = match version {
        // Never on by default, and gone before the releases that are known here.
        "v1alpha1" => Some(21),
        version => version
            .parse()
            .ok()
            .and_then(|version: ApiVersion| version.lifecycle().removed),
    };
    removed.filter(|removed| *removed <= target.minor())
}
