//! The standard streams, and how things look on a terminal.

mod bars;
mod diagnostic;
mod diff;
mod objects;
mod table;

pub(crate) use bars::bar;
pub(crate) use diagnostic::{Diagnostic, Level};
pub(crate) use diff::unified_diff;
pub(crate) use objects::{ObjectFormat, write_objects};
pub(crate) use table::Table;

use crate::exit::Exit;
use crate::failure::Failure;
use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use std::io::{self, BufWriter, Stderr, StdoutLock, Write};

/// How `error:` looks.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// How `warning:` looks.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// How `hint:` looks.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// A number of things: `1 object`, `2 objects`.
pub(crate) fn plural(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

/// The standard streams. Both drop colors unless they go to a terminal that wants them.
pub(crate) struct Streams {
    /// Data, and nothing else.
    pub(crate) out: BufWriter<AutoStream<StdoutLock<'static>>>,
    /// Everything else: errors, warnings, counts, progress. Not locked, as a progress bar writes there too.
    pub(crate) err: AutoStream<Stderr>,
}

impl Streams {
    /// The standard streams, with the color rule that holds now.
    pub(crate) fn new() -> Self {
        Self {
            out: BufWriter::with_capacity(64 << 10, AutoStream::auto(io::stdout().lock())),
            err: AutoStream::auto(io::stderr()),
        }
    }

    /// Writes what is still to be written. A result that stands already counts more than an error here,
    /// unless it was a success.
    pub(crate) fn finish(&mut self, result: Result<Exit, Failure>) -> Result<Exit, Failure> {
        let flushed = self.out.flush();
        let exit = result?;
        flushed?;
        Ok(exit)
    }
}
