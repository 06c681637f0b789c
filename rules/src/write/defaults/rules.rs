//! The table of defaults.

use k8s_flowcontrol_types::convert::shares_name;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Fact, Kind};

/// A field with a default.
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
    /// The path of the object that contains the field.
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

pub(super) struct Rule {
    pub(super) kind: Kind,
    pub(super) field: Field,
    pub(super) value: i32,
    versions: &'static [ApiVersion],
    /// The fact of the releases with the default; `None` for all.
    since: Option<Fact>,
    /// Whether zero counts as absent, as in a plain Go integer.
    pub(super) zero_is_absent: bool,
    /// Whether the default applies only with (`true`) or only without (`false`) the annotation that preserves zero
    /// shares; `None`: always.
    annotated: Option<bool>,
}

/// The defaults of objects of `kind`. `preserves_zero` is the effect of the annotation for zero shares.
pub(super) fn rules(
    kind: VersionedKind,
    preserves_zero: bool,
) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| {
        rule.kind == kind.kind
            && rule.versions.contains(&kind.version)
            && rule.since.is_none_or(|fact| kind.release.has(fact))
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
        since: Some(Fact::Lending),
        ..pointer(Field::LendablePercent, 0)
    },
    Rule {
        since: Some(Fact::ExemptField),
        ..pointer(Field::ExemptShares, 0)
    },
    Rule {
        since: Some(Fact::ExemptField),
        ..pointer(Field::ExemptLendablePercent, 0)
    },
    plain(Field::Queues, 64),
    plain(Field::HandSize, 8),
    plain(Field::QueueLengthLimit, 50),
];

/// A plain integer in Go, in which zero and absent are equal.
const fn plain(field: Field, value: i32) -> Rule {
    Rule {
        kind: Kind::PriorityLevelConfiguration,
        field,
        value,
        versions: ApiVersion::ALL,
        since: None,
        zero_is_absent: true,
        annotated: None,
    }
}

/// A pointer in Go, in which zero and absent differ.
const fn pointer(field: Field, value: i32) -> Rule {
    Rule {
        zero_is_absent: false,
        ..plain(field, value)
    }
}
