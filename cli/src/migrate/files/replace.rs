//! Writing a file so that it is whole at every moment: the old text, or the new one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// How the name of a draft ends.
const DRAFT: &str = ".migrate-draft";

/// Whether a file was left behind by a run that could not end.
pub(crate) fn is_draft(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(DRAFT.as_bytes())
}

/// Replaces a file that has the text `old` by one that has the text `new`.
///
/// The new text is written beside it, with the same permissions and owner, and takes its name when it is
/// complete.
///
/// # Errors
/// When the file is read-only, has several names, has another text by now, or cannot be written. It has its old text then.
pub(crate) fn replace(file: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
    let metadata = fs::metadata(file)?;
    if metadata.permissions().readonly() {
        return Err(refused("the file is read-only"));
    }
    if has_other_names(&metadata) {
        return Err(refused(
            "the file has other names (hard links), which would keep the old text",
        ));
    }
    if fs::read(file)? != old {
        return Err(refused("somebody has changed the file in the meantime"));
    }
    let (mut draft, path) = create_beside(file)?;
    let written = draft
        .write_all(new)
        .and_then(|()| draft.set_permissions(metadata.permissions()))
        .and_then(|()| give_owner(&path, &metadata))
        .and_then(|()| draft.sync_all())
        .and_then(|()| fs::rename(&path, file));
    if written.is_err() {
        // The draft is of no use; when it cannot be removed either, the first error says more.
        let _ = fs::remove_file(&path);
    }
    written
}

/// Keeps a copy of a file at `backup`, which must not be there with another text.
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
            Err(refused(&format!(
                "the backup has another {} already",
                backup.display()
            )))
        }
        Err(error) => Err(error),
    }
}

/// Where the backup of a file lies: as in the working directory, and what is outside of it under `+root`.
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

fn refused(why: &str) -> io::Error {
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

/// Gives the draft the owner of the file. Only a superuser can give it to somebody else; without that the file
/// would change hands, and is left alone.
#[cfg(unix)]
fn give_owner(draft: &Path, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let mine = fs::metadata(draft)?;
    if (mine.uid(), mine.gid()) == (metadata.uid(), metadata.gid()) {
        return Ok(());
    }
    chown(draft, Some(metadata.uid()), Some(metadata.gid())).map_err(|error| {
        refused(&format!(
            "the file belongs to somebody else, who would lose it: {error}"
        ))
    })
}

#[cfg(not(unix))]
fn give_owner(_: &Path, _: &Metadata) -> io::Result<()> {
    Ok(())
}
