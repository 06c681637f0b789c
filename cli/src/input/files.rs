//! `-f` and `-R`: which files are read.

use super::source::Source;
use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// Which files a command reads.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FileArgs {
    /// A file or folder with objects, or - for the standard input; may be given more than once
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Read folders with all folders inside them
    #[arg(short = 'R', long, requires = "files")]
    recursive: bool,
}

/// What is done to objects that were exported from a cluster.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// Take away what a server has filled in: status, resourceVersion, uid, managedFields and their like
    #[arg(long)]
    pub(crate) strip_server_fields: bool,
}

impl FileArgs {
    /// As if these had been given with `-f`.
    pub(crate) fn of(files: &[PathBuf]) -> Self {
        Self {
            files: files.to_vec(),
            recursive: false,
        }
    }

    /// Whether there is anything to read.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The texts, one after the other: files in the order given, those of a folder by name.
    pub(crate) fn sources(&self) -> Result<impl Iterator<Item = Result<Source, Failure>>, Failure> {
        if self.is_empty() {
            return Err(Failure::usage("nothing to read").hint(
                "name files or folders with `-f FILE`, or read the standard input with `-f -`",
            ));
        }
        let mut inputs = Vec::new();
        for path in &self.files {
            if path.as_os_str() == "-" {
                inputs.push(Input::Stdin);
            } else if path.is_dir() {
                let mut found = Vec::new();
                walk(path, self.recursive, &mut found)?;
                if found.is_empty() {
                    let name = path.display();
                    return Err(Failure::input(format!(
                        "{name} has no file that ends in .json, .jsonl, .ndjson, .yaml or .yml"
                    ))
                    .hint("`-R` reads the folders inside it as well"));
                }
                inputs.extend(found.into_iter().map(Input::Found));
            } else {
                inputs.push(Input::Named(path.clone()));
            }
        }
        Ok(inputs.into_iter().map(|input| match input {
            Input::Stdin => Source::read_stdin(),
            Input::Named(path) => Source::read(&path, true),
            Input::Found(path) => Source::read(&path, false),
        }))
    }
}

enum Input {
    Stdin,
    Named(PathBuf),
    Found(PathBuf),
}

/// Collects the files of a folder by name. Links to folders are not followed, as they may lead in circles; pipes and
/// devices are not files.
fn walk(folder: &Path, recursive: bool, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error| {
        Failure::input(format!(
            "cannot read the folder {}: {error}",
            folder.display()
        ))
    };
    let mut entries = fs::read_dir(folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().map_err(unreadable)?.is_dir() {
            if recursive {
                walk(&path, recursive, found)?;
            }
        } else if path.extension().is_some_and(|extension| {
            ["json", "jsonl", "ndjson", "yaml", "yml"]
                .iter()
                .any(|known| extension == *known)
        }) && path.is_file()
        {
            found.push(path);
        }
    }
    Ok(())
}
