//! The release of a cluster, even if the cluster does not report it.

use crate::output::notice;
use k8s_flowcontrol::{Client, Error, Release};

/// The given release, or else the release that the cluster reports, or else the oldest release with its API versions. The last is an
/// assumption, which a note on the standard error mentions.
pub(crate) async fn release_of(client: &Client, given: Option<Release>) -> Result<Release, Error> {
    if let Some(release) = given {
        return Ok(release);
    }
    let version = client.version().await?.git_version;
    if let Ok(release) = version.parse() {
        return Ok(release);
    }
    let release = client.release().await?;
    // If the standard error is closed, nobody reads notes.
    let _ = notice(&format!(
        "the cluster names the release `{version}`, which is not a known one: the rules of Kubernetes {release} apply; `--kubernetes` sets another"
    ));
    Ok(release)
}
