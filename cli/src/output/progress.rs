//! The progress of long work, on terminals alone.

use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};

/// Replaces the line of progress.
pub(crate) fn show_progress(text: Arguments<'_>) {
    const CLEAR_LINE: &str = "\r\x1b[K";
    if io::stderr().is_terminal() {
        // Progress that cannot be shown is not a failure.
        let _ = write!(io::stderr(), "{CLEAR_LINE}{text}");
    }
}

/// Removes the line of progress.
pub(crate) fn clear_progress() {
    show_progress(format_args!(""));
}
