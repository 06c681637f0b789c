//! Counting and reporting the documents that a command skips.

use super::document::Found;
use crate::output::{Diagnostic, Streams, plural};
use std::io::{self, Write};

/// Counts skipped documents: nothing is skipped silently.
#[derive(Debug, Default)]
pub(crate) struct Skipped {
    others: usize,
    unreadable: usize,
}

impl Skipped {
    /// Counts the documents of other kinds, and warns of broken ones.
    pub(crate) fn add(&mut self, found: &Found, streams: &mut Streams) -> io::Result<()> {
        self.others += found.others;
        self.unreadable += found.unreadable.len();
        for broken in &found.unreadable {
            let message = format!(
                "skipped a document that does not mention flow control: {}",
                broken.error
            );
            let diagnostic = Diagnostic::warning(message).at(&found.source, broken.span);
            diagnostic.write(&mut streams.err)?;
        }
        Ok(())
    }

    /// Whether no document was skipped.
    pub(crate) fn is_empty(&self) -> bool {
        self.others + self.unreadable == 0
    }

    /// Prints the number of skipped documents.
    pub(crate) fn summarize(&self, streams: &mut Streams) -> io::Result<()> {
        if self.others > 0 {
            let others = plural(self.others, "document");
            writeln!(streams.err, "skipped {others} of other kinds")?;
        }
        Ok(())
    }
}
