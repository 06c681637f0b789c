//! The evidence of one cluster, and the verdict.

use super::aggregated::AggregatedServer;
use super::callers::LogCallers;
use super::extension_servers::UnboundServer;
use super::helm::{Fails, HelmRevision};
use super::requested::{self, Requested, removed_in};
use super::verdict::Verdict;
use super::writers::{Stamp, Stamps};
use k8s_flowcontrol_types::meta::Time;
use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt;
use std::time::SystemTime;

/// A part of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The release of the cluster.
    Release,
    /// The metrics of the API server.
    Metrics,
    /// The objects of the group.
    Objects,
    /// The requests in a version, which the metrics of the release do not count.
    Requests(String),
    /// The requests and writes in a version that an older target does not serve yet. Audit logs do not add them: a scan finds the clients that an
    /// upgrade breaks.
    Newer(String),
    /// The Helm releases in a kind of storage: Secret or ConfigMap.
    HelmReleases(&'static str),
    /// A stored object, such as `Secret team-a/sh.helm.release.v1.batch.v3`.
    Stored(String),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release => f.write_str("the release of the cluster"),
            Self::Metrics => f.write_str("metrics"),
            Self::Objects => f.write_str("objects"),
            Self::Requests(version) | Self::Newer(version) => write!(f, "requests in {version}"),
            Self::HelmReleases(storage) => write!(f, "Helm releases in {storage}s"),
            Self::Stored(name) => f.write_str(name),
        }
    }
}

/// Serializes the part as people read it.
impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A part of a cluster that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unread {
    /// The part.
    pub what: Part,
    /// The verdict about the part alone.
    pub verdict: Verdict,
    /// The reason.
    pub error: String,
}

/// The findings in a cluster.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClusterScan {
    /// The name of the cluster, such as the context of a kubeconfig file.
    pub context: Option<String>,
    /// The address of the API server.
    pub server: Option<String>,
    /// The release as the server reports it.
    pub release: Option<String>,
    /// The served versions, the preferred one first.
    pub served: Vec<String>,
    /// The verdict; see [`finish`](Self::finish).
    pub verdict: Verdict,
    /// The error that prevented the scan.
    pub error: Option<String>,
    /// The number of objects.
    pub objects: usize,
    /// The resources that were requested in old versions.
    pub requested: Vec<Requested>,
    /// The time from which the server has counted requests, in RFC 3339.
    pub requested_since: Option<String>,
    /// Field managers that wrote in an old version since then.
    pub writers: Vec<Stamp>,
    /// Field managers that once wrote in an old version.
    pub history: Vec<Stamp>,
    /// Stored Helm releases with objects in old versions.
    pub helm: Vec<HelmRevision>,
    /// The API servers behind APIServices, which may be the callers; empty if nothing requests an old version.
    pub aggregated: Vec<AggregatedServer>,
    /// The error that prevented reading them.
    pub aggregated_error: Option<String>,
    /// The extension API servers that may not watch the objects of flow control.
    pub unbound: Vec<UnboundServer>,
    /// The error that prevented finding them.
    pub unbound_error: Option<String>,
    /// The parts that could not be read.
    pub unread: Vec<Unread>,
    /// Whether the server forbids one of the reads, so that a role for the scan helps.
    #[serde(skip)]
    pub is_forbidden: bool,
    /// The start of the API server, if its metrics have it.
    #[serde(skip)]
    started: Option<SystemTime>,
}

