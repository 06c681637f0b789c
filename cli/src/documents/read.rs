//! Reading a file or the standard input.

use crate::failure::Failure;
use crate::input::{ReadError, open, read_named, read_regular, read_stream};
use k8s_flowcontrol_manifests::Source;
use std::io;
use std::path::Path;

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
