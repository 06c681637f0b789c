//! The process of a server, from its metrics.

use super::text::samples;
use k8s_flowcontrol_types::Release;
use std::time::{Duration, SystemTime};

/// The process of an API server: the release, and the time of its start. Each is `None` if the metrics do not have it.
///
/// Two samples of different processes cannot be compared: the server restarted, or a load balancer chose another server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerProcess {
    /// The release (`kubernetes_build_info`); also `None` for a release that is not known here.
    pub release: Option<Release>,
    /// The time of the start (`process_start_time_seconds`).
    pub started: Option<SystemTime>,
}

impl ServerProcess {
    /// Reads the text of `/metrics`.
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::metrics::ServerProcess;
    ///
    /// let process = ServerProcess::parse("kubernetes_build_info{git_version=\"v1.36.2\",major=\"1\",minor=\"36\"} 1\n");
    /// assert_eq!(process.release.map(|release| release.minor()), Some(36));
    /// ```
    pub fn parse(metrics: &str) -> Self {
        let mut found = Self::default();
        for sample in samples(metrics) {
            match sample.name {
                "kubernetes_build_info" => {
                    let version = sample.label("git_version");
                    found.release = version.and_then(|version| version.parse().ok());
                }
                "process_start_time_seconds" => {
                    found.started = Duration::try_from_secs_f64(sample.value)
                        .ok()
                        .and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
                }
                _ => {}
            }
        }
        found
    }
}
