//! The changes of a file as a diff.

use crate::migrate::files::Examined;
use crate::output::unified_diff;

/// The diff of a file; empty if nothing changes.
pub(crate) fn diff(file: &Examined) -> String {
    let (Some(new), Ok(old)) = (&file.outcome.text, std::str::from_utf8(&file.source.text)) else {
        return String::new();
    };
    let path = file.source.name.as_str();
    unified_diff((path, old), (path, new))
}
