//! The metrics of requests in deprecated versions.

use crate::metrics::catalog::REQUESTED_DEPRECATED_APIS;
use crate::metrics::{Sample, ServerProcess, samples};
use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};
use serde::{Serialize, Serializer};
use std::time::SystemTime;

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
    #[serde(serialize_with = "super::requested::as_release")]
    pub refused_from: u32,
}

/// The requested resources in versions that `target` rejects, and the start time of the server if the metrics contain it.
pub(super) fn read(text: &str, target: Release) -> (Vec<Requested>, Option<SystemTime>) {
    let deprecated = samples(text).filter(|sample| sample.name == REQUESTED_DEPRECATED_APIS.name());
    let requested = deprecated.filter_map(|sample| of_sample(&sample, target));
    (requested.collect(), ServerProcess::parse(text).started)
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

/// The first minor release whose servers reject `version`, such as 29 for `v1beta2`; `None` if servers of `target` still accept it.
pub(super) fn removed_in(version: &str, target: Release) -> Option<u32> {
    let removed = match version {
        // Off by default in all releases that had it, and removed before the oldest release known here.
        "v1alpha1" => Some(21),
        version => version
            .parse()
            .ok()
            .and_then(|version: ApiVersion| version.lifecycle().removed),
    };
    removed.filter(|removed| *removed <= target.minor())
}

/// Serializes a minor release as text: 29 as `1.29`.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
pub(super) fn as_release<S: Serializer>(minor: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("1.{minor}"))
}
