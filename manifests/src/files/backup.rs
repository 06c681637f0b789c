//! Backups of files, and the check that no backup is an original.

use super::attributes::keep_access;
use super::input::read_regular;
use super::replace::{FileId, Identity, create_private};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// The folder for backups.
#[derive(Clone, Debug)]
pub struct Backups {
    /// The folder; it need not exist.
    pub folder: PathBuf,
    /// The folder to which the paths of backups are relative, without links.
    pub working_directory: PathBuf,
}

impl Backups {
    /// Checks that no backup is an original: neither its own nor another, under any name. Returns the first file whose backup
    /// would be an original.
    pub(super) fn conflict<'a>(&self, originals: &[&'a Path]) -> Option<&'a Path> {
        let paths: HashSet<_> = originals.iter().copied().collect();
        let now = |path: &Path| Identity::at(path).ok()?.id();
        let by_id = originals
            .iter()
            .filter_map(|path| Some((now(path)?, *path)));
        let by_id: HashMap<FileId, &Path> = by_id.collect();
        let is_original = |backup: &Path| {
            let id = fs::metadata(backup).ok();
            let id = id.and_then(|metadata| Identity::of(&metadata).id());
            let original = id.and_then(|id| by_id.get(&id));
            // Another run may have replaced the original meanwhile, and a backup of that run may have the freed number.
            paths.contains(without_links(backup).as_path())
                || original.is_some_and(|original| now(original) == id)
        };
        originals
            .iter()
            .copied()
            .find(|path| is_original(&self.path(path)))
    }

    /// Saves a copy of a file. A backup with the same text is kept.
    /// Errors: if a backup with another text exists, or the copy cannot be written. A partial copy is never left.
    pub(super) fn keep(&self, file: &Path, text: &[u8]) -> io::Result<()> {
        let backup = self.path(file);
        if let Some(folder) = backup.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut copy = match create_private(&backup) {
            Ok(copy) => copy,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return check_kept(file, text, &backup);
            }
            Err(error) => return Err(error),
        };
        let written = copy
            .write_all(text)
            .and_then(|()| keep_access(file, &copy))
            .and_then(|()| copy.sync_all());
        if written.is_err() {
            // The partial copy is useless; the first error is the one to report.
            let _ = fs::remove_file(&backup);
        }
        written
    }

    /// The path of the backup of a file: relative to the working directory, or under `+root` for a file outside of it.
    fn path(&self, file: &Path) -> PathBuf {
        match file.strip_prefix(&self.working_directory) {
            Ok(inside) => self.folder.join(inside),
            Err(_) => {
                let parts = file
                    .components()
                    .filter(|part| matches!(part, Component::Normal(_)));
                self.folder.join("+root").join(parts.collect::<PathBuf>())
            }
        }
    }
}

/// Checks that the backup of an earlier run has the text, and is not the file itself.
fn check_kept(file: &Path, text: &[u8], backup: &Path) -> io::Result<()> {
    let shown = backup.display();
    if fs::canonicalize(backup).is_ok_and(|backup| backup == file) {
        let message = format!("the backup {shown} is the file itself");
        return Err(io::Error::other(message));
    }
    match read_regular(backup) {
        Ok((kept, _)) if kept == text => Ok(()),
        _ => Err(io::Error::other(format!(
            "the backup folder already contains another {shown}"
        ))),
    }
}

/// The path without links. The part that does not exist yet has none.
pub fn without_links(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        // The path before the first component is the working directory.
        let folder = match existing.as_os_str().is_empty() {
            true => Path::new("."),
            false => existing,
        };
        if let Ok(mut real) = fs::canonicalize(folder) {
            for part in missing.iter().rev() {
                match part {
                    Component::ParentDir => drop(real.pop()),
                    part => real.push(part),
                }
            }
            return real;
        }
        let (Some(part), Some(parent)) = (existing.components().next_back(), existing.parent())
        else {
            return path.to_owned();
        };
        missing.push(part);
        existing = parent;
    }
}
