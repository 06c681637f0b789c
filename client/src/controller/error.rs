//! The error of a controller.

use super::lease::LeaseLost;
use crate::Error;
use crate::watch::StoreNotReady;
use std::fmt;

/// Why a [`Controller`](super::Controller) ended before it was stopped.
#[derive(Debug)]
#[non_exhaustive]
pub enum ControllerError {
    /// The first list of a store failed, for instance with 403.
    NotReady(StoreNotReady),
    /// The lease could not be read or written, for a reason that waiting does not change.
    Election(Error),
    /// Another candidate may lead now. The keys at hand were abandoned.
    LeaseLost(LeaseLost),
}

impl fmt::Display for ControllerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReady(error) => error.fmt(f),
            Self::Election(error) => write!(f, "the election of a leader failed: {error}"),
            Self::LeaseLost(lost) => lost.fmt(f),
        }
    }
}

impl std::error::Error for ControllerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotReady(error) => std::error::Error::source(error),
            Self::Election(error) => std::error::Error::source(error),
            Self::LeaseLost(lost) => std::error::Error::source(lost),
        }
    }
}
