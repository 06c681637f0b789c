//! Walking through folders.

use std::path::Path;
use walkdir::{DirEntry, Error, WalkDir};

/// Everything in a folder, by name. Symbolic links are listed and not followed, so a walk always ends.
pub(super) fn walk(
    folder: &Path,
    is_recursive: bool,
) -> impl Iterator<Item = Result<DirEntry, Error>> {
    WalkDir::new(folder)
        .min_depth(1)
        .max_depth(if is_recursive { usize::MAX } else { 1 })
        .sort_by_file_name()
        .into_iter()
}
