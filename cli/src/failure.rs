//! The error of a command.

use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::output::{Diagnostic, ERROR, Streams, hint};
use k8s_flowcontrol_server::StartError;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// The error of a command: a message, the places at fault, a hint, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    hint: Option<String>,
    reasons: Vec<Diagnostic>,
    /// Whether a server forbids a request.
    is_forbidden: bool,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            hint: None,
            reasons: Vec::new(),
            is_forbidden: false,
        }
    }

    /// Options that exclude each other, or an invalid value.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A file that cannot be read or written, or has wrong content.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(Exit::Input, message)
    }

    /// Files, or a standard input, without an object of the group.
    pub(crate) fn no_objects(files: &FileArgs) -> Self {
        let verb = match files.paths() {
            [_] => "contains",
            _ => "contain",
        };
        let hint = match files.has_unread_subfolders() {
            true => "; `-R` also reads the subfolders",
            false => "",
        };
        Self::input(format!("{} {verb} no objects", files.names())).hint(format!(
            "the files must contain flow schemas or priority levels{hint}"
        ))
    }

    /// A server that cannot start, with the tokens of this file if it has some. The place of a wrong token is in the message, and an
    /// address without protection is a wrong command line.
    pub(crate) fn of_start(error: &StartError, tokens: Option<&Path>) -> Self {
        if error.is_unprotected() {
            return Self::usage(error.to_string());
        }
        match (error.tokens_line(), error.source(), tokens) {
            (Some(line), Some(reason), Some(file)) => {
                Self::input(format!("{}:{line}: {reason}", file.display()))
            }
            _ => Self::input(error.to_string()),
        }
    }

    /// Adds one line with the next step for the user.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The failure without its hint, if the hint was printed before.
    #[must_use]
    pub(crate) fn hint_once(mut self, printed: &mut BTreeSet<String>) -> Self {
        self.hint = self.hint.filter(|hint| printed.insert(hint.clone()));
        self
    }

    /// Adds a hint if there is one.
    #[must_use]
    pub(crate) fn hint_if(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Adds another next step after the hint, if there is one.
    #[must_use]
    pub(crate) fn also_hint(mut self, other: &str) -> Self {
        self.hint = Some(match self.hint {
            Some(hint) => format!("{hint}; {other}"),
            None => other.to_owned(),
        });
        self
    }

    /// Marks a request that a server forbids.
    #[must_use]
    pub(crate) fn forbidden(mut self, is_forbidden: bool) -> Self {
        self.is_forbidden = is_forbidden;
        self
    }

    /// Whether a server forbids a request.
    pub(crate) fn is_forbidden(&self) -> bool {
        self.is_forbidden
    }

    /// Adds the places in files that caused the failure.
    #[must_use]
    pub(crate) fn because(mut self, reasons: Vec<Diagnostic>) -> Self {
        self.reasons = reasons;
        self
    }

    /// The places in files that caused the failure.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.reasons
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Prints the failure on the standard error, unless the output was closed: the reader has ended on purpose.
    pub(crate) fn report(&self, streams: &mut Streams) {
        if self.exit == Exit::BrokenPipe {
            return;
        }
        // If the standard error is closed as well, the failure cannot be reported anywhere.
        let _ = self.write(streams);
    }

    /// Prints the failures of a command that went on after each. Returns the worst exit code.
    pub(crate) fn report_all(
        failures: impl IntoIterator<Item = Self>,
        streams: &mut Streams,
    ) -> Exit {
        failures.into_iter().fold(Exit::Success, |exit, failure| {
            failure.report(streams);
            exit.worse(failure.exit)
        })
    }

    /// The result of a command that went on after these failures: all but the last are printed, and the last is the error.
    pub(crate) fn last_of(mut failures: Vec<Self>, streams: &mut Streams) -> Result<(), Self> {
        let last = failures.pop();
        Self::report_all(failures, streams);
        last.map_or(Ok(()), Err)
    }

    fn write(&self, streams: &mut Streams) -> io::Result<()> {
        for reason in &self.reasons {
            reason.write(&mut streams.err)?;
        }
        streams.err.label(ERROR, "error:")?;
        writeln!(streams.err, " {}", self.message)?;
        if let Some(text) = &self.hint {
            hint(streams, text)?;
        }
        streams.err.flush()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error of writing the output. Errors of reading are converted where the file's name is known.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Exit::BrokenPipe, "the output was closed"),
            _ => Self::input(format!("cannot write the output: {error}")),
        }
    }
}
