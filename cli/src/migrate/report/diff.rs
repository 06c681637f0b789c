//! The changes of a file as a diff.

use crate::migrate::files::Examined;
use crate::output::{Stream, write_diff};
use std::io;

/// Writes the diff of a file, if the file changes.
pub(crate) fn write_file_diff(file: &Examined, out: &mut Stream) -> io::Result<()> {
    let (Some(new), Ok(old)) = (&file.outcome.text, std::str::from_utf8(&file.source.text)) else {
        return Ok(());
    };
    let path = file.source.name.as_str();
    write_diff(out, (path, old), (path, new))
}
