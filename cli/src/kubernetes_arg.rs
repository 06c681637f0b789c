//! The option `--kubernetes` of commands that follow the rules of a release.

use crate::failure::Failure;
use k8s_flowcontrol::{ApiVersion, Release};

/// The release whose rules a command follows.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct KubernetesArg {
    /// The Kubernetes release whose rules apply, such as 1.29; defaults to the release of the cluster, or without one to
    /// the newest known release
    #[arg(long = "kubernetes", value_name = "RELEASE")]
    release: Option<Release>,
}

impl KubernetesArg {
    pub(crate) fn given(self) -> Option<Release> {
        self.release
    }

    /// The given release, or else the newest one.
    pub(crate) fn release(self) -> Release {
        self.release.unwrap_or_default()
    }

    /// The given release, or else the release of the cluster, or else the newest one.
    pub(crate) fn release_or(self, live: Option<Release>) -> Release {
        self.release.or(live).unwrap_or_default()
    }
}

/// The given version, or else the newest version that the release serves.
/// Errors: a given version that the release does not serve.
pub(crate) fn served_version(
    given: Option<ApiVersion>,
    release: Release,
) -> Result<ApiVersion, Failure> {
    let newest = release.preferred();
    match given {
        Some(version) if !version.is_served_by(release) => {
            let served: Vec<_> = release.served().map(ApiVersion::as_str).collect();
            let message = format!("Kubernetes {release} does not serve {version}");
            let served = served.join(" and ");
            let hint = format!("it serves {served}: use --to-version {newest}");
            Err(Failure::usage(message).hint(hint))
        }
        Some(version) => Ok(version),
        None => Ok(newest),
    }
}
