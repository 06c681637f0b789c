//! Replacing a file atomically: at every moment it has the old text or the new text.
//!
//! The new text is written to a draft beside the file, which only the user can read until it has the owner and the mode of
//! the file. Then the draft takes the name of the file, unless the file has changed since it was read.
//!
//! A change by another program is noticed until the draft takes the name, and on Linux and macOS also at that moment: the
//! two files exchange their names, and the file that was replaced is compared once more before it is removed. If another
//! program has the old file open and writes to it after that, the write is lost. On other platforms, and on file systems that
//! cannot exchange names, a change between the last comparison and the renaming is lost, too.

use super::attributes::keep_access;
use super::input::read_regular;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

/// The suffix of the names of drafts.
const DRAFT: &str = ".migrate-draft";

const CHANGED: &str =
    "another program changed the file during the migration; run the command again";

/// Whether a file is a draft of an interrupted run.
pub(super) fn is_draft(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(DRAFT.as_bytes())
}

/// A file with the content that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Original<'a> {
    /// The path without links.
    pub(super) path: &'a Path,
    pub(super) text: &'a [u8],
    pub(super) identity: Identity,
}

impl Original<'_> {
    /// Replaces the text of the file.
    /// Errors: if the file is read-only, has hard links, was changed in the meantime, or cannot be written with its owner and attributes.
    /// It then has its old text.
    pub(super) fn replace(&self, new: &[u8]) -> io::Result<()> {
        self.draft(new)?.take_place()
    }

    /// Writes the new text beside the file.
    fn draft(&self, new: &[u8]) -> io::Result<Draft<'_>> {
        let metadata = fs::symlink_metadata(self.path)?;
        if metadata.permissions().readonly() {
            return Err(io::Error::other("the file is read-only"));
        }
        if has_other_names(&metadata) {
            return Err(io::Error::other(
                "the file has hard links, which would keep the old text",
            ));
        }
        self.check_unchanged()?;
        let (mut file, path) = create_beside(self.path)?;
        // From here on, the draft removes itself.
        let mut draft = Draft {
            original: self,
            identity: Identity::of(&file.metadata()?),
            path,
            is_done: false,
        };
        file.write_all(new)?;
        give_owner(&file, &metadata)?;
        keep_access(self.path, &file)?;
        file.sync_all()?;
        draft.identity = Identity::of(&file.metadata()?);
        Ok(draft)
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.check_is(self.path)
    }

    /// Checks that the file at `path` is this one, with the same text.
    fn check_is(&self, path: &Path) -> io::Result<()> {
        let is_same = Identity::at(path)? == self.identity
            && read_regular(path).is_ok_and(|(text, _)| text == self.text);
        match is_same {
            true => Ok(()),
            false => Err(io::Error::other(CHANGED)),
        }
    }
}

/// A complete new text under another name. Dropping it removes it.
struct Draft<'a> {
    original: &'a Original<'a>,
    identity: Identity,
    path: PathBuf,
    is_done: bool,
}

impl Draft<'_> {
    /// Gives the draft the name of the file.
    fn take_place(self) -> io::Result<()> {
        self.original.check_unchanged()?;
        self.exchange()
    }

    /// Takes the name of the file, and checks afterwards that no other file was replaced than the original.
    fn exchange(mut self) -> io::Result<()> {
        let file = self.original.path;
        if !exchange_names(&self.path, file)? {
            fs::rename(&self.path, file)?;
            self.is_done = true;
            return Ok(());
        }
        let Err(error) = self.original.check_is(&self.path) else {
            // The name of the draft now belongs to the original, which is removed.
            return Ok(());
        };
        // The change of the other program gets its name back. Until that is certain, nothing is removed.
        self.is_done = true;
        let is_back = exchange_names(&self.path, file).unwrap_or(false)
            && Identity::at(&self.path).is_ok_and(|identity| identity == self.identity);
        if !is_back {
            let path = self.path.display();
            return Err(io::Error::other(format!(
                "another program changed the file during the migration, and its text is now in {path}"
            )));
        }
        self.is_done = false;
        Err(error)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            // If the draft cannot be removed, the next run reports it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Exchanges the names of two files in one step; false if the platform or the file system cannot do that.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange_names(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange_names(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// A new file in the same folder.
fn create_beside(file: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{number}{DRAFT}", std::process::id()));
    let path = file.with_file_name(name);
    Ok((create_private(&path)?, path))
}

/// Creates a new file that only the user can read.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Gives the draft the owner of the file. Only a superuser can do that; otherwise the file is not replaced, because its owner
/// would change.
#[cfg(unix)]
fn give_owner(draft: &File, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let mine = draft.metadata()?;
    if (mine.uid(), mine.gid()) == (metadata.uid(), metadata.gid()) {
        return Ok(());
    }
    fchown(draft, Some(metadata.uid()), Some(metadata.gid())).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("cannot keep the owner of the file: {error}"),
        )
    })
}

#[cfg(not(unix))]
fn give_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

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
