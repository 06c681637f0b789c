//! The scan of one cluster, through its preferred version: the scan itself must not use an old version.

use super::aggregated::{self, AggregatedServer};
use super::audit::AuditLog;
use super::helm::{self, HelmRevision};
use super::refusal::refused_from;
use super::requested::{self, Requested};
use super::verdict::Verdict;
use super::writers::{Stamp, Stamps};
use crate::cluster::Live;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::meta::Time;
use k8s_flowcontrol::{ApiVersion, Client, Error, GROUP, Release};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, SystemTime};

/// The beginning of the name of a part: requests that the metric of a cluster does not count.
const UNCOUNTED: &str = "requests in ";

/// A part of a cluster that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Unread {
    pub(crate) what: String,
    pub(crate) verdict: Verdict,
    pub(crate) error: String,
}

/// The findings in a cluster.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClusterScan {
    pub(crate) context: Option<String>,
    pub(crate) server: Option<String>,
    /// The release as the server reports it.
    pub(crate) release: Option<String>,
    /// The served versions, the preferred one first.
    pub(crate) served: Vec<String>,
    pub(crate) verdict: Verdict,
    /// The error that prevented the scan.
    pub(crate) error: Option<String>,
    /// The number of objects.
    pub(crate) objects: usize,
    /// The resources that were requested in old versions.
    pub(crate) requested: Vec<Requested>,
    /// The time from which the server has counted requests.
    pub(crate) requested_since: Option<String>,
    /// Field managers that wrote in an old version since then.
    pub(crate) writers: Vec<Stamp>,
    /// Field managers that once wrote in an old version.
    pub(crate) history: Vec<Stamp>,
    /// Stored Helm releases with objects in old versions.
    pub(crate) helm: Vec<HelmRevision>,
    /// The API servers behind APIServices, which may be the callers; empty if nothing requests an old version.
    pub(crate) aggregated: Vec<AggregatedServer>,
    /// The error that prevented reading them.
    pub(crate) aggregated_error: Option<String>,
    /// The parts that could not be read.
    pub(crate) unread: Vec<Unread>,
}

impl ClusterScan {
    /// A cluster before its scan.
    pub(crate) fn new(context: Option<String>) -> Self {
        Self {
            context,
            server: None,
            release: None,
            served: Vec::new(),
            verdict: Verdict::Failed,
            error: None,
            objects: 0,
            requested: Vec::new(),
            requested_since: None,
            writers: Vec::new(),
            history: Vec::new(),
            helm: Vec::new(),
            aggregated: Vec::new(),
            aggregated_error: None,
            unread: Vec::new(),
        }
    }

    /// A cluster that could not be scanned.
    pub(crate) fn failed(context: Option<String>, error: impl fmt::Display) -> Self {
        Self {
            error: Some(error.to_string()),
            ..Self::new(context)
        }
    }

    /// The name of the cluster in the output.
    pub(crate) fn title(&self) -> &str {
        self.context.as_deref().unwrap_or("(this cluster)")
    }

    fn has_findings(&self) -> bool {
        let blocks = |revision: &HelmRevision| revision.fails == helm::Fails::Upgrade;
        !self.requested.is_empty() || !self.writers.is_empty() || self.helm.iter().any(blocks)
    }

    /// The old versions that clients request, and those whose requests are not counted.
    pub(crate) fn suspected(&self) -> BTreeSet<&str> {
        let requested = self.requested.iter().map(|sample| sample.version.as_str());
        let uncounted = self.unread.iter();
        let uncounted = uncounted.filter_map(|part| part.what.strip_prefix(UNCOUNTED));
        let written = self.writers.iter().map(|stamp| stamp.version.as_str());
        requested.chain(uncounted).chain(written).collect()
    }

