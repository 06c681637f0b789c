//! Why a command could not do what it was asked to.

use crate::exit::Exit;
use crate::output::{Diagnostic, ERROR, HINT, Streams};
use std::fmt;
use std::io::{self, Write};

/// Why a command could not do what it was asked to, in words for people, and with which exit code it ends.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    hint: Option<String>,
    reasons: Vec<Diagnostic>,
}

#[allow(dead_code, reason = "some are for commands to come")]
impl Failure {
    /// A failure of a kind, which its exit code names.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            hint: None,
            reasons: Vec::new(),
        }
    }

    /// Options that do not go together, or a value that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A file that cannot be read or written, or what it has inside.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(Exit::Input, message)
    }

    /// What the person can do about it.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The places in files that are at fault.
    #[must_use]
    pub(crate) fn because(mut self, reasons: Vec<Diagnostic>) -> Self {
        self.reasons = reasons;
        self
    }

    /// The places in files that are at fault.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.reasons
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Says it on the standard error. Nothing is said when nobody reads the output: that is no failure of ours.
    pub(crate) fn report(&self, streams: &mut Streams) {
        if self.exit == Exit::BrokenPipe {
            return;
        }
        // When the standard error is closed as well there is nobody left to tell.
        let _unread = self.write(streams);
    }

    fn write(&self, streams: &mut Streams) -> io::Result<()> {
        for reason in &self.reasons {
            write!(streams.err, "{}", reason.render())?;
        }
        writeln!(streams.err, "{ERROR}error:{ERROR:#} {}", self.message)?;
        if let Some(hint) = &self.hint {
            writeln!(streams.err, "{HINT}hint:{HINT:#} {hint}")?;
        }
        streams.err.flush()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Output that could not be written. (Errors of reading carry the file's name and are made by hand.)
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Exit::BrokenPipe, "nobody reads the output"),
            _ => Self::input(format!("cannot write the output: {error}")),
        }
    }
}