impl ClusterScan {
    /// A cluster before its scan.
    pub fn new(context: Option<String>) -> Self {
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
            unbound: Vec::new(),
            unbound_error: None,
            unread: Vec::new(),
            is_forbidden: false,
            started: None,
        }
    }

    /// A cluster that could not be scanned.
    pub fn failed(context: Option<String>, error: impl fmt::Display) -> Self {
        let mut scan = Self::new(context);
        scan.fail(Verdict::Failed, error);
        scan
    }

    /// The name of the cluster for people.
    pub fn title(&self) -> &str {
        self.context.as_deref().unwrap_or("(this cluster)")
    }

    /// Adds the release, as the field `gitVersion` of `/version` names it. `given` is the release of a cluster that names none: without it,
    /// nothing tells which requests its metrics count.
    pub fn add_release(&mut self, git_version: &str, given: Option<Release>) {
        let is_known = minor_of(git_version).is_some();
        self.release = Some(match given {
            Some(release) if !is_known => format!("v{release}"),
            _ => git_version.to_owned(),
        });
        if !is_known && given.is_none() {
            let error = format!(
                "it names `{git_version}`, so it is not known which requests its metrics count"
            );
            self.add_unread(Part::Release, Verdict::Incomplete, error);
        }
    }

    /// Adds the served versions, as the discovery of the group lists them.
    pub fn add_served(
        &mut self,
        preferred: Option<String>,
        versions: impl IntoIterator<Item = String>,
    ) {
        let others = versions
            .into_iter()
            .filter(|version| Some(version) != preferred.as_ref());
        let mut served: Vec<_> = preferred.iter().cloned().collect();
        served.extend(others);
        self.served = served;
    }

    /// Adds the text of `/metrics`. Call it after [`add_release`](Self::add_release) and [`add_served`](Self::add_served): an old version
    /// whose requests the release does not count is a part that was not read, and so is a version that an older target does not serve yet.
    pub fn add_metrics(&mut self, text: &str, target: Release) {
        let (requested, started) = requested::read(text, target);
        self.requested = requested;
        self.started = started;
        self.requested_since = started.map(|time| Time::from(time).to_string());
        self.add_uncounted(target);
        self.add_newer(target);
    }

    /// Adds the served versions that the target does not serve yet.
    fn add_newer(&mut self, target: Release) {
        let newest = target.served().max();
        for version in self.served.clone() {
            let served = version.parse::<ApiVersion>();
            if served.is_ok_and(|served| Some(served) > newest) {
                let error = format!(
                    "Kubernetes {target} does not serve it yet: a scan finds the clients that an upgrade breaks, not the clients that a downgrade breaks"
                );
                self.add_unread(Part::Newer(version), Verdict::Incomplete, error);
            }
        }
    }

    /// Adds the objects of the cluster, and who wrote them. Call it after [`add_metrics`](Self::add_metrics): a writer of an old version is
    /// history unless its write is newer than the start of the server, and the server may have received requests in that version since.
    pub fn add_objects(&mut self, objects: usize, stamps: Stamps) {
        self.objects += objects;
        let (writers, history) = stamps.split(|stamp| self.may_request(stamp), self.started);
        self.writers.extend(writers);
        self.history.extend(history);
    }

    /// Adds a part that could not be read.
    pub fn add_unread(&mut self, what: Part, verdict: Verdict, error: impl fmt::Display) {
        self.is_forbidden |= verdict == Verdict::Forbidden;
        self.unread.push(Unread {
            what,
            verdict,
            error: error.to_string(),
        });
    }

    /// Ends the scan with an error.
    pub fn fail(&mut self, verdict: Verdict, error: impl fmt::Display) {
        self.is_forbidden |= verdict == Verdict::Forbidden;
        self.verdict = verdict;
        self.error = Some(error.to_string());
    }

    /// Ends the scan with the verdict that follows from the evidence.
    pub fn finish(&mut self) {
        self.verdict = match (self.has_findings(), self.unread.is_empty()) {
            (true, _) => Verdict::Outdated,
            (false, false) => Verdict::Incomplete,
            (false, true) => Verdict::Clean,
        };
    }

    /// Adds the callers in the audit logs of this cluster to its verdict. Call it after [`finish`](Self::finish).
    pub fn add_logs<'a>(&mut self, logs: impl Iterator<Item = &'a LogCallers> + Clone) {
        let callers = || logs.clone().flat_map(LogCallers::callers);
        for server in &mut self.aggregated {
            let is_user = |user: &str| server.deployments.iter().any(|found| found.user == user);
            let versions = callers().filter(|caller| is_user(&caller.user));
            let versions: BTreeSet<_> = versions.map(|caller| caller.version.clone()).collect();
            server.requests = versions.into_iter().collect();
        }
        let is_uncounted = |part: &Unread| matches!(part.what, Part::Requests(_));
        if logs.clone().any(|log| log.our_requests > 0) {
            // The logs have the requests that the metric does not count.
            self.unread.retain(|part| !is_uncounted(part));
        } else {
            for part in self.unread.iter_mut().filter(|part| is_uncounted(part)) {
                let why = format!(
                    "; the audit log does not contain events of {GROUP}, so its policy may omit them"
                );
                part.error.push_str(&why);
            }
        }
        if matches!(self.verdict, Verdict::Clean | Verdict::Incomplete) {
            match callers().next().is_some() {
                true => self.verdict = Verdict::Outdated,
                false => self.finish(),
            }
        }
    }

    /// Whether the whole cluster was read.
    pub fn is_complete(&self) -> bool {
        self.verdict.is_known() && self.unread.is_empty()
    }

    /// The old versions that clients request, and those whose requests are not counted.
    pub fn suspected(&self) -> BTreeSet<&str> {
        let requested = self.requested.iter().map(|sample| sample.version.as_str());
        let uncounted = self.unread.iter().filter_map(|part| match &part.what {
            Part::Requests(version) => Some(version.as_str()),
            _ => None,
        });
        let written = self.writers.iter().map(|stamp| stamp.version.as_str());
        requested.chain(uncounted).chain(written).collect()
    }

    fn has_findings(&self) -> bool {
        let blocks = |revision: &HelmRevision| revision.fails == Fails::Upgrade;
        !self.requested.is_empty() || !self.writers.is_empty() || self.helm.iter().any(blocks)
    }

    fn minor(&self) -> Option<u32> {
        self.release.as_deref().and_then(minor_of)
    }

    /// Whether the writer of a stamp may be a client: the server has counted requests in its version, or does not count them.
    fn may_request(&self, stamp: &Stamp) -> bool {
        let is_own = OWN_MANAGERS.contains(&stamp.manager.as_str())
            && self.served.first() == Some(&stamp.version);
        let mut requested = self.requested.iter();
        requested.any(|sample| sample.version == stamp.version)
            || !is_own && !counts(&stamp.version, self.minor())
    }

    /// Adds the old versions whose requests the metric of the cluster does not count: it counts deprecated versions only.
    fn add_uncounted(&mut self, target: Release) {
        let Some(minor) = self.minor() else {
            return;
        };
        for version in self.served.clone() {
            let parsed: Option<ApiVersion> = version.parse().ok();
            let deprecated = parsed.and_then(|version| version.lifecycle().deprecated);
            let (Some(deprecated), Some(_)) = (deprecated, removed_in(&version, target)) else {
                continue;
            };
            if !counts(&version, Some(minor)) {
                let error = format!(
                    "Kubernetes 1.{minor} does not count them, because {version} is deprecated since 1.{deprecated}"
                );
                self.add_unread(Part::Requests(version), Verdict::Incomplete, error);
            }
        }
    }
}

/// The field managers of the API server itself, which writes in its own version.
const OWN_MANAGERS: [&str; 2] = [
    "api-priority-and-fairness-config-producer-v1",
    "api-priority-and-fairness-config-consumer-v1",
];

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
