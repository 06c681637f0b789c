//! Files with changes that are not committed.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files with uncommitted changes, and the reason for each.
#[derive(Debug, Default)]
pub(super) struct Dirty {
    files: HashSet<PathBuf>,
    /// Work trees that git cannot examine, with its message.
    unknown: BTreeMap<PathBuf, String>,
}

impl Dirty {
    /// Asks git about the work trees of some files, whose paths have no links. Without git there are no uncommitted changes.
    pub(super) fn of<'a>(files: impl Iterator<Item = &'a Path>) -> Self {
        let mut dirty = Self::default();
        let roots: HashSet<_> = files.filter_map(work_tree).collect();
        for root in roots {
            match changed(root) {
                Ok(files) => dirty.files.extend(files),
                Err(message) => drop(dirty.unknown.insert(root.to_owned(), message)),
            }
        }
        dirty
    }

    /// The reason not to write a file.
    pub(super) fn reason(&self, file: &Path) -> Option<String> {
        if self.files.contains(file) {
            return Some("the file has changes that are not committed".to_owned());
        }
        let message = self.unknown.get(work_tree(file)?)?;
        Some(format!(
            "git cannot tell whether the file has changes that are not committed: {message}"
        ))
    }
}

/// The work tree of a file.
fn work_tree(file: &Path) -> Option<&Path> {
    let folders = file.ancestors().skip(1);
    folders
        .into_iter()
        .find(|folder| folder.join(".git").exists())
}

/// The files of a work tree that differ from the last commit, and untracked files. Ignored files are left out.
fn changed(root: &Path) -> Result<Vec<PathBuf>, String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["--no-optional-locks", "-c", "core.fsmonitor=false"])
        .args(["status", "--porcelain=v1", "-z"])
        .args(["--untracked-files=all", "--no-renames"])
        .output();
    let Ok(output) = output else {
        // git is not installed.
        return Ok(Vec::new());
    };
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(message.lines().next().unwrap_or_default().to_owned());
    }
    let entries = output.stdout.split(|byte| *byte == 0);
    // Two letters of state and a blank come before each path.
    let paths = entries.filter_map(|entry| entry.get(3..));
    Ok(paths.map(|path| root.join(path_of(path))).collect())
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
