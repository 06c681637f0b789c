//! A look at one cluster. It is read through the version that it prefers, so that nobody is counted as a caller of an old
//! version because of us.

use super::helm::{self, HelmRevision};
use super::requested::{self, Requested};
use super::writers::{Stamp, Stamps};
use crate::cluster::Live;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::meta::Time;
use k8s_flowcontrol::{ApiVersion, Client, Error, GROUP, Release};
use serde::Serialize;
use std::fmt;
use std::time::{Duration, SystemTime};

/// What a look at a cluster came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Nobody depends on an old version, as far as a cluster knows.
    Clean,
    /// Somebody does.
    Outdated,
    /// Nothing was found, but not everything could be read.
    Incomplete,
    /// The user may not read the objects.
    Forbidden,
    /// The credentials were not accepted.
    Unauthorized,
    /// No connection came about, or it broke.
    Unreachable,
    /// It took too long.
    Timeout,
    /// Something else went wrong.
    Failed,
}

impl Verdict {
    fn of(error: &Error) -> Self {
        if error.is_forbidden() {
            Self::Forbidden
        } else if error.is_unauthorized() {
            Self::Unauthorized
        } else if error.is_connect() {
            Self::Unreachable
        } else if error.is_timeout() {
            Self::Timeout
        } else if error.code().is_none() && error.is_retryable() {
            Self::Unreachable
        } else {
            Self::Failed
        }
    }

    /// Whether the cluster could be looked at as a whole.
    pub(crate) fn is_known(self) -> bool {
        matches!(self, Self::Clean | Self::Outdated)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clean => "clean",
            Self::Outdated => "outdated",
            Self::Incomplete => "incomplete",
            Self::Forbidden => "forbidden",
            Self::Unauthorized => "unauthorized",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Failed => "failed",
        })
    }
}

/// A part of a cluster that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Unread {
    pub(crate) what: String,
    pub(crate) verdict: Verdict,
    pub(crate) error: String,
}

/// What was found in a cluster.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClusterScan {
    pub(crate) context: Option<String>,
    pub(crate) server: Option<String>,
    /// The release as the server says it.
    pub(crate) release: Option<String>,
    /// The served versions, the preferred one first.
    pub(crate) served: Vec<String>,
    pub(crate) verdict: Verdict,
    /// Why there is no better verdict.
    pub(crate) error: Option<String>,
    /// How many objects were read.
    pub(crate) objects: usize,
    /// What was requested in old versions.
    pub(crate) requested: Vec<Requested>,
    /// When the server that answered began to count requests.
    pub(crate) requested_since: Option<String>,
    /// Who wrote in an old version since then.
    pub(crate) writers: Vec<Stamp>,
    /// Who once did, which says nothing about today.
    pub(crate) history: Vec<Stamp>,
    /// What Helm keeps.
    pub(crate) helm: Vec<HelmRevision>,
    /// What could not be read.
    pub(crate) unread: Vec<Unread>,
}

impl ClusterScan {
    /// A cluster of which nothing is known yet.
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
            unread: Vec::new(),
        }
    }

    /// A cluster that could not be looked at.
    pub(crate) fn failed(context: Option<String>, error: impl fmt::Display) -> Self {
        Self {
            error: Some(error.to_string()),
            ..Self::new(context)
        }
    }

    /// How people call the cluster.
    pub(crate) fn title(&self) -> &str {
        self.context.as_deref().unwrap_or("(this cluster)")
    }

    fn has_findings(&self) -> bool {
        let blocks = |revision: &HelmRevision| revision.fails == helm::Fails::Upgrade;
        !self.requested.is_empty() || !self.writers.is_empty() || self.helm.iter().any(blocks)
    }

    fn unread(&mut self, what: impl Into<String>, error: &Error) {
        self.unread.push(Unread {
            what: what.into(),
            verdict: Verdict::of(error),
            error: error.to_string(),
        });
    }
}

/// Looks at a cluster, for as long as `timeout` allows. What goes wrong is a part of the answer.
pub(crate) async fn look_at(
    context: Option<String>,
    client: Client,
    target: Release,
    reads_helm: bool,
    timeout: Duration,
) -> ClusterScan {
    let mut scan = ClusterScan::new(context);
    scan.server = Some(client.config().server_url().to_owned());
    let work = fill(&mut scan, &client, target, reads_helm);
    match tokio::time::timeout(timeout, work).await {
        Ok(Ok(())) => {
            scan.verdict = match (scan.has_findings(), scan.unread.is_empty()) {
                (true, _) => Verdict::Outdated,
                (false, false) => Verdict::Incomplete,
                (false, true) => Verdict::Clean,
            };
        }
        Ok(Err(error)) => {
            scan.verdict = Verdict::of(&error);
            scan.error = Some(error.to_string());
        }
        Err(_) => {
            scan.verdict = Verdict::Timeout;
            scan.error = Some(format!("no answer to all questions within {timeout:?}"));
        }
    }
    scan
}

async fn fill(
    scan: &mut ClusterScan,
    client: &Client,
    target: Release,
    reads_helm: bool,
) -> Result<(), Error> {
    scan.release = Some(client.version().await?.git_version);
    let group = client.api_group(GROUP).await?;
    let preferred = group.preferred_version.map(|version| version.version);
    let all = group.versions.into_iter().map(|version| version.version);
    scan.served = preferred.clone().into_iter().collect();
    scan.served
        .extend(all.filter(|version| Some(version) != preferred.as_ref()));
    // Before anything else is asked, so that only others are seen.
    match client.get_raw("/metrics").accept("text/plain").await {
        Ok(text) => {
            let (requested, started) = requested::read(&String::from_utf8_lossy(&text), target);
            scan.requested = requested;
            scan.requested_since = started.map(|time| Time::from(time).to_string());
            read_objects(scan, client, target, started).await?;
        }
        Err(error) => {
            scan.unread("metrics", &error);
            read_objects(scan, client, target, None).await?;
        }
    }
    if reads_helm {
        for (storage, kept) in helm::releases(client, target).await {
            match kept {
                Ok(kept) => {
                    scan.helm.extend(kept.revisions);
                    let broken = kept.broken.into_iter().map(|what| Unread {
                        what,
                        verdict: Verdict::Failed,
                        error: "it does not hold a release in Helm's form".into(),
                    });
                    scan.unread.extend(broken);
                }
                // A server without them keeps nothing in them.
                Err(error) if error.is_not_found() => {}
                Err(error) => scan.unread(format!("Helm releases in {storage}s"), &error),
            }
        }
    }
    Ok(())
}

/// Reads the traces on objects, through the preferred version.
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
            error: format!("the cluster serves {GROUP} in no version that is known here"),
        });
        return Ok(());
    };
    let live = Live {
        client: client.clone(),
        version,
        served: vec![version],
    };
    let mut stamps = Stamps::default();
    for kind in Kind::ALL {
        for object in live.list(kind, None).await? {
            stamps.add(&object, target);
            scan.objects += 1;
        }
    }
    let requested = scan.requested.clone();
    let is_requested = |version: &str| requested.iter().any(|sample| sample.version == version);
    (scan.writers, scan.history) = stamps.told_apart(is_requested, started);
    Ok(())
}
