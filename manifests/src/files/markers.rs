//! The files that `.gitattributes` marks as generated or vendored, as code hosts read it.

use super::input::read_regular;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The attributes of files that a program wrote, or that are from elsewhere.
const ATTRIBUTES: [&str; 2] = ["linguist-generated", "linguist-vendored"];

/// The maximum number of folders above a file.
const MAX_DEPTH: usize = 64;

/// The most bytes of a file with attributes.
const MAX_LENGTH: usize = 1 << 20;

/// The marks of the folders that were asked for.
#[derive(Debug, Default)]
pub(super) struct Markers {
    folders: HashMap<PathBuf, Folder>,
}

#[derive(Debug)]
struct Folder {
    /// The files with each attribute, if the folder has a file with attributes.
    marked: Option<[Gitignore; 2]>,
    /// Whether the folder is the root of a repository. Attributes above it do not count.
    is_root: bool,
}

impl Markers {
    /// Whether a file is marked by the file with attributes in its folder, or in one above it.
    pub(super) fn is_marked(&mut self, file: &Path) -> bool {
        let mut marks = [None; ATTRIBUTES.len()];
        for folder in file.ancestors().skip(1).take(MAX_DEPTH) {
            if !self.folders.contains_key(folder) {
                self.folders.insert(folder.to_owned(), Folder::read(folder));
            }
            let Some(found) = self.folders.get(folder) else {
                break;
            };
            for (mark, files) in marks.iter_mut().zip(found.marked.iter().flatten()) {
                // The nearest folder decides.
                *mark = mark.or(match files.matched(file, false) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                });
            }
            if found.is_root {
                break;
            }
        }
        marks.contains(&Some(true))
    }
}

impl Folder {
    fn read(folder: &Path) -> Self {
        let text = read_regular(&folder.join(".gitattributes")).ok();
        let text = text.and_then(|(bytes, _)| String::from_utf8(bytes).ok());
        let text = text.filter(|text| text.len() <= MAX_LENGTH);
        Self {
            marked: text.map(|text| ATTRIBUTES.map(|name| files_with(folder, &text, name))),
            is_root: folder.join(".git").exists(),
        }
    }
}

/// The files with an attribute. Later lines take precedence, as those of an ignore file do.
fn files_with(folder: &Path, text: &str, name: &str) -> Gitignore {
    let mut files = GitignoreBuilder::new(folder);
    for line in text.lines().map(str::trim) {
        let (pattern, attributes) = match line.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => line.split_once([' ', '\t']).unwrap_or((line, "")),
        };
        // Comments, macros, and patterns that git does not allow.
        if pattern.is_empty() || pattern.starts_with(['#', '!', '[']) {
            continue;
        }
        for attribute in attributes.split_whitespace() {
            let (own, value) = attribute.split_once('=').unwrap_or((attribute, "true"));
            let is_set = own == name && value != "false";
            let is_unset = own == name || own.strip_prefix(['-', '!']) == Some(name);
            let sign = match (is_set, is_unset) {
                (true, _) => "",
                (false, true) => "!",
                (false, false) => continue,
            };
            // An invalid pattern matches nothing.
            let _ = files.add_line(None, &format!("{sign}{pattern}"));
        }
    }
    files.build().unwrap_or_else(|_| Gitignore::empty())
}
