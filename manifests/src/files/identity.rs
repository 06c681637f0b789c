//! The identity of a file, to notice that another program changed or replaced it.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// The state of a file at a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// None where the platform does not provide it.
    id: Option<FileId>,
    length: u64,
    modified: Option<SystemTime>,
}

/// The device and the number of a file on it: equal for all names of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId(u64, u64);

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            id: FileId::of(metadata),
            length: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }

    /// The identity of the file with this name. A link is not followed: it is another file than its target.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        Ok(Self::of(&fs::symlink_metadata(path)?))
    }

    pub(super) fn id(self) -> Option<FileId> {
        self.id
    }
}

impl FileId {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Option<Self> {
        None
    }
}
