//! The defaults as data.

use k8s_flowcontrol_types::convert::shares_name;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind};

/// A field that has a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    MatchingPrecedence,
    Shares,
    LendablePercent,
    ExemptShares,
    ExemptLendablePercent,
    Queues,
    HandSize,
    QueueLengthLimit,
}

impl Field {
    /// The stanza that holds the field.
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

    /// The field's name.
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

/// One default of one field.
pub(super) struct Rule {
    pub(super) kind: Kind,
    pub(super) field: Field,
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
        ..plain(Field::MatchingPrecedence, 1000)
    },
    Rule {
        versions: &[ApiVersion::V1Beta1, ApiVersion::V1Beta2],
        ..plain(Field::Shares, 30)
    },
    Rule {
        versions: &[ApiVersion::V1Beta3],
        annotated: Some(false),
        ..plain(Field::Shares, 30)
    },
    Rule {
        versions: &[ApiVersion::V1Beta3],
        annotated: Some(true),
        ..pointer(Field::Shares, 0)
    },
    Rule {
        versions: &[ApiVersion::V1],
        ..pointer(Field::Shares, 30)
    },
    Rule {
        since: 26,
        ..pointer(Field::LendablePercent, 0)
    },
    Rule {
        since: 28,
        ..pointer(Field::ExemptShares, 0)
    },
    Rule {
        since: 28,
        ..pointer(Field::ExemptLendablePercent, 0)
    },
    plain(Field::Queues, 64),
    plain(Field::HandSize, 8),
    plain(Field::QueueLengthLimit, 50),
];

/// A field that is a plain integer in Go.
const fn plain(field: Field, value: i32) -> Rule {
    Rule {
        kind: Kind::PriorityLevelConfiguration,
        field,
        value,
        versions: &ApiVersion::ALL,
        since: 0,
        zero_is_absent: true,
        annotated: None,
    }
}

/// A field that is a pointer in Go, so that zero and absence differ.
const fn pointer(field: Field, value: i32) -> Rule {
    Rule {
        zero_is_absent: false,
        ..plain(field, value)
    }
}
