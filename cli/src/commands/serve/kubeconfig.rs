//! Writing the kubeconfig file, which contains a token.

use crate::failure::Failure;
use crate::input::{ReadError, read_regular};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first line of files that may be overwritten.
const MARK: &str = "# Written by `kubectl flowcontrol serve`\n";

/// Writes a kubeconfig file that only the user can read. Files of other programs are not overwritten.
pub(super) fn write(file: &Path, kubeconfig: &str) -> Result<(), Failure> {
    let is_foreign = match read_regular(file) {
        Ok((text, _)) => !text.is_empty() && !text.starts_with(MARK.as_bytes()),
        Err(ReadError::Io(error)) => error.kind() != io::ErrorKind::NotFound,
        Err(ReadError::TooLong(_)) => true,
    };
    if is_foreign {
        let message = format!(
            "{} exists and was not written by `kubectl flowcontrol serve`",
            file.display()
        );
        return Err(Failure::input(message).hint("name another file, or remove it first"));
    }
    let new = beside(file);
    let written = create(&new)
        .and_then(|mut out| {
            out.write_all(MARK.as_bytes())?;
            out.write_all(kubeconfig.as_bytes())?;
            out.sync_all()
        })
        .and_then(|()| fs::rename(&new, file));
    written.map_err(|error| {
        // The partial file is useless; the first error is the one to report.
        let _ = fs::remove_file(&new);
        Failure::input(format!("cannot write {}: {error}", file.display()))
    })
}

/// A path for a new file in the same folder.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    file.with_file_name(name)
}

fn create(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(file)
}
