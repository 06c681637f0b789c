//! The kinds of errors, with their details.

use crate::convert::Loss;
use crate::meta::Status;
use crate::transport::Properties;
use std::time::Duration;

/// Whether a failed write may have been carried out, completely or in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    /// In the attempt that failed with this error.
    Possible,
    /// Not in that attempt, but in an earlier one.
    PossibleBefore,
}

/// How far an attempt came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// It is still without credentials.
    Nothing,
    /// The request may have been sent.
    Sent,
    /// The head of a response with this code.
    Head(u16),
}

#[derive(Debug)]
pub(crate) enum ErrorKind {
    /// An invalid argument. Nothing was sent.
    Argument(String),
    /// The client could not be created. The source is the reason.
    Setup,
    /// The request did not reach the server, or no response began. The source is the reason.
    Send {
        server: String,
        is: Properties,
        remedy: Option<&'static str>,
    },
    /// The caller's time limit expired.
    TimedOut {
        what: String,
        limit: Duration,
        reached: Reached,
    },
    /// The response ended early.
    Body { timeout: bool },
    /// The response, or an event of a watch, exceeds the limit in bytes.
    TooLong {
        what: &'static str,
        limit: usize,
        setting: &'static str,
    },
    /// The server responded with a `Status`.
    Status(Box<Status>),
    /// The server, or a proxy before it, responded with an error that is not a `Status`.
    NotStatus {
        content_type: String,
        excerpt: String,
    },
    /// The response cannot be decoded.
    Decode {
        expected: String,
        message: String,
        excerpt: String,
    },
    /// A watch ended in the middle of an event.
    CutOff,
    /// A watcher received nothing for too long.
    Silent {
        limit: Duration,
        /// Whether it was an open watch, and not a request without a response.
        is_open: bool,
    },
    /// The server ended a watch at once, without a new resource version.
    ShortWatch,
    /// The driver of a store was dropped.
    NoDriver,
    /// A watch delivered a lower resource version than before.
    WentBack { from: String, to: String },
    /// The server serves no known version of the group.
    NotServed(String),
    /// The server no longer serves the version of a list or watch, which cannot continue in another one.
    VersionChanged {
        from: &'static str,
        to: &'static str,
    },
    /// The write would lose or change fields.
    Lossy {
        version: &'static str,
        losses: Vec<Loss>,
    },
}
