//! The objects of files, and the documents that a command skips.

use super::document::{Found, documents};
use super::files::FileArgs;
use super::object::Object;
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams, plural};
use k8s_flowcontrol::Release;
use std::io::{self, Write};

/// Calls `each` with the objects of files, as a server of `release` decodes them. Other documents are skipped and counted.
///
/// # Errors
/// If an object cannot be read: the error names all of them.
pub(crate) fn each_object(
    files: &FileArgs,
    release: Release,
    streams: &mut Streams,
    mut each: impl FnMut(Object, &mut Streams) -> Result<(), Failure>,
) -> Result<Skipped, Failure> {
    let mut skipped = Skipped::default();
    let mut broken = Vec::new();
    for source in files.sources()? {
        let found = documents(source?);
        skipped.add(&found, streams)?;
        for document in &found.documents {
            match document.object(release) {
                Ok(object) => each(object, streams)?,
                Err(failure) => broken.extend(failure.into_diagnostics()),
            }
        }
    }
    skipped.summarize(streams)?;
    if broken.is_empty() {
        return Ok(skipped);
    }
    let count = plural(broken.len(), "object");
    Err(Failure::input(format!("cannot read {count}")).because(broken))
}

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
