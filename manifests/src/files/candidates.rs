//! The files of a migration: named files, and all files in named folders.

use super::ignored::{LeftOut, Selection};
use super::markers::Markers;
use super::replace::is_draft;
use super::skipped::{SkipReason, Skipped};
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file to examine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// The path as shown.
    pub path: PathBuf,
    /// The path without links.
    pub real: PathBuf,
    /// Whether the user named this file; files found in a folder are not named.
    pub is_named: bool,
    /// Whether the file is outside of all folders, behind a link: such a file is examined, but not changed.
    pub is_outside: bool,
    /// Whether `.gitattributes` marks the file as generated or vendored.
    pub(super) is_marked: bool,
}

/// The files to examine.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Candidates {
    /// The files.
    pub files: Vec<Candidate>,
    /// Files and folders that are not examined, with the reasons.
    pub skipped: Vec<Skipped>,
}

/// A path that does not exist, or is neither a file nor a folder.
#[derive(Debug)]
#[non_exhaustive]
pub struct CollectError {
    /// The path as given.
    pub path: PathBuf,
    /// The reason.
    pub error: io::Error,
}

impl fmt::Display for CollectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}", self.path.display())
    }
}

impl std::error::Error for CollectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Collects the files of `paths`, each once, and sorts the files of a folder by name. The folder `left_out`, such as the
/// backup folder, is skipped.
///
/// # Errors
/// A path that does not exist, or is neither a file nor a folder.
pub fn collect(
    paths: &[PathBuf],
    left_out: Option<&Path>,
    selection: &Selection,
) -> Result<Candidates, CollectError> {
    let mut roots = Vec::new();
    for path in paths {
        let real = fs::canonicalize(path).map_err(|error| CollectError {
            path: path.clone(),
            error,
        })?;
        roots.push((path.clone(), real));
    }
    let folders: Vec<_> = roots
        .iter()
        .map(|(_, real)| real.clone())
        .filter(|real| real.is_dir())
        .collect();
    let mut walk = Walk {
        folders,
        left_out: left_out.and_then(|path| fs::canonicalize(path).ok()),
        selection,
        seen: HashSet::new(),
        markers: Markers::default(),
        found: Candidates::default(),
    };
    for (path, real) in roots {
        if real.is_dir() {
            walk.folder(&path, &real);
        } else if real.is_file() && selection.excludes(&path) {
            walk.skip(path, SkipReason::Excluded, "ignored, as a glob excludes it");
        } else if real.is_file() {
            walk.file(path, real, true, false);
        } else {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "neither a file nor a folder");
            return Err(CollectError { path, error });
        }
    }
    Ok(walk.found)
}

struct Walk<'a> {
    /// The named folders without links.
    folders: Vec<PathBuf>,
    left_out: Option<PathBuf>,
    selection: &'a Selection,
    seen: HashSet<PathBuf>,
    markers: Markers,
    found: Candidates,
}

impl Walk<'_> {
    fn file(&mut self, path: PathBuf, real: PathBuf, is_named: bool, is_outside: bool) {
        if self.seen.insert(real.clone()) {
            self.found.files.push(Candidate {
                is_marked: self.markers.is_marked(&real),
                path,
                real,
                is_named,
                is_outside,
            });
        }
    }

    /// Collects the files of a folder and its subfolders.
    fn folder(&mut self, path: &Path, real: &Path) {
        let mut left_out = LeftOut::default();
        for entry in self.selection.walk(path) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = path_of(&error).unwrap_or(path).to_owned();
                    // The texts of the errors around the cause name the path again.
                    let io = error.io_error();
                    let cause = io.and_then(|io| io.get_ref()?.source());
                    let why = cause.map_or_else(
                        || io.map_or_else(|| error.to_string(), ToString::to_string),
                        ToString::to_string,
                    );
                    let why = format!("the folder cannot be read: {why}");
                    self.found.skipped.push(Skipped {
                        is_error: true,
                        ..Skipped::new(path, SkipReason::Unreadable, why)
                    });
                    continue;
                }
            };
            let Some(kind) = entry.file_type() else {
                continue;
            };
            left_out.walked(entry.path(), kind.is_dir());
            let inside = entry.path().strip_prefix(path).unwrap_or(entry.path());
            let real = real.join(inside);
            let is_left_out = |folder: &PathBuf| real.starts_with(folder);
            if self.left_out.as_ref().is_some_and(is_left_out) {
                continue;
            }
            if kind.is_symlink() {
                self.link(entry.into_path());
            } else if kind.is_file() && is_draft(entry.file_name()) {
                let why = "a draft of an interrupted run; remove it";
                self.skip(entry.into_path(), SkipReason::Draft, why);
            } else if kind.is_file() {
                // Sockets, pipes and devices contain no manifests.
                self.file(entry.into_path(), real, false, false);
            }
        }
        for path in left_out.entries() {
            let (reason, why) = self.selection.reason(&path);
            self.skip(path, reason, why);
        }
    }

    /// A link in a folder. A target inside of the folders is examined there.
    fn link(&mut self, path: PathBuf) {
        let real = match fs::canonicalize(&path) {
            Ok(real) => real,
            Err(error) => {
                return self.skip(path, SkipReason::Link, format!("a broken link: {error}"));
            }
        };
        if self.folders.iter().any(|folder| real.starts_with(folder)) {
            return;
        }
        if real.is_file() {
            self.file(path, real, false, true);
        } else if real.is_dir() {
            let why = format!(
                "a link to a folder elsewhere, {}, which was not checked; name the folder to check it",
                real.display()
            );
            self.skip(path, SkipReason::Link, why);
        }
    }

    fn skip(&mut self, path: PathBuf, reason: SkipReason, why: impl Into<String>) {
        self.found.skipped.push(Skipped::new(path, reason, why));
    }
}

/// The path of an entry that cannot be read.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}
