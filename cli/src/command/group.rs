//! The groups of commands, in the order of the help.

/// A group of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Migrate,
    Check,
    Objects,
    Requests,
    Create,
    Run,
    Other,
    /// Commands for programs, in no help.
    Hidden,
}

impl Group {
    /// The groups with a heading, in the order of the help.
    pub(crate) const SHOWN: [Self; 7] = [
        Self::Migrate,
        Self::Check,
        Self::Objects,
        Self::Requests,
        Self::Create,
        Self::Run,
        Self::Other,
    ];

    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Migrate => "Migrate to another version",
            Self::Check => "Check files and clusters",
            Self::Objects => "Work with objects of a cluster",
            Self::Requests => "Understand requests",
            Self::Create => "Create objects",
            Self::Run => "Run and monitor",
            Self::Other => "Other commands",
            Self::Hidden => "",
        }
    }
}
