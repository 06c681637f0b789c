//! Files that a command writes: each appears as a whole or not at all, and never in the place of an input.

use crate::failure::Failure;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The beginning of the names of drafts.
const DRAFT: &str = ".kubectl-flowcontrol-";

/// A file that is being written. Its draft lies in the same folder and takes its name at the end; dropping it removes the draft.
#[derive(Debug)]
pub(crate) struct OutputFile {
    /// The path without links.
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Draft(NamedTempFile),
    /// A pipe or a device, which is written without a draft.
    Stream(File),
}

impl OutputFile {
    /// Begins a file.
    /// Errors: if the draft cannot be written.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        Self::open(path).map_err(|error| unwritable(path, &error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        let path = match fs::canonicalize(path) {
            Ok(path) => path,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        let permissions = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                let target = Target::Stream(OpenOptions::new().write(true).open(&path)?);
                return Ok(Self { path, target });
            }
            Ok(metadata) => Some(metadata.permissions()),
            Err(_) => None,
        };
        let folder = folder_of(&path);
        // An error of the draft would name the draft.
        fs::metadata(folder)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(DRAFT);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As a new file of any program: the mask of the process applies.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let draft = builder.tempfile_in(folder)?;
        if let Some(permissions) = permissions {
            draft.as_file().set_permissions(permissions)?;
        }
        let target = Target::Draft(draft);
        Ok(Self { path, target })
    }

    /// Gives the draft the name of the file.
    /// Errors: if that fails.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self.target {
            Target::Stream(_) => Ok(()),
            Target::Draft(draft) => match draft.persist(&self.path) {
                Ok(_) => Ok(()),
                Err(error) => Err(unwritable(&self.path, &error.error)),
            },
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Draft(file) => file.write(bytes),
            Target::Stream(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Draft(file) => file.flush(),
            Target::Stream(file) => file.flush(),
        }
    }
}

/// Writes a file.
/// Errors: if it cannot be written. A file that exists then has its old text.
pub(crate) fn write_file(path: &Path, text: &[u8]) -> Result<(), Failure> {
    let mut file = OutputFile::create(path)?;
    file.write_all(text)
        .map_err(|error| unwritable(path, &error))?;
    file.finish()
}

/// Writes a file that only the user can read, and that is on the disk when this returns. A file that exists is replaced as a whole.
/// Errors: if it cannot be written. A file that exists then has its old text.
pub(crate) fn write_private(path: &Path, text: &[u8]) -> io::Result<()> {
    // Only the user can read a draft.
    let mut draft = NamedTempFile::with_prefix_in(DRAFT, folder_of(path))?;
    draft.write_all(text)?;
    draft.as_file().sync_all()?;
    draft.persist(path).map_err(|error| error.error)?;
    Ok(())
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Checks that no output is a file that the command reads, or another output.
/// Errors: the first output that is.
pub(crate) fn outputs_are_not_inputs<'a>(
    outputs: impl IntoIterator<Item = &'a PathBuf>,
    inputs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Failure> {
    let mut taken: Vec<&PathBuf> = inputs.into_iter().collect();
    for output in outputs {
        if let Some(input) = taken.iter().find(|input| is_same(output, input)) {
            let message = format!(
                "cannot write {}: the command also uses it as {}",
                output.display(),
                input.display()
            );
            return Err(Failure::usage(message).hint("name another file for the output"));
        }
        taken.push(output);
    }
    Ok(())
}

/// Whether both are the same file, or the first is a manifest in the second, a folder whose manifests are read.
fn is_same(output: &Path, input: &Path) -> bool {
    if output == input {
        return output.as_os_str() != "-";
    }
    if same_file::is_same_file(output, input).unwrap_or(false) {
        // Several outputs may go to one device.
        return output.is_file();
    }
    let is_manifest = ["yaml", "yml", "json"].map(OsStr::new).map(Some);
    input.is_dir()
        && is_manifest.contains(&output.extension())
        && match (fs::canonicalize(output), fs::canonicalize(input)) {
            (Ok(output), Ok(input)) => output.starts_with(input),
            _ => false,
        }
}

/// The error of a file that cannot be written.
pub(crate) fn unwritable(path: &Path, error: &dyn Display) -> Failure {
    // The error of a draft also names the draft.
    let why = error.to_string();
    let why = why.split(" at path \"").next().unwrap_or_default();
    Failure::input(format!("cannot write {}: {why}", path.display()))
}
