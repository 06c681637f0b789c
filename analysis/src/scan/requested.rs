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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test")]
mod tests {
    use super::*;

    #[test]
    fn requests_in_old_versions_of_this_group() {
        let text = "\
# HELP apiserver_requested_deprecated_apis [STABLE] Gauge of deprecated APIs that have been requested
apiserver_requested_deprecated_apis{group=\"flowcontrol.apiserver.k8s.io\",removed_release=\"1.32\",resource=\"flowschemas\",subresource=\"status\",version=\"v1beta3\"} 1
apiserver_requested_deprecated_apis{group=\"flowcontrol.apiserver.k8s.io\",removed_release=\"1.29\",resource=\"flowschemas\",subresource=\"\",version=\"v1beta2\"} 0
apiserver_requested_deprecated_apis{group=\"policy\",removed_release=\"1.25\",resource=\"podsecuritypolicies\",subresource=\"\",version=\"v1beta1\"} 1
apiserver_requested_deprecated_apis{broken
process_start_time_seconds 1.7e+09
";
        let (requested, started) = read(text, Release::NEWEST);
        let expected = Requested {
            version: "v1beta3".into(),
            resource: "flowschemas".into(),
            subresource: "status".into(),
            refused_from: 32,
        };
        assert_eq!(requested, [expected]);
        let since = started.unwrap().duration_since(SystemTime::UNIX_EPOCH);
        assert_eq!(since.unwrap().as_secs(), 1_700_000_000);
        // 1.31 still serves v1beta3.
        let target = Release::new(31).unwrap();
        assert_eq!(read(text, target).0, []);
    }
}
