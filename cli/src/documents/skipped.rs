//! The objects of files, and the documents that a command skips.

use super::document::{Found, documents};
use super::files::FileArgs;
use super::object::Object;
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams, plural};
use k8s_flowcontrol::Release;
use k8s_flowcontrol_text::Span;
use std::io::{self, Write};

/// Calls `each` with the objects of files, as a server of `release` decodes them. Other documents are skipped and counted.
/// Errors: if files or objects cannot be read: all are named.
pub(crate) fn each_object(
    files: &FileArgs,
    release: Release,
    streams: &mut Streams,
    each: impl FnMut(Object, &mut Streams) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let unread = each_readable_object(files, release, streams, each)?;
    Failure::last_of(unread, streams)
}

/// As [`each_object`]; returns the errors of the files that cannot be read, and one of all objects that cannot be read.
/// Errors: if no file is named, if a folder does not have a file to read, and the errors of `each`.
pub(crate) fn each_readable_object(
    files: &FileArgs,
    release: Release,
    streams: &mut Streams,
    mut each: impl FnMut(Object, &mut Streams) -> Result<(), Failure>,
) -> Result<Vec<Failure>, Failure> {
    let mut skipped = Skipped::default();
    let mut unread = Vec::new();
    let mut broken = Vec::new();
    for source in files.sources()? {
        let found = match source {
            Ok(source) => documents(source),
            Err(failure) => {
                unread.push(failure);
                continue;
            }
        };
        skipped.add(&found, streams)?;
        for document in &found.documents {
            match document.object(release) {
                Ok(object) => each(object, streams)?,
                Err(failure) => broken.extend(failure.into_diagnostics()),
            }
        }
    }
    skipped.summarize(streams)?;
    if !broken.is_empty() {
        let count = plural(broken.len(), "object");
        unread.push(Failure::input(format!("cannot read {count}")).because(broken));
    }
    Ok(unread)
}

/// Counts skipped documents: nothing is skipped silently.
#[derive(Debug, Default)]
pub(crate) struct Skipped {
    others: usize,
}

impl Skipped {
    /// Counts the documents of other kinds, and warns of broken ones, and of what kubectl does not read.
    pub(crate) fn add(&mut self, found: &Found, streams: &mut Streams) -> io::Result<()> {
        self.others += found.others;
        // Without the lines, which can be of objects of other kinds, such as Secrets.
        let mut warn = |at: usize, message: String| {
            let (name, position) = (&found.source.name, found.source.position(at));
            let place = format!("{name}:{}:{}", position.line, position.column);
            Diagnostic::warning(format!("{place}: {message}")).write(&mut streams.err)
        };
        for broken in &found.unreadable {
            let error = &broken.error;
            let message = format!("skipped a document that does not mention flow control: {error}");
            warn(broken.span.start, message)?;
        }
        // kubectl does not read templates, nor files of other programs.
        let is_action = |text: &Span| found.source.text[text.start..].starts_with(b"{{");
        let is_of_interest = |text: &&Span| !found.documents.is_empty() && !is_action(text);
        for (texts, message) in [
            (
                &found.separators,
                "kubectl cannot read this file: only a comment may follow `---`; move the rest to the next line",
            ),
            (
                &found.before_documents,
                "kubectl cannot read this file: only a comment may precede a document; remove the line",
            ),
            (
                &found.ignored,
                "kubectl ignores this document: it follows `...`; write `---` between them",
            ),
        ] {
            for text in texts.iter().filter(is_of_interest) {
                warn(text.start, message.to_owned())?;
            }
        }
        Ok(())
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
