//! The options `-f` and `-R`, and reading a file or the standard input.

use crate::failure::Failure;
use crate::input::{ReadError, name, open, read_named, read_regular, read_stream};
use k8s_flowcontrol_manifests::Source;
use std::io;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The extensions of the files that are read from a folder.
const EXTENSIONS: [&str; 5] = ["json", "jsonl", "ndjson", "yaml", "yml"];

/// The files that a command reads.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FileArgs {
    /// A file or folder with objects, or - for the standard input; can be repeated
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Also read the subfolders of folders
    #[arg(short = 'R', long, requires = "files")]
    recursive: bool,
}

/// Options for objects that were exported from a cluster.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// Remove fields that servers fill in: status, resourceVersion, uid, managedFields and others
    #[arg(long)]
    pub(crate) strip_server_fields: bool,
}

impl FileArgs {
    /// The files and folders that are named.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.files
    }

    /// The same as these files given with `-f`.
    pub(crate) fn of(files: &[PathBuf]) -> Self {
        Self {
            files: files.to_vec(),
            recursive: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Fails if no file is named.
    pub(crate) fn require(&self) -> Result<(), Failure> {
        match self.is_empty() {
            false => Ok(()),
            true => Err(Failure::usage("no input files").hint(
                "name files or folders with `-f FILE`, or read the standard input with `-f -`",
            )),
        }
    }

    /// The files and folders that are named, for messages: `a.yaml, b/ and the standard input`.
    pub(crate) fn names(&self) -> String {
        let names: Vec<_> = self.files.iter().map(|path| name(path)).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Whether a folder is named, whose subfolders are not read.
    pub(crate) fn has_unread_subfolders(&self) -> bool {
        !self.recursive && self.files.iter().any(|path| path.is_dir())
    }

    /// The texts of the files in the given order, and of the files of a folder by name. A file or a subfolder that cannot be read
    /// is an error among the others.
    pub(crate) fn sources(&self) -> Result<impl Iterator<Item = Result<Source, Failure>>, Failure> {
        self.require()?;
        let mut inputs = Vec::new();
        for path in &self.files {
            if path.as_os_str() != "-" && path.is_dir() {
                let found = in_folder(path, self.recursive)?;
                inputs.extend(found.into_iter().map(|path| path.map(|path| (path, false))));
            } else {
                inputs.push(Ok((path.clone(), true)));
            }
        }
        Ok(inputs.into_iter().map(|input| {
            let (path, is_named) = input?;
            read(&path, is_named)
        }))
    }
}

/// The JSON and YAML files of a folder by name, and an error for each subfolder that cannot be read. Linked files count, linked
/// folders do not.
fn in_folder(folder: &Path, is_recursive: bool) -> Result<Vec<Result<PathBuf, Failure>>, Failure> {
    let mut files = Vec::new();
    // Links are listed and not followed, so the walk always ends.
    let entries = WalkDir::new(folder)
        .min_depth(1)
        .max_depth(if is_recursive { usize::MAX } else { 1 })
        .sort_by_file_name();
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let folder = error.path().unwrap_or(folder).display();
                let why = error
                    .io_error()
                    .map_or_else(|| error.to_string(), ToString::to_string);
                let message = format!("cannot read the folder {folder}: {why}");
                files.push(Err(Failure::input(message)));
                continue;
            }
        };
        let path = entry.into_path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) && path.is_file() {
            files.push(Ok(path));
        }
    }
    if files.is_empty() {
        let name = folder.display();
        return Err(Failure::input(format!(
            "{name} contains no file that ends in .json, .jsonl, .ndjson, .yaml or .yml"
        ))
        .hint("`-R` also reads the subfolders"));
    }
    Ok(files)
}

/// Reads a file, or the standard input for `-`. A file that the user did not name must be a regular file.
pub(crate) fn read(path: &Path, is_named: bool) -> Result<Source, Failure> {
    if path.as_os_str() == "-" {
        let text = (open(path).map_err(ReadError::Io))
            .and_then(read_stream)
            .map_err(|error| unreadable("the standard input", &error))?;
        return Ok(Source::new("-".into(), text, true));
    }
    let name = path.display().to_string();
    let text = match is_named {
        true => read_named(path),
        false => read_regular(path).map(|(text, _)| text),
    };
    match text {
        Ok(text) => Ok(Source::new(name, text, is_named)),
        Err(error) => Err(unreadable(&name, &error)),
    }
}

fn unreadable(name: &str, error: &ReadError) -> Failure {
    let failure = Failure::input(format!("cannot read {name}: {error}"));
    match error {
        ReadError::TooLong(_) => failure.hint("split the file"),
        ReadError::Io(error) if error.kind() == io::ErrorKind::NotFound && name.contains("://") => {
            failure.hint("URLs are not supported: download the file and pass it with `-f -`")
        }
        ReadError::Io(_) => failure,
    }
}
