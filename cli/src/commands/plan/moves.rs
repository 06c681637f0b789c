//! The releases of an upgrade, and the moves of a manifest from version to version.

use k8s_flowcontrol::{ApiVersion, Release};
use k8s_flowcontrol_manifests::version_of;
use std::fmt;

/// An upgrade from one release to another, one minor release at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) from: Release,
    pub(crate) to: Release,
}

impl Plan {
    /// The releases of the upgrade, the first and the last included.
    pub(crate) fn releases(self) -> impl Iterator<Item = Release> {
        (self.from.minor()..=self.to.minor()).filter_map(Release::new)
    }
}

/// The version of a manifest. No release since 1.25 serves or converts v1alpha1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Written {
    Alpha,
    Version(ApiVersion),
}

/// The first minor release that does not serve v1alpha1.
const ALPHA_REMOVED: u32 = 21;

impl Written {
    /// The version of an `apiVersion` of the group; none for another text.
    pub(crate) fn of(api_version: &str) -> Option<Self> {
        let version = version_of(api_version)?;
        match api_version.ends_with("/v1alpha1") {
            true => Some(Self::Alpha),
            false => Some(Self::Version(version)),
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
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
        f.write_str(self.as_str())
    }
}

/// A change of version that a manifest needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Move {
    /// The first release of the plan that serves both versions.
    pub(crate) on: Release,
    /// The first release that does not serve the old version. If it is not later than `on`, the move is overdue.
    pub(crate) before: u32,
    pub(crate) from: Written,
    pub(crate) to: ApiVersion,
}

impl Move {
    /// Whether the current release already lacks the old version.
    pub(crate) fn is_overdue(self) -> bool {
        self.before <= self.on.minor()
    }
}

/// The moves that keep a manifest in `version` applicable during the whole upgrade.
///
/// Each release shares a version with the next release, and the manifest moves to that version.
pub(crate) fn moves(version: impl Into<Written>, plan: Plan) -> Vec<Move> {
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

/// The first release that serves the version, if the upgrade begins before it.
pub(crate) fn not_before(version: Written, plan: Plan) -> Option<u32> {
    let Written::Version(version) = version else {
        return None;
    };
    let introduced = version.lifecycle().introduced;
    (introduced > plan.from.minor()).then_some(introduced)
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        reason = "a test stops at what it does not expect"
    )]

    use super::*;

    fn plan(from: u32, to: u32) -> Plan {
        Plan {
            from: Release::new(from).unwrap(),
            to: Release::new(to).unwrap(),
        }
    }

    fn way(version: ApiVersion, from: u32, to: u32) -> Vec<(u32, u32, &'static str)> {
        moves(version, plan(from, to))
            .iter()
            .map(|step| (step.on.minor(), step.before, step.to.as_str()))
            .collect()
    }

    #[test]
    fn no_release_serves_both_v1beta2_and_v1() {
        assert_eq!(
            way(ApiVersion::V1Beta2, 27, 32),
            [(27, 29, "v1beta3"), (29, 32, "v1")]
        );
        assert_eq!(
            way(ApiVersion::V1Beta1, 25, 37),
            [(25, 26, "v1beta2"), (26, 29, "v1beta3"), (29, 32, "v1")]
        );
        assert_eq!(way(ApiVersion::V1Beta2, 27, 28), []);
        assert_eq!(way(ApiVersion::V1, 27, 37), []);
        assert_eq!(not_before(ApiVersion::V1.into(), plan(27, 32)), Some(29));
    }

    #[test]
    fn a_version_that_is_gone_already_is_overdue() {
        let steps = moves(ApiVersion::V1Beta2, plan(30, 32));
        assert_eq!(way(ApiVersion::V1Beta2, 30, 32), [(30, 29, "v1")]);
        assert!(steps[0].is_overdue());
        assert_eq!(
            way(ApiVersion::V1Beta1, 27, 32),
            [(27, 26, "v1beta3"), (29, 32, "v1")]
        );
    }

    #[test]
    fn v1alpha1_is_a_version_of_its_own() {
        let alpha = Written::of("flowcontrol.apiserver.k8s.io/v1alpha1").unwrap();
        assert_eq!(alpha.to_string(), "v1alpha1");
        let steps = moves(alpha, plan(28, 32));
        let shown: Vec<_> = steps
            .iter()
            .map(|step| {
                (
                    step.on.minor(),
                    step.is_overdue(),
                    step.from.as_str(),
                    step.to.as_str(),
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                (28, true, "v1alpha1", "v1beta3"),
                (29, false, "v1beta3", "v1")
            ]
        );
        assert_eq!(not_before(alpha, plan(28, 32)), None);
        assert_eq!(Written::of("flowcontrol.apiserver.k8s.io/v2"), None);
    }

    #[test]
    fn every_move_is_made_on_a_release_that_serves_both() {
        for from in Release::all() {
            for to in Release::all().filter(|to| *to >= from) {
                let plan = Plan { from, to };
                for version in from.served() {
                    let mut at = version;
                    for step in moves(version, plan) {
                        assert_eq!(step.from, at.into());
                        assert!(at.is_served_by(step.on) && step.to.is_served_by(step.on));
                        assert!(step.before > step.on.minor());
                        at = step.to;
                    }
                    assert!(at.is_served_by(to), "{version} from {from} to {to}");
                }
            }
        }
    }
}
