//! The two kinds of the API group.

use std::fmt;

/// A kind of the API group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `FlowSchema`.
    FlowSchema,
    /// `PriorityLevelConfiguration`.
    PriorityLevelConfiguration,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::FlowSchema, Self::PriorityLevelConfiguration];

    /// The kind on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FlowSchema => "FlowSchema",
            Self::PriorityLevelConfiguration => "PriorityLevelConfiguration",
        }
    }

    /// The resource's name in paths.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::FlowSchema => "flowschemas",
            Self::PriorityLevelConfiguration => "prioritylevelconfigurations",
        }
    }

    /// The kind that is called `name` on the wire.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
