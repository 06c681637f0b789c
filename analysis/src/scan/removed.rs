//! The releases that do not serve a version.

use k8s_flowcontrol_types::{ApiVersion, Release};
use serde::Serializer;

/// The first minor release whose servers reject `version`, such as 29 for `v1beta2`; `None` if servers of `target` still accept it.
pub fn removed_in(version: &str, target: Release) -> Option<u32> {
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
