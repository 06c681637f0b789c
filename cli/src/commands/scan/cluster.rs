//! Reading the evidence of one cluster, through its preferred version: the scan itself must not use an old version.

use super::{aggregated, helm};
use crate::cluster::Live;
use k8s_flowcontrol::{ApiVersion, Client, Error, GROUP, Kind, Release};
use k8s_flowcontrol_analysis::scan::{ClusterScan, Part, Stamps, Verdict};
use std::time::Duration;

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
        Ok(Ok(())) => scan.finish(),
        Ok(Err(error)) => scan.fail(verdict(&error), error),
        Err(_) => {
            let error = format!("the scan did not finish within {timeout:?}");
            scan.fail(Verdict::Timeout, error);
        }
    }
    scan
}

/// The verdict after an error of reading.
pub(crate) fn verdict(error: &Error) -> Verdict {
    if error.is_forbidden() {
        Verdict::Forbidden
    } else if error.is_unauthorized() {
        Verdict::Unauthorized
    } else if error.is_connect() {
        Verdict::Unreachable
    } else if error.is_timeout() {
        Verdict::Timeout
    } else if error.code().is_none() && error.is_retryable() {
        Verdict::Unreachable
    } else {
        Verdict::Failed
    }
}

async fn fill(
    scan: &mut ClusterScan,
    client: &Client,
    target: Release,
    reads: Reads,
) -> Result<(), Error> {
    read_versions(scan, client, reads.release).await?;
    // Metrics come first, so they do not contain the requests of the scan.
    match client.get_raw("/metrics").accept("text/plain").await {
        Ok(text) => scan.add_metrics(&String::from_utf8_lossy(&text), target),
        Err(error) => scan.add_unread(Part::Metrics, verdict(&error), error),
    }
    read_objects(scan, client, target).await?;
    if reads.helm {
        for (storage, kept) in helm::releases(client, target).await {
            match kept {
                Ok(kept) => {
                    scan.helm.extend(kept.revisions);
                    for what in kept.broken {
                        let error = "it does not contain a release in Helm's format";
                        scan.add_unread(Part::Stored(what), Verdict::Failed, error);
                    }
                }
                // The server does not have the resource.
                Err(error) if error.is_not_found() => {}
                Err(error) => {
                    scan.add_unread(Part::HelmReleases(storage), verdict(&error), error);
                }
            }
        }
    }
    if reads.callers || !scan.suspected().is_empty() {
        match aggregated::read(client).await {
            Ok(servers) => scan.aggregated = servers,
            Err(error) => {
                scan.is_forbidden |= error.is_forbidden();
                scan.aggregated_error = Some(error.to_string());
            }
        }
    }
    match aggregated::read_unbound(client).await {
        Ok(servers) => scan.unbound = servers,
        Err(error) => {
            scan.is_forbidden |= error.is_forbidden();
            scan.unbound_error = Some(error.to_string());
        }
    }
    Ok(())
}

/// Reads the release and the served versions. `release` is that of a cluster that does not name it.
pub(crate) async fn read_versions(
    scan: &mut ClusterScan,
    client: &Client,
    release: Option<Release>,
) -> Result<(), Error> {
    let version = client.version().await?;
    scan.add_release(&version.git_version, release);
    let group = client.api_group(GROUP).await?;
    let preferred = group.preferred_version.map(|version| version.version);
    let all = group.versions.into_iter().map(|version| version.version);
    scan.add_served(preferred, all);
    Ok(())
}

/// Reads the field managers of objects, through the preferred version.
pub(crate) async fn read_objects(
    scan: &mut ClusterScan,
    client: &Client,
    target: Release,
) -> Result<(), Error> {
    let mut versions = scan
        .served
        .iter()
        .filter_map(|version| version.parse().ok());
    let Some(version): Option<ApiVersion> = versions.next() else {
        let error = format!("the cluster serves no known version of {GROUP}");
        scan.add_unread(Part::Objects, Verdict::Failed, error);
        return Ok(());
    };
    let live = Live {
        client: client.clone(),
        version,
        served: vec![version],
        given: None,
    };
    let mut stamps = Stamps::default();
    let mut number = 0;
    for kind in Kind::ALL.iter().copied() {
        for object in live.list(kind, None).await? {
            stamps.add(&object, target);
            number += 1;
        }
    }
    scan.add_objects(number, stamps);
    Ok(())
}
