//! `/metrics`: the gauge that tells which deprecated versions are still in use.

use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

const NAME: &str = "apiserver_requested_deprecated_apis";
const HELP: &str = "[STABLE] Gauge of deprecated APIs that have been requested, broken out by API \
    group, version, resource, subresource, and removed_release.";

/// A resource in a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Requested {
    /// In which the version is gone.
    removed: u32,
    resource: &'static str,
    subresource: &'static str,
    version: ApiVersion,
}

/// The deprecated APIs that were requested since the server started.
#[derive(Debug, Default)]
pub(crate) struct DeprecatedApis(Mutex<BTreeSet<Requested>>);

impl DeprecatedApis {
    /// Notes a request, if the version is deprecated in `release`.
    pub(crate) fn note(
        &self,
        release: Release,
        version: ApiVersion,
        resource: &'static str,
        subresource: &'static str,
    ) {
        let Some(removed) = removed_from(version, release) else {
            return;
        };
        let mut requested = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requested.insert(Requested {
            removed,
            resource,
            subresource,
            version,
        });
    }

    /// The text of the metrics; a gauge that has no values is not there.
    pub(crate) fn text(&self) -> String {
        let requested = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if requested.is_empty() {
            return String::new();
        }
        let mut text = format!("# HELP {NAME} {HELP}\n# TYPE {NAME} gauge\n");
        for Requested {
            removed,
            resource,
            subresource,
            version,
        } in &*requested
        {
            text += &format!(
                "{NAME}{{group=\"{GROUP}\",removed_release=\"1.{removed}\",resource=\"{resource}\",\
                 subresource=\"{subresource}\",version=\"{version}\"}} 1\n"
            );
        }
        text
    }
}

/// The release without the version, when `release` warns of it.
fn removed_from(version: ApiVersion, release: Release) -> Option<u32> {
    let lifecycle = version.lifecycle();
    lifecycle
        .deprecated
        .filter(|deprecated| release.minor() >= *deprecated)?;
    lifecycle.removed
}