    /// Adds the callers in the audit logs of the cluster to its verdict.
    pub(crate) fn add_logs<'a>(&mut self, logs: impl Iterator<Item = &'a AuditLog> + Clone) {
        let callers = || logs.clone().flat_map(AuditLog::callers);
        for server in &mut self.aggregated {
            let is_user = |user: &str| server.deployments.iter().any(|found| found.user == user);
            let versions = callers().filter(|caller| is_user(&caller.user));
            let versions: BTreeSet<_> = versions.map(|caller| caller.version.clone()).collect();
            server.requests = versions.into_iter().collect();
        }
        let has_our_requests = logs.clone().any(|log| log.our_requests > 0);
        if has_our_requests {
            // The logs have the requests that the metric does not count.
            self.unread.retain(|part| !part.what.starts_with(UNCOUNTED));
        } else {
            let uncounted = self.unread.iter_mut();
            for part in uncounted.filter(|part| part.what.starts_with(UNCOUNTED)) {
                let why = format!(
                    "; the audit log does not contain events of {GROUP}, so its policy may omit them"
                );
                part.error.push_str(&why);
            }
        }
        if matches!(self.verdict, Verdict::Clean | Verdict::Incomplete) {
            self.verdict = match callers().next().is_some() {
                true => Verdict::Outdated,
                false => self.judged(),
            };
        }
    }

    /// The verdict after a scan without an error.
    fn judged(&self) -> Verdict {
        match (self.has_findings(), self.unread.is_empty()) {
            (true, _) => Verdict::Outdated,
            (false, false) => Verdict::Incomplete,
            (false, true) => Verdict::Clean,
        }
    }

    fn unread(&mut self, what: impl Into<String>, error: &Error) {
        self.unread.push(Unread {
            what: what.into(),
            verdict: Verdict::of(error),
            error: error.to_string(),
        });
    }
}

/// The optional parts of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reads {
    /// The releases that Helm stores.
    pub(crate) helm: bool,
    /// The aggregated API servers, even if the cluster itself does not show signs of old versions.
    pub(crate) callers: bool,
    /// The release of the cluster, if it does not name it.
    pub(crate) release: Option<Release>,
}

/// Scans a cluster for at most `timeout`. An error becomes part of the result.
pub(crate) async fn scan(
    context: Option<String>,
    client: Client,
    target: Release,
    reads: Reads,
    timeout: Duration,
) -> ClusterScan {
    let mut scan = ClusterScan::new(context);
    scan.server = Some(client.config().server_url().to_owned());
    let work = fill(&mut scan, &client, target, reads);
    match tokio::time::timeout(timeout, work).await {
        Ok(Ok(())) => {
            scan.verdict = scan.judged();
        }
        Ok(Err(error)) => {
            scan.verdict = Verdict::of(&error);
            scan.error = Some(error.to_string());
        }
        Err(_) => {
            scan.verdict = Verdict::Timeout;
            scan.error = Some(format!("the scan did not finish within {timeout:?}"));
        }
    }
    scan
}

async fn fill(
    scan: &mut ClusterScan,
    client: &Client,
    target: Release,
    reads: Reads,
) -> Result<(), Error> {
    let named = client.version().await?.git_version;
    let is_known = minor_of(&named).is_some();
    scan.release = Some(match reads.release {
        Some(release) if !is_known => format!("v{release}"),
        _ => named.clone(),
    });
    if !is_known && reads.release.is_none() {
        scan.unread.push(Unread {
            what: "the release of the cluster".to_owned(),
            verdict: Verdict::Incomplete,
            error: format!(
                "it names `{named}`, so it is not known which requests its metrics count; `--kubernetes RELEASE` gives it"
            ),
        });
    }
    let group = client.api_group(GROUP).await?;
    let preferred = group.preferred_version.map(|version| version.version);
    let all = group.versions.into_iter().map(|version| version.version);
    scan.served = preferred.clone().into_iter().collect();
    scan.served
        .extend(all.filter(|version| Some(version) != preferred.as_ref()));
    // Metrics come first, so they do not contain the requests of the scan.
    match client.get_raw("/metrics").accept("text/plain").await {
        Ok(text) => {
            let (requested, started) = requested::read(&String::from_utf8_lossy(&text), target);
            scan.requested = requested;
            scan.requested_since = started.map(|time| Time::from(time).to_string());
            uncounted(scan, target);
            read_objects(scan, client, target, started).await?;
        }
        Err(error) => {
            scan.unread("metrics", &error);
            read_objects(scan, client, target, None).await?;
        }
    }
    if reads.helm {
        for (storage, kept) in helm::releases(client, target).await {
            match kept {
                Ok(kept) => {
                    scan.helm.extend(kept.revisions);
                    let broken = kept.broken.into_iter().map(|what| Unread {
                        what,
                        verdict: Verdict::Failed,
                        error: "it does not contain a release in Helm's format".into(),
                    });
                    scan.unread.extend(broken);
                }
                // The server does not have the resource.
                Err(error) if error.is_not_found() => {}
                Err(error) => scan.unread(format!("Helm releases in {storage}s"), &error),
            }
        }
    }
    if reads.callers || !scan.suspected().is_empty() {
        match aggregated::read(client).await {
            Ok(servers) => scan.aggregated = servers,
            Err(error) => scan.aggregated_error = Some(error.to_string()),
        }
    }
    Ok(())
}

