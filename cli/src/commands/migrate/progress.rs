//! Progress on a terminal.

use std::io::{IsTerminal, Write};

/// A progress line on the terminal.
pub(super) struct Progress;

impl Progress {
    /// The number of files from which progress is shown.
    const LONG: usize = 500;

    pub(super) fn of(what: &'static str, total: usize) -> impl FnMut(usize) {
        let is_shown = total >= Self::LONG && std::io::stderr().is_terminal();
        move |done| {
            if is_shown {
                // A failure to show progress does not end the run.
                let _ = write!(std::io::stderr(), "\r{done} of {total} files {what}");
            }
        }
    }

    pub(super) fn clear() {
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
