//! Walking through a folder without the files that git ignores, dependencies and build output.

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of version control, which contain old versions on purpose.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Folders of dependencies and build output, which other tools write.
const FOREIGN: [&str; 3] = ["vendor", "node_modules", "target"];

/// The name of our own ignore file, with the syntax of `.gitignore`.
const IGNORE_FILE: &str = ".flowcontrolignore";

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

    /// The entries of a folder, by name. Symbolic links are listed and not followed, so a walk always ends.
    pub(super) fn walk(
        &self,
        folder: &Path,
    ) -> impl Iterator<Item = Result<DirEntry, ignore::Error>> {
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
                !(entry.depth() > 0 && is_folder && is_skipped)
            })
            .build()
            .filter(|entry| entry.as_ref().map_or(true, |entry| entry.depth() > 0))
    }
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
