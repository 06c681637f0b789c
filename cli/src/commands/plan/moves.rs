//! The releases of an upgrade, and the moves of a manifest from version to version.

use k8s_flowcontrol::{ApiVersion, Release};

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

/// A change of version that a manifest needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Move {
    /// The first release of the plan that serves both versions.
    pub(crate) on: Release,
    /// The first release that does not serve the old version. If it is not later than `on`, the move is overdue.
    pub(crate) before: u32,
    pub(crate) from: ApiVersion,
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
pub(crate) fn moves(version: ApiVersion, plan: Plan) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut current = version;
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
            from: current,
            to: target,
        });
        current = target;
    }
    moves
}

/// The first release that serves the version, if the upgrade begins before it.
pub(crate) fn not_before(version: ApiVersion, plan: Plan) -> Option<u32> {
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
        assert_eq!(not_before(ApiVersion::V1, plan(27, 32)), Some(29));
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
    fn every_move_is_made_on_a_release_that_serves_both() {
        for from in Release::all() {
            for to in Release::all().filter(|to| *to >= from) {
                let plan = Plan { from, to };
                for version in from.served() {
                    let mut at = version;
                    for step in moves(version, plan) {
                        assert_eq!(step.from, at);
                        assert!(step.from.is_served_by(step.on) && step.to.is_served_by(step.on));
                        assert!(step.before > step.on.minor());
                        at = step.to;
                    }
                    assert!(at.is_served_by(to), "{version} from {from} to {to}");
                }
            }
        }
    }
}
