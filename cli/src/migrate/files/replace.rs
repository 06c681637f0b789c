//! Replacing a file atomically: at every moment it has the old text or the new text.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The suffix of the names of drafts.
const DRAFT: &str = ".migrate-draft";

/// Whether a file is a draft of an interrupted run.
pub(crate) fn is_draft(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(DRAFT.as_bytes())
}

/// Replaces the text `old` of a file by the text `new`.
///
/// The new text is written beside it, with the same permissions and owner, and takes its name when it is
/// complete.
///
/// # Errors
/// If the file is read-only, has hard links, was changed in the meantime, or cannot be written. It then has its old text.
pub(crate) fn replace(file: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
    let metadata = fs::metadata(file)?;
    if metadata.permissions().readonly() {
        return Err(failed("the file is read-only"));
    }
    if has_other_names(&metadata) {
        return Err(failed(
            "the file has hard links, which would keep the old text",
        ));
    }
    if fs::read(file)? != old {
        return Err(failed("the file was changed in the meantime"));
    }
    let (mut draft, path) = create_beside(file)?;
    let written = draft
        .write_all(new)
        .and_then(|()| draft.set_permissions(metadata.permissions()))
        .and_then(|()| give_owner(&path, &metadata))
        .and_then(|()| draft.sync_all())
        .and_then(|()| fs::rename(&path, file));
    if written.is_err() {
        // The draft is useless; if it cannot be removed, the first error is still the one to report.
        let _ = fs::remove_file(&path);
    }
    written
}

/// Saves a copy of a file at `backup`, which must not exist with another text.
pub(crate) fn keep(file: &Path, text: &[u8], backup: &Path) -> io::Result<()> {
    if let Some(folder) = backup.parent() {
        fs::create_dir_all(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(backup) {
        Ok(mut copy) => copy
            .write_all(text)
            .and_then(|()| copy.set_permissions(fs::metadata(file)?.permissions()))
            .and_then(|()| copy.sync_all()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::read(backup)? == text {
                return Ok(());
            }
            Err(failed(&format!(
                "the backup folder already contains another {}",
                backup.display()
            )))
        }
        Err(error) => Err(error),
    }
}

/// The path of the backup of a file: relative to the working directory, or under `+root` for a file outside of it.
pub(crate) fn backup_path(folder: &Path, file: &Path, working_directory: &Path) -> PathBuf {
    match file.strip_prefix(working_directory) {
        Ok(inside) => folder.join(inside),
        Err(_) => {
            let parts = file
                .components()
                .filter(|part| matches!(part, std::path::Component::Normal(_)));
            folder.join("+root").join(parts.collect::<PathBuf>())
        }
    }
}

fn failed(why: &str) -> io::Error {
    io::Error::other(why.to_owned())
}

/// A new file in the same folder.
fn create_beside(file: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{number}{DRAFT}", std::process::id()));
    let path = file.with_file_name(name);
    let draft = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)?;
    Ok((draft, path))
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
fn give_owner(draft: &Path, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let mine = fs::metadata(draft)?;
    if (mine.uid(), mine.gid()) == (metadata.uid(), metadata.gid()) {
        return Ok(());
    }
    chown(draft, Some(metadata.uid()), Some(metadata.gid()))
        .map_err(|error| failed(&format!("cannot keep the owner of the file: {error}")))
}

#[cfg(not(unix))]
fn give_owner(_: &Path, _: &Metadata) -> io::Result<()> {
    Ok(())
}
