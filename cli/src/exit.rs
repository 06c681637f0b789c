//! Exit codes.

use std::process::ExitCode;

/// The exit code of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Success, and no findings.
    Success = 0,
    /// Success with findings: an invalid object, an outdated file or client, a difference, a conflict, a wish that cannot be fulfilled.
    Findings = 1,
    /// A wrong command line.
    Usage = 2,
    /// An input that cannot be read, or an output that cannot be written.
    Input = 3,
    /// Stopped, because something would be lost or change its meaning.
    Loss = 4,
    /// A cluster is unreachable or too slow, forbids a request or rejects it.
    Cluster = 5,
    /// Stopped by Ctrl-C.
    Interrupted = 130,
    /// The reader of the output has closed it.
    BrokenPipe = 141,
    /// Stopped by SIGTERM.
    Terminated = 143,
}

impl Exit {
    /// Whether every command can end with it.
    pub(crate) fn is_common(self) -> bool {
        !matches!(self, Self::Findings | Self::Loss | Self::Cluster)
    }

    /// The result of a command that ends with findings, if there are any.
    pub(crate) fn of_findings(has_findings: bool) -> Self {
        match has_findings {
            true => Self::Findings,
            false => Self::Success,
        }
    }

    /// The worse of two results of a command that continues after an error: a higher code is worse.
    pub(crate) fn worse(self, other: Self) -> Self {
        match (other as u8) > (self as u8) {
            true => other,
            false => self,
        }
    }
}

/// The exit codes, for the help.
pub(crate) const HELP: &str = "\
Exit codes:
  0    success, no findings
  1    success with findings: an invalid object, an outdated file or client,
       a place to change by hand, a difference, a conflict, a managed object
       that was not changed, a wish that cannot be fulfilled, such as more seats
       than a server has
  2    wrong command line
  3    an input cannot be read, or an output cannot be written
  4    stopped, because something would be lost or change its meaning
  5    a cluster is unreachable or too slow, forbids a request or rejects it
  130  stopped by Ctrl-C
  141  the reader of the output has closed it
  143  stopped by SIGTERM
After several errors it is the highest of their codes.";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
