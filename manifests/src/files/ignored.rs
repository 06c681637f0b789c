//! Walking through a folder without the files that git ignores, dependencies and build output.

use super::skipped::SkipReason;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Folders of version control, which contain old versions on purpose.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Folders of dependencies and build output, which other tools write.
const FOREIGN: [&str; 3] = ["vendor", "node_modules", "target"];

/// The name of our own ignore file, with the syntax of `.gitignore`.
const IGNORE_FILE: &str = ".flowcontrolignore";

/// The most bytes of an ignore file that is read.
const LONGEST_IGNORE_FILE: u64 = 1 << 20;

/// A glob that is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidGlob(String);

impl fmt::Display for InvalidGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidGlob {}

/// The files of a folder that are examined.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Globs to exclude, with the syntax of `.gitignore`.
    exclude: Override,
    /// Whether ignored files count as well.
    no_ignore: bool,
}

impl Selection {
    /// A selection without files that match a glob of `exclude`, relative to the working directory, with the syntax of
    /// `.gitignore`. `no_ignore` also selects the files that git ignores, and folders named vendor, node_modules and target.
    ///
    /// # Errors
    /// If a glob is invalid.
    pub fn new(exclude: &[String], no_ignore: bool) -> Result<Self, InvalidGlob> {
        let mut globs = OverrideBuilder::new(".");
        for glob in exclude {
            // An override selects files; with an exclamation mark it excludes them.
            globs
                .add(&format!("!{glob}"))
                .map_err(|error| InvalidGlob(error.to_string()))?;
        }
        let exclude = globs
            .build()
            .map_err(|error| InvalidGlob(error.to_string()))?;
        Ok(Self { exclude, no_ignore })
    }

    /// Whether a glob excludes a file that the user named.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        let mut ancestors = path.ancestors().filter(|path| !path.as_os_str().is_empty());
        ancestors.any(|part| self.exclude.matched(part, part != path).is_ignore())
    }

    /// The reason why a walk leaves out an entry.
    pub(super) fn reason(&self, path: &Path) -> (SkipReason, &'static str) {
        let is_folder = path.is_dir();
        let is_foreign = FOREIGN
            .iter()
            .any(|name| path.file_name().is_some_and(|own| own == *name));
        if is_folder && is_foreign && !self.no_ignore {
            let why = "ignored, as a folder of dependencies or build output";
            (SkipReason::Dependencies, why)
        } else if self.exclude.matched(path, is_folder).is_ignore() {
            (SkipReason::Excluded, "ignored, as a glob excludes it")
        } else {
            let why = "ignored, as an ignore file names it";
            (SkipReason::IgnoreFile, why)
        }
    }

    /// The entries of a folder, by name. Symbolic links are listed and not followed, so a walk always ends.
    pub(super) fn walk(
        &self,
        folder: &Path,
    ) -> impl Iterator<Item = Result<DirEntry, ignore::Error>> + use<> {
        let no_ignore = self.no_ignore;
        let unreadable: Arc<Mutex<Vec<ignore::Error>>> = Arc::default();
        let found = Arc::clone(&unreadable);
        let root = unreadable_ignore_file(folder, no_ignore);
        let walk = match root {
            Some(_) => None,
            None => Some(self.entries_of(folder, found)),
        };
        let entries = walk.into_iter().flatten();
        let entries =
            entries.filter(|entry| entry.as_ref().map_or(true, |entry| entry.depth() > 0));
        // The walk is over when the folders that it skipped are reported.
        let skipped = iter::from_fn(move || unreadable.lock().ok()?.pop());
        root.into_iter()
            .map(Err)
            .chain(entries)
            .chain(skipped.map(Err))
    }

    fn entries_of(
        &self,
        folder: &Path,
        unreadable: Arc<Mutex<Vec<ignore::Error>>>,
    ) -> ignore::Walk {
        let no_ignore = self.no_ignore;
        WalkBuilder::new(folder)
            .hidden(false)
            .ignore(false)
            .git_ignore(!no_ignore)
            .git_exclude(!no_ignore)
            .git_global(!no_ignore)
            .parents(!no_ignore)
            .require_git(false)
            .add_custom_ignore_filename(IGNORE_FILE)
            .overrides(self.exclude.clone())
            .sort_by_file_name(Ord::cmp)
            .filter_entry(move |entry| {
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                let is = |names: &[&str]| names.iter().any(|name| entry.file_name() == *name);
                let is_skipped = is(&VERSION_CONTROL) || !no_ignore && is(&FOREIGN);
                if !is_folder {
                    return true;
                }
                if is_skipped {
                    return false;
                }
                match unreadable_ignore_file(entry.path(), no_ignore) {
                    None => true,
                    Some(error) => {
                        if let Ok(mut all) = unreadable.lock() {
                            all.push(error);
                        }
                        false
                    }
                }
            })
            .build()
    }
}

/// The error of a folder whose ignore files would be read without an end: pipes, devices and very long files.
fn unreadable_ignore_file(folder: &Path, no_ignore: bool) -> Option<ignore::Error> {
    let names = [IGNORE_FILE, ".gitignore", ".git/info/exclude"];
    let read = if no_ignore { 1 } else { names.len() };
    names.iter().take(read).find_map(|name| {
        let path = folder.join(name);
        let metadata = fs::metadata(&path).ok()?;
        let problem = match metadata.is_file() {
            // Git ignores a folder of this name too.
            _ if metadata.is_dir() => return None,
            false => "it is not a regular file".to_owned(),
            true if metadata.len() > LONGEST_IGNORE_FILE => {
                format!(
                    "it has {} bytes, more than the limit of 1 MiB",
                    metadata.len()
                )
            }
            true => return None,
        };
        let error = ignore::Error::Io(io::Error::other(format!("{name}: {problem}")));
        let err = Box::new(error);
        let path = folder.to_owned();
        Some(ignore::Error::WithPath { path, err })
    })
}

/// Finds the entries that a walk leaves out.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// The folders of the walk with the names of their entries in it.
    walked: HashMap<PathBuf, Vec<OsString>>,
}

impl LeftOut {
    /// Adds an entry of the walk.
    pub(super) fn walked(&mut self, path: &Path, is_folder: bool) {
        if is_folder {
            self.walked.entry(path.to_owned()).or_default();
        }
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            let entries = self.walked.entry(folder.to_owned()).or_default();
            entries.push(name.to_owned());
        }
    }

    /// The entries of the folders that were not in the walk, without version control.
    pub(super) fn entries(self) -> Vec<PathBuf> {
        let mut left_out = Vec::new();
        for (folder, mut names) in self.walked {
            let Ok(entries) = fs::read_dir(&folder) else {
                // The walk has reported the folder.
                continue;
            };
            names.sort_unstable();
            let missing = entries.flatten().map(|entry| entry.file_name());
            let missing = missing.filter(|name| {
                names.binary_search(name).is_err()
                    && !VERSION_CONTROL.iter().any(|control| name == *control)
            });
            left_out.extend(missing.map(|name| folder.join(name)));
        }
        left_out.sort_unstable();
        left_out
    }
}
