//! Walking through a folder without the files that git ignores, dependencies and build output.

use crate::failure::Failure;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of version control, which contain old versions on purpose.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Folders of dependencies and build output, which other tools write.
const FOREIGN: [&str; 3] = ["vendor", "node_modules", "target"];

/// The name of our own ignore file, with the syntax of `.gitignore`.
pub(crate) const IGNORE_FILE: &str = ".flowcontrolignore";

/// The options that select files of folders.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SelectionArgs {
    /// A glob of files and folders to exclude, as in .gitignore; can be repeated. A file .flowcontrolignore does the same
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// Also examine files that git ignores, and folders named vendor, node_modules and target
    #[arg(long)]
    no_ignore: bool,
}

impl SelectionArgs {
    /// The selection of the files.
    ///
    /// # Errors
    /// If a glob is invalid.
    pub(crate) fn selection(&self) -> Result<Selection, Failure> {
        Selection::new(&self.exclude, self.no_ignore)
            .map_err(|error| Failure::usage(format!("the glob of --exclude is invalid: {error}")))
    }
}

/// The files of a folder that are examined.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// Globs to exclude, with the syntax of `.gitignore`.
    exclude: Override,
    /// Whether ignored files count as well.
    no_ignore: bool,
}

impl Selection {
    /// A selection without files that match a glob, relative to the working directory.
    ///
    /// # Errors
    /// The message about an invalid glob.
    fn new(exclude: &[String], no_ignore: bool) -> Result<Self, String> {
        let mut globs = OverrideBuilder::new(".");
        for glob in exclude {
            // An override selects files; with an exclamation mark it excludes them.
            globs
                .add(&format!("!{glob}"))
                .map_err(|error| error.to_string())?;
        }
        let exclude = globs.build().map_err(|error| error.to_string())?;
        Ok(Self { exclude, no_ignore })
    }

    /// Whether a glob excludes a file that the user named.
    pub(crate) fn excludes(&self, path: &Path) -> bool {
        let mut ancestors = path.ancestors().filter(|path| !path.as_os_str().is_empty());
        ancestors.any(|part| self.exclude.matched(part, part != path).is_ignore())
    }

    /// The entries of a folder, by name. Symbolic links are listed and not followed, so a walk always ends.
    pub(crate) fn walk(
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
pub(crate) struct LeftOut {
    /// The folders of the walk with the names of their entries in it.
    walked: HashMap<PathBuf, Vec<OsString>>,
}

impl LeftOut {
    /// Adds an entry of the walk.
    pub(crate) fn walked(&mut self, path: &Path, is_folder: bool) {
        if is_folder {
            self.walked.entry(path.to_owned()).or_default();
        }
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            let entries = self.walked.entry(folder.to_owned()).or_default();
            entries.push(name.to_owned());
        }
    }

    /// The entries of the folders that were not in the walk, without version control.
    pub(crate) fn entries(self) -> Vec<PathBuf> {
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
