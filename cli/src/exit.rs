//! Exit codes.

use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done, and nothing to complain about.
    Success = 0,
    /// Done, and there is something to complain about: an invalid object, an outdated file, a difference.
    Findings = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Input could not be read, or output could not be written.
    Input = 3,
    /// Refused, as something would be lost or change its meaning.
    Loss = 4,
    /// A cluster did not do what was asked: unreachable, forbidden, refused.
    Cluster = 5,
    /// Interrupted by Ctrl-C.
    Interrupted = 130,
    /// Nobody reads the output any more.
    BrokenPipe = 141,
}

/// The exit codes, for people.
pub(crate) const HELP: &str = "\
Exit codes:
  0    done, and nothing to complain about
  1    done, and there is something to complain about: an invalid object, an outdated file, a difference
  2    the command line is wrong
  3    input could not be read, or output could not be written
  4    refused, as something would be lost or change its meaning
  5    a cluster did not do what was asked: unreachable, forbidden, refused
  130  interrupted
  141  nobody reads the output any more";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
