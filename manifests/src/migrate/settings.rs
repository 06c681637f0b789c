//! The options of a migration.

use super::metrics::Metrics;
use k8s_flowcontrol_types::{ApiVersion, Release};

/// The options of a migration.
///
/// ```
/// use k8s_flowcontrol_manifests::{ForeignFieldPolicy, Settings};
/// use k8s_flowcontrol_types::{ApiVersion, Release};
///
/// let settings = Settings {
///     release: Release::new(28),
///     foreign_fields: Some(ForeignFieldPolicy::Live),
///     ..Settings::to(ApiVersion::V1Beta3)
/// };
/// assert!(!settings.allow_loss);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The target version.
    pub to: ApiVersion,
    /// The release whose rules apply, if it serves the version. Defaults to the newest release that does.
    pub release: Option<Release>,
    /// The handling of fields of another version. By default they are errors.
    pub foreign_fields: Option<ForeignFieldPolicy>,
    /// Whether losses are accepted: each is then a note of the rule [`Loss`](super::Rule::Loss). By default they are errors.
    pub allow_loss: bool,
    /// The handling of metrics that Kubernetes 1.37 removed.
    pub metrics: Metrics,
}

impl Settings {
    /// A migration to a version, with defaults for everything else.
    pub const fn to(version: ApiVersion) -> Self {
        Self {
            to: version,
            release: None,
            foreign_fields: None,
            allow_loss: false,
            metrics: Metrics::Ignore,
        }
    }
}

/// The meaning to keep for a field that a server ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignFieldPolicy {
    /// Write the values that servers use now.
    Live,
    /// Write the values that the file intends.
    File,
}
