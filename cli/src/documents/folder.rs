//! Walking through folders.

use std::path::Path;
use walkdir::{DirEntry, Error, WalkDir};

/// Everything in a folder, by name. Symbolic links are listed and not followed, so a walk always ends. Subfolders named in
/// `skipped` are left out.
pub(crate) fn walk(
    folder: &Path,
    is_recursive: bool,
    skipped: &'static [&'static str],
) -> impl Iterator<Item = Result<DirEntry, Error>> {
    WalkDir::new(folder)
        .min_depth(1)
        .max_depth(if is_recursive { usize::MAX } else { 1 })
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            let is_skipped = skipped.iter().any(|name| entry.file_name() == *name);
            !(entry.depth() > 0 && entry.file_type().is_dir() && is_skipped)
        })
}
