//! Files and folders that are not examined, and the reasons.

use k8s_flowcontrol_types::__named as named;
use std::path::PathBuf;

/// A file or folder that was not examined.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The path as shown.
    pub path: PathBuf,
    /// The kind of reason.
    pub reason: SkipReason,
    /// The reason with its details.
    pub why: String,
    /// Whether an error prevented examining it.
    pub is_error: bool,
}

impl Skipped {
    /// A file or folder that was skipped on purpose.
    pub fn new(path: impl Into<PathBuf>, reason: SkipReason, why: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            reason,
            why: why.into(),
            is_error: false,
        }
    }
}

named! {
    /// A kind of reason not to examine a file or folder.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum SkipReason {
        /// It cannot be read.
        Unreadable = "unreadable",
        /// A folder of dependencies or build output: `vendor`, `node_modules` or `target`.
        Dependencies = "dependencies",
        /// An ignore file names it: `.gitignore`, another one of git, or `.flowcontrolignore`.
        IgnoreFile = "ignore-file",
        /// A glob of the [`Selection`](super::Selection) excludes it.
        Excluded = "excluded",
        /// A link that is broken, or to a folder elsewhere.
        Link = "link",
        /// A draft of a run that was interrupted.
        Draft = "draft",
        /// An archive.
        Archive = "archive",
        /// A binary file that contains names of the group.
        Binary = "binary",
        /// The file is too long.
        TooLong = "too-long",
    }
    /// The name for programs, such as `ignore-file`.
    pub fn as_str;
}

impl SkipReason {
    /// The skipped files in words: one, and several.
    pub const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Unreadable => ["entry that cannot be read", "entries that cannot be read"],
            Self::Dependencies => [
                "folder of dependencies or build output",
                "folders of dependencies or build output",
            ],
            Self::IgnoreFile => [
                "entry that an ignore file names",
                "entries that ignore files name",
            ],
            Self::Excluded => ["entry that a glob excludes", "entries that globs exclude"],
            Self::Link => ["link that is not followed", "links that are not followed"],
            Self::Draft => [
                "draft of an interrupted run",
                "drafts of an interrupted run",
            ],
            Self::Archive => [
                "archive, which is not unpacked",
                "archives, which are not unpacked",
            ],
            Self::Binary => [
                "binary file with names of the group",
                "binary files with names of the group",
            ],
            Self::TooLong => ["file that is too long", "files that are too long"],
        }
    }
}
