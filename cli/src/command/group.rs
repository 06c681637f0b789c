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
    /// The groups in the help with their headings, in its order.
    pub(crate) const SHOWN: [(Self, &str); 7] = [
        (Self::Migrate, "Migrate to another version"),
        (Self::Check, "Check files and clusters"),
        (Self::Objects, "Work with objects of a cluster"),
        (Self::Requests, "Understand requests"),
        (Self::Create, "Create objects"),
        (Self::Run, "Run and monitor"),
        (Self::Other, "Other commands"),
    ];
}
