//! Writing the kubeconfig file, which contains a token.

use crate::failure::Failure;
use crate::input::{ReadError, read_regular};
use crate::output::{unwritable, write_private};
use std::io;
use std::path::Path;

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
    write_private(file, format!("{MARK}{kubeconfig}").as_bytes())
        .map_err(|error| unwritable(file, &error))
}
