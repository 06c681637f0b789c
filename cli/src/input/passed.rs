//! What was passed over.

use super::scan::Found;
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams, plural};
use std::io::Write;

/// Counts what is passed over: nothing is skipped silently.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    others: usize,
}

impl Passed {
    /// Counts what was found besides flow control objects, and warns of what could not be read.
    pub(crate) fn add(&mut self, found: &Found, streams: &mut Streams) -> Result<(), Failure> {
        self.others += found.others;
        for (source, span, error) in &found.unreadable {
            let diagnostic = Diagnostic::warning(format!(
                "passed over, as it can neither be read nor mentions flow control: {error}"
            ))
            .at(source, *span);
            write!(streams.err, "{}", diagnostic.render())?;
        }
        Ok(())
    }

    /// Says how much it was.
    pub(crate) fn summarize(&self, streams: &mut Streams) -> Result<(), Failure> {
        if self.others > 0 {
            let others = plural(self.others, "document");
            writeln!(streams.err, "{others} of other kinds passed over")?;
        }
        Ok(())
    }
}
