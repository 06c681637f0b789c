//! What changes in a file.

use crate::migrate::batch::Examined;
use crate::output::unified_diff;

/// The diff of a file; empty when nothing changes.
pub(crate) fn unified(file: &Examined) -> String {
    let (Some(new), Ok(old)) = (&file.outcome.text, std::str::from_utf8(&file.bytes)) else {
        return String::new();
    };
    let path = file.candidate.path.display().to_string();
    unified_diff((&path, old), (&path, new))
}
