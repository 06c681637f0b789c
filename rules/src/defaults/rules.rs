//! The defaults as data.

use k8s_flowcontrol_types::convert::shares_name;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind};

/// A member that has a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    MatchingPrecedence,
    Shares,
    LendablePercent,
    ExemptShares,
    ExemptLendablePercent,
    Queues,
    HandSize,
    QueueLengthLimit,
}

impl Member {
    /// The stanza that holds the member.
    pub(super) fn parent(self) -> &'static [&'static str] {
        match self {
            Self::MatchingPrecedence => &["spec"],
            Self::Shares | Self::LendablePercent => &["spec", "limited"],
            Self::ExemptShares | Self::ExemptLendablePercent => &["spec", "exempt"],
            Self::Queues | Self::HandSize | Self::QueueLengthLimit => {
                &["spec", "limited", "limitResponse", "queuing"]
            }
        }
    }

    /// The member's name.
    pub(super) fn name(self, version: ApiVersion) -> &'static str {
        match self {
            Self::MatchingPrecedence => "matchingPrecedence",
            Self::Shares => shares_name(version),
            Self::ExemptShares => "nominalConcurrencyShares",
            Self::LendablePercent | Self::ExemptLendablePercent => "lendablePercent",
            Self::Queues => "queues",
            Self::HandSize => "handSize",
            Self::QueueLengthLimit => "queueLengthLimit",
        }
    }
}

/// One default of one member.
pub(super) struct Rule {
    pub(super) kind: Kind,
    pub(super) member: Member,
    pub(super) value: i32,
    versions: &'static [ApiVersion],
    /// The first minor release that applies it.
    since: u32,
    /// Whether a zero counts as absent: Go cannot tell them apart in a plain integer.
    pub(super) zero_is_absent: bool,
    /// Whether the rule is for levels with the annotation that preserves zero shares, or for those without;
    /// `None`: for all.
    annotated: Option<bool>,
}

/// The rules for objects of `kind`; `preserves_zero` tells whether the annotation for zero shares counts.
pub(super) fn rules(
    kind: VersionedKind,
    preserves_zero: bool,
) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| {
        rule.kind == kind.kind
            && rule.versions.contains(&kind.version)
            && kind.release.minor() >= rule.since
            && rule
                .annotated
                .is_none_or(|annotated| annotated == preserves_zero)
    })
}

const RULES: &[Rule] = &[
    Rule {
        kind: Kind::FlowSchema,
        ..plain(Member::MatchingPrecedence, 1000)
    },
    Rule {
        versions: &[ApiVersion::V1Beta1, ApiVersion::V1Beta2],
        ..plain(Member::Shares, 30)
    },
    Rule {
        versions: &[ApiVersion::V1Beta3],
        annotated: Some(false),
        ..plain(Member::Shares, 30)
    },
    Rule {
        versions: &[ApiVersion::V1Beta3],
        annotated: Some(true),
        ..pointer(Member::Shares, 0)
    },
    Rule {
        versions: &[ApiVersion::V1],
        ..pointer(Member::Shares, 30)
    },
    Rule {
        since: 26,
        ..pointer(Member::LendablePercent, 0)
    },
    Rule {
        since: 28,
        ..pointer(Member::ExemptShares, 0)
    },
    Rule {
        since: 28,
        ..pointer(Member::ExemptLendablePercent, 0)
    },
    plain(Member::Queues, 64),
    plain(Member::HandSize, 8),
    plain(Member::QueueLengthLimit, 50),
];

/// A member that is a plain integer in Go.
const fn plain(member: Member, value: i32) -> Rule {
    Rule {
        kind: Kind::PriorityLevelConfiguration,
        member,
        value,
        versions: &ApiVersion::ALL,
        since: 0,
        zero_is_absent: true,
        annotated: None,
    }
}

/// A member that is a pointer in Go, so that zero and absence differ.
const fn pointer(member: Member, value: i32) -> Rule {
    Rule {
        zero_is_absent: false,
        ..plain(member, value)
    }
}
