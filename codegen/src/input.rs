//! Reading files and the standard input, at most [`LIMIT`] bytes of each, in the library and the program.

use k8s_flowcontrol_text::MAX_LENGTH;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The maximum size of an input: that of a text, far above the documents of a whole cluster.
const LIMIT: u64 = MAX_LENGTH as u64;

/// Reads a text to its end.
pub(crate) fn read(input: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    // A device or a pipe does not tell its length, and may not end.
    input.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(ErrorKind::FileTooLarge.into());
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

pub(crate) fn read_file(path: &Path) -> io::Result<String> {
    read(File::open(path)?)
}

/// The text and the remedy of an error of these functions.
pub(crate) fn describe(error: &io::Error) -> (String, &'static str) {
    match error.kind() {
        ErrorKind::NotFound => ("there is no such file".to_owned(), "check the path"),
        ErrorKind::IsADirectory => ("this is a folder".to_owned(), "give each of its files"),
        ErrorKind::InvalidData => (
            "this is not text in UTF-8".to_owned(),
            "give a document as JSON or YAML in UTF-8, which PowerShell writes with `Out-File -Encoding utf8`",
        ),
        ErrorKind::FileTooLarge => (
            format!("this is longer than the limit of {} MiB", LIMIT >> 20),
            "give the documents of single API groups, as the server has them below /openapi/v3",
        ),
        _ => (format!("cannot be read: {error}"), "check the permissions"),
    }
}