/// Reads the field managers of objects, through the preferred version.
async fn read_objects(
    scan: &mut ClusterScan,
    client: &Client,
    target: Release,
    started: Option<SystemTime>,
) -> Result<(), Error> {
    let mut versions = scan
        .served
        .iter()
        .filter_map(|version| version.parse().ok());
    let Some(version): Option<ApiVersion> = versions.next() else {
        scan.unread.push(Unread {
            what: "objects".into(),
            verdict: Verdict::Failed,
            error: format!("the cluster serves no known version of {GROUP}"),
        });
        return Ok(());
    };
    let live = Live {
        client: client.clone(),
        version,
        served: vec![version],
        given: None,
    };
    let mut stamps = Stamps::default();
    for kind in Kind::ALL.iter().copied() {
        for object in live.list(kind, None).await? {
            stamps.add(&object, target);
            scan.objects += 1;
        }
    }
    let (writers, history) = stamps.split(|stamp| may_request(stamp, scan), started);
    (scan.writers, scan.history) = (writers, history);
    Ok(())
}

/// The field managers of the API server itself, which writes in its own version.
const OWN_MANAGERS: [&str; 2] = [
    "api-priority-and-fairness-config-producer-v1",
    "api-priority-and-fairness-config-consumer-v1",
];

/// Whether the writer of a stamp may be a client: the server has counted requests in its version, or does not count them.
fn may_request(stamp: &Stamp, scan: &ClusterScan) -> bool {
    let minor = scan.release.as_deref().and_then(minor_of);
    let is_own = OWN_MANAGERS.contains(&stamp.manager.as_str())
        && scan.served.first() == Some(&stamp.version);
    let mut requested = scan.requested.iter();
    requested.any(|sample| sample.version == stamp.version)
        || !is_own && !counts(&stamp.version, minor)
}

/// Adds the old versions whose requests the metric of the cluster does not count: it counts deprecated versions only.
fn uncounted(scan: &mut ClusterScan, target: Release) {
    let Some(minor) = scan.release.as_deref().and_then(minor_of) else {
        return;
    };
    for version in scan.served.clone() {
        let parsed: Option<ApiVersion> = version.parse().ok();
        let deprecated = parsed.and_then(|version| version.lifecycle().deprecated);
        let (Some(deprecated), Some(_)) = (deprecated, refused_from(&version, target)) else {
            continue;
        };
        if !counts(&version, Some(minor)) {
            scan.unread.push(Unread {
                what: format!("{UNCOUNTED}{version}"),
                verdict: Verdict::Incomplete,
                error: format!(
                    "Kubernetes 1.{minor} does not count them, because {version} is deprecated since 1.{deprecated}; \
                     --audit-log LOG finds the callers in an audit log"
                ),
            });
        }
    }
}

/// Whether servers of a release count the requests in a version; assumed for an unknown release.
fn counts(version: &str, minor: Option<u32>) -> bool {
    let version: Option<ApiVersion> = version.parse().ok();
    let deprecated = version.and_then(|version| version.lifecycle().deprecated);
    match (deprecated, minor) {
        (Some(deprecated), Some(minor)) => deprecated <= minor,
        _ => true,
    }
}

/// The minor release of a version such as `v1.28.3`.
fn minor_of(git_version: &str) -> Option<u32> {
    let minor = git_version.strip_prefix("v1.")?;
    let end = minor.find(|digit: char| !digit.is_ascii_digit());
    minor[..end.unwrap_or(minor.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::writers::Evidence;
    use super::*;

    #[test]
    fn a_version_that_the_metric_does_not_count_may_be_requested() {
        let stamp = |manager: &str, version: &str| Stamp {
            manager: manager.to_owned(),
            version: version.to_owned(),
            evidence: Evidence::ManagedFields,
            objects: 1,
            last: None,
            refused_from: 32,
        };
        let mut scan = ClusterScan::new(None);
        scan.release = Some("v1.28.3-eks-1".to_owned());
        scan.served = vec!["v1beta3".to_owned(), "v1beta2".to_owned()];
        assert!(may_request(&stamp("team", "v1beta3"), &scan));
        assert!(!may_request(&stamp("team", "v1beta2"), &scan));
        // An aggregated server with the same controller writes in an older version than the server itself.
        assert!(!may_request(&stamp(OWN_MANAGERS[0], "v1beta3"), &scan));
        scan.release = Some("v1.29.0".to_owned());
        scan.served = vec!["v1".to_owned(), "v1beta3".to_owned()];
        assert!(!may_request(&stamp("team", "v1beta3"), &scan));
        scan.release = Some("unknown".to_owned());
        assert!(!may_request(&stamp("team", "v1beta3"), &scan));
    }
}
