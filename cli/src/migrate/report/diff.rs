//! The changes of a file as a diff.

use crate::output::{Stream, one_line, write_diff};
use k8s_flowcontrol_manifests::files::Examined;
use std::io::{self, Write};
use std::path::Path;

/// Writes the diff of a file, if the file changes, after the reasons for changes that are more than a new name.
pub(crate) fn write_file_diff(file: &Examined, out: &mut Stream) -> io::Result<()> {
    let Some((old, new)) = texts(file) else {
        return Ok(());
    };
    write_reasons(file, out)?;
    let path = file.source.name.as_str();
    write_diff(out, (path, old), (path, new))
}

/// Writes the reasons of a file, each with its place: the diff of the file before may stand directly above.
fn write_reasons(file: &Examined, out: &mut Stream) -> io::Result<()> {
    let path = file.source.name.as_str();
    let objects = file.outcome.objects.iter();
    for change in objects.flat_map(|object| &object.changes) {
        if let Some(why) = &change.why {
            let line = file.source.position(change.offset).line;
            let what = one_line(&change.what);
            writeln!(
                out,
                "# {}:{line}: {what}: {}",
                one_line(path),
                one_line(why)
            )?;
        }
    }
    Ok(())
}

/// Writes the changes of a file as `git apply` and `patch -p1` read them, relative to the working directory. They skip the reasons.
pub(crate) fn write_patch(
    file: &Examined,
    working_directory: &Path,
    out: &mut Stream,
) -> io::Result<()> {
    let Some((old, new)) = texts(file) else {
        return Ok(());
    };
    write_reasons(file, out)?;
    let real = file.candidate.real.as_path();
    let path = real.strip_prefix(working_directory).unwrap_or(real);
    let path = path.display().to_string();
    write_diff(
        out,
        (&format!("a/{path}"), old),
        (&format!("b/{path}"), new),
    )
}

/// The old and the new text of a file that changes.
fn texts(file: &Examined) -> Option<(&str, &str)> {
    let old = std::str::from_utf8(&file.source.text).ok()?;
    Some((old, file.outcome.text.as_deref()?))
}
