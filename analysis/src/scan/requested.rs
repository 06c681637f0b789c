//! The metrics of requests in deprecated versions.

use super::removed::removed_in;
use crate::metrics::catalog::REQUESTED_DEPRECATED_APIS;
use crate::metrics::{Sample, samples};
use k8s_flowcontrol_types::{GROUP, Release};
use serde::Serialize;
use std::time::{Duration, SystemTime};

/// A resource that was requested in an old version since the server started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Requested {
    /// The API version.
    pub version: String,
    /// The resource, in plural.
    pub resource: String,
    /// The subresource; empty for the resource itself.
    pub subresource: String,
    /// The first minor release that does not serve the version.
    #[serde(serialize_with = "super::removed::as_release")]
    pub refused_from: u32,
}

/// The requested resources in versions that `target` rejects, and the start time of the server if the metrics contain it.
pub(super) fn read(text: &str, target: Release) -> (Vec<Requested>, Option<SystemTime>) {
    let mut requested = Vec::new();
    let mut started = None;
    for sample in samples(text) {
        match sample.name {
            name if name == REQUESTED_DEPRECATED_APIS.name() => {
                requested.extend(of_sample(&sample, target));
            }
            "process_start_time_seconds" => {
                started = Duration::try_from_secs_f64(sample.value)
                    .ok()
                    .and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
            }
            _ => {}
        }
    }
    (requested, started)
}

fn of_sample(sample: &Sample<'_>, target: Release) -> Option<Requested> {
    if sample.label("group")? != GROUP || sample.value <= 0.0 {
        return None;
    }
    let version = sample.label("version")?;
    Some(Requested {
        version: version.to_owned(),
        resource: sample.label("resource")?.to_owned(),
        subresource: sample.label("subresource").unwrap_or_default().to_owned(),
        refused_from: removed_in(version, target)?,
    })
}
