//! The option `--kubernetes` of commands that follow the rules of a release.

use k8s_flowcontrol::Release;

/// The release whose rules a command follows.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct KubernetesArg {
    /// The Kubernetes release whose rules apply, such as 1.29; unless given, the newest known one, or with `--live` the
    /// cluster's
    #[arg(long = "kubernetes", value_name = "RELEASE")]
    release: Option<Release>,
}

impl KubernetesArg {
    /// The release given, or else the newest.
    pub(crate) fn release(self) -> Release {
        self.release.unwrap_or_default()
    }

    /// The release given, or else the cluster's; one that is not known is taken for the newest.
    pub(crate) fn release_or(self, live: Option<Release>) -> Release {
        self.release.or(live).unwrap_or_default()
    }
}
