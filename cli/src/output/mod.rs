//! The forms of output: the standard streams, tables, diagnostics, diffs, JSON and SARIF.

mod bars;
mod diagnostic;
mod diff;
mod json;
mod objects;
mod sarif;
mod table;

pub(crate) use bars::bar;
pub(crate) use diagnostic::{Diagnostic, Level};
pub(crate) use diff::unified_diff;
pub(crate) use json::{write_line, write_list, write_report};
pub(crate) use objects::{ObjectFormat, write_objects};
pub(crate) use sarif::{SarifResult, SarifRule, write_sarif};
pub(crate) use table::Table;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use std::io::{self, BufWriter, Stderr, StdoutLock};

/// The style of `error:`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The style of `warning:`.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The style of `hint:`.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// A count with its noun: `1 object`, `2 objects`, `2 losses`.
pub(crate) fn plural(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ if thing.ends_with('s') => format!("{count} {thing}es"),
        _ => format!("{count} {thing}s"),
    }
}

/// The standard streams. Both drop colors unless they go to a terminal.
pub(crate) struct Streams {
    /// The standard output: data and nothing else.
    pub(crate) out: BufWriter<AutoStream<StdoutLock<'static>>>,
    /// The standard error: errors, warnings, counts, progress. It is not locked, because progress lines go there too.
    pub(crate) err: AutoStream<Stderr>,
}

impl Streams {
    /// The standard streams, with the global color choice.
    pub(crate) fn new() -> Self {
        Self {
            out: BufWriter::with_capacity(64 << 10, AutoStream::auto(io::stdout().lock())),
            err: AutoStream::auto(io::stderr()),
        }
    }
}
