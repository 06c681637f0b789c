//! The releases of an upgrade, and the moves of a manifest from version to version.
//!
//! No release serves both v1beta2 and v1, so a manifest moves twice on the way from 1.27 to 1.32:
//!
//! ```
//! use k8s_flowcontrol_rules::upgrade::{Plan, moves};
//! use k8s_flowcontrol_types::{ApiVersion, Release};
//!
//! let plan = Plan::new(Release::new(27).unwrap(), Release::new(32).unwrap());
//! let steps: Vec<_> = moves(ApiVersion::V1Beta2, plan).iter().map(ToString::to_string).collect();
//! assert_eq!(steps, [
//!     "from v1beta2 to v1beta3 on Kubernetes 1.27, before 1.29",
//!     "from v1beta3 to v1 on Kubernetes 1.29, before 1.32",
//! ]);
//! ```
//!
//! The versions of each release come from the
//! [deprecation guide](https://kubernetes.io/docs/reference/using-api/deprecation-guide/).

use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};
use std::fmt;

/// An upgrade from one release to another, one minor release at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The release before the upgrade.
    pub from: Release,
    /// The release after the upgrade.
    pub to: Release,
}

impl Plan {
    /// An upgrade between two releases. For an upgrade to an older release, the releases and the moves are empty.
    pub const fn new(from: Release, to: Release) -> Self {
        Self { from, to }
    }

    /// The releases of the upgrade, the first and the last included.
    pub fn releases(self) -> impl Iterator<Item = Release> {
        (self.from.minor()..=self.to.minor()).filter_map(Release::new)
    }
}

/// The version of a manifest. No release since 1.25 serves or converts v1alpha1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Written {
    /// v1alpha1, which had the fields of v1beta1.
    Alpha,
    /// A version of a known release.
    Version(ApiVersion),
}

/// The first minor release that does not serve v1alpha1.
const ALPHA_REMOVED: u32 = 21;

impl Written {
    /// The version of an `apiVersion` of the group; none for another text.
    pub fn of(api_version: &str) -> Option<Self> {
        match api_version.strip_prefix(GROUP)?.strip_prefix('/')? {
            "v1alpha1" => Some(Self::Alpha),
            version => version.parse().ok().map(Self::Version),
        }
    }

    /// The name of the version, such as `v1beta2`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Alpha => "v1alpha1",
            Self::Version(version) => version.as_str(),
        }
    }
}

impl From<ApiVersion> for Written {
    fn from(version: ApiVersion) -> Self {
        Self::Version(version)
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A change of version that a manifest needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Move {
    /// The first release of the plan that serves both versions.
    pub on: Release,
    /// The first release that does not serve the old version. If it is not later than `on`, the move is overdue.
    pub before: u32,
    /// The version before the move.
    pub from: Written,
    /// The version after the move.
    pub to: ApiVersion,
}

impl Move {
    /// Whether the current release already lacks the old version.
    pub fn is_overdue(self) -> bool {
        self.before <= self.on.minor()
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            on,
            before,
            from,
            to,
        } = self;
        write!(
            f,
            "from {from} to {to} on Kubernetes {on}, before 1.{before}"
        )
    }
}

/// The moves that keep a manifest in `version` applicable during the whole upgrade.
///
/// Each release shares a version with the next release, and the manifest moves to that version.
pub fn moves(version: impl Into<Written>, plan: Plan) -> Vec<Move> {
    let mut moves = Vec::new();
    let from = version.into();
    let mut current = match from {
        Written::Version(version) => version,
        Written::Alpha => {
            let to = plan.from.preferred();
            moves.push(Move {
                on: plan.from,
                before: ALPHA_REMOVED,
                from,
                to,
            });
            to
        }
    };
    while let Some(removed) = current.lifecycle().removed
        && removed <= plan.to.minor()
    {
        let overdue = removed <= plan.from.minor();
        let target = if overdue {
            plan.from.preferred()
        } else {
            let next = Release::new(removed);
            let served = Release::new(removed - 1)
                .into_iter()
                .flat_map(Release::served);
            let common =
                served.filter(|version| next.is_some_and(|next| version.is_served_by(next)));
            // Two neighbouring releases have a version in common.
            common.max().unwrap_or(ApiVersion::V1)
        };
        let first = target.lifecycle().introduced.max(plan.from.minor());
        let Some(on) = Release::new(first) else { break };
        moves.push(Move {
            on,
            before: removed,
            from: current.into(),
            to: target,
        });
        current = target;
    }
    moves
}

/// The minor release that first serves a version, if the upgrade begins before it: until then, a manifest in the version cannot be
/// applied.
pub fn not_before(version: Written, plan: Plan) -> Option<u32> {
    let Written::Version(version) = version else {
        return None;
    };
    let introduced = version.lifecycle().introduced;
    (introduced > plan.from.minor()).then_some(introduced)
}
