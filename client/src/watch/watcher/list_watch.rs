//! The list-then-watch state: which request comes next, and after which delay. No I/O.

use super::delays::Delays;
use crate::Error;
use std::time::Duration;

/// After this many undecodable responses in a row, continuing from the same resource version is useless: list again.
const MAX_UNDECODABLE: u32 = 3;
/// After this many silent connections in a row the server may have lost its history: list again.
const MAX_SILENT: u32 = 2;
/// After this many incomplete streaming lists in a row: list page by page.
const MAX_INCOMPLETE: u32 = 3;

/// The next request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A watch that starts with all objects.
    StreamingList,
    /// A list, or the next page of it.
    List {
        limit: Option<u32>,
        token: Option<String>,
    },
    /// A watch of the changes after a resource version.
    Watch { after: String },
}

/// A failed request, by its effect on the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The resource version or token is too old.
    Expired,
    /// The server has not reached the resource version.
    TooNew,
    /// The server rejects the request as invalid.
    Rejected,
    /// The response does not decode.
    Undecodable,
    /// The same request may succeed later.
    Temporary,
    /// Any other error, such as a missing permission. Somebody may grant it, so the request is repeated.
    Other,
}

impl Failure {
    pub(super) fn of(error: &Error) -> Self {
        let is_too_new = || {
            let cause = |reason: Option<&str>| reason == Some("ResourceVersionTooLarge");
            let message = |error: &Error| {
                Some(
                    error
                        .status()?
                        .message
                        .as_deref()?
                        .contains("Too large resource version"),
                )
            };
            error
                .causes()
                .iter()
                .any(|found| cause(found.reason.as_deref()))
                || message(error).unwrap_or_default()
        };
        if error.is_expired() {
            Self::Expired
        } else if is_too_new() {
            Self::TooNew
        } else if error.is_invalid() || error.is_bad_request() {
            Self::Rejected
        } else if error.is_decode() {
            Self::Undecodable
        } else if error.is_retryable() {
            Self::Temporary
        } else {
            Self::Other
        }
    }
}

/// The state of the lists and watches of one selection.
#[derive(Clone, Debug)]
pub(super) struct ListWatch {
    page_size: Option<u32>,
    delays: Delays,
    /// The resource version to watch from; `None` while a list is needed.
    version: Option<String>,
    /// Whether to request streaming lists.
    streaming: bool,
    /// The continue token expired before the last page: the next list is in one piece.
    in_one_piece: bool,
    /// The token of the next page.
    token: Option<String>,
    /// The resource version of the list that the pages belong to.
    list_version: Option<String>,
    /// Incomplete streaming lists in a row.
    incomplete: u32,
    /// Undecodable responses in a row.
    undecodable: u32,
    /// Silent connections in a row.
    silent: u32,
    /// The resource version has expired, and no event was received since.
    expired: bool,
}

impl ListWatch {
    pub(super) fn new(streaming: bool, page_size: Option<u32>, delays: Delays) -> Self {
        Self {
            page_size,
            delays,
            version: None,
            streaming,
            in_one_piece: false,
            token: None,
            list_version: None,
            incomplete: 0,
            undecodable: 0,
            silent: 0,
            expired: false,
        }
    }

    pub(super) fn step(&self) -> Step {
        match &self.version {
            Some(version) => Step::Watch {
                after: version.clone(),
            },
            None if self.is_streaming() => Step::StreamingList,
            None => Step::List {
                limit: self.page_size.filter(|_| !self.in_one_piece),
                token: self.token.clone(),
            },
        }
    }

    /// Whether the next page is the first page of a list.
    pub(super) fn is_first_page(&self) -> bool {
        self.token.is_none()
    }

    /// The resource version of the last event; `None` during a list.
    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// A page was received. Returns whether it is the last one.
    pub(super) fn page(&mut self, version: Option<String>, token: Option<String>) -> bool {
        if self.is_first_page() {
            self.list_version = version;
        }
        self.token = token.filter(|token| !token.is_empty());
        self.is_first_page()
    }

    /// All items of the last page were reported. Returns whether the list had a resource version to watch from.
    pub(super) fn listed(&mut self) -> bool {
        self.incomplete = 0;
        self.undecodable = 0;
        self.silent = 0;
        self.in_one_piece = false;
        self.version = self
            .list_version
            .take()
            .filter(|version| !version.is_empty());
        self.version.is_some()
    }

    /// A streaming list is complete.
    pub(super) fn streamed(&mut self, version: &str) {
        self.incomplete = 0;
        self.version = Some(version.to_owned());
        self.progress(version);
    }

    /// A watch delivered a change or a bookmark.
    pub(super) fn progress(&mut self, version: &str) {
        if let Some(own) = &mut self.version
            && !version.is_empty()
        {
            own.clear();
            own.push_str(version);
        }
        self.delays.reset();
        self.undecodable = 0;
        self.silent = 0;
        self.expired = false;
    }

    /// The next request is a list.
    pub(super) fn relist(&mut self) {
        self.version = None;
        self.token = None;
        self.list_version = None;
    }

    /// The server sent a bookmark in the middle of a streaming list: it ignores the parameter.
    pub(super) fn streaming_ignored(&mut self) {
        self.streaming = false;
    }

    /// The server closed a watch. Returns the delay before the next request.
    pub(super) fn ended(&mut self, received_event: bool) -> Duration {
        if self.version.is_none() {
            self.incomplete += 1;
        } else if received_event {
            return Duration::ZERO;
        }
        // A server that closes watches at once must not be called in a tight loop.
        self.delays.next(None)
    }

    /// A connection was silent for too long. Returns the delay before the next request.
    pub(super) fn silent(&mut self) -> Duration {
        if self.version.is_none() {
            self.incomplete += 1;
        }
        self.silent += 1;
        if self.silent >= MAX_SILENT {
            self.silent = 0;
            // A server restored from a backup sends nothing until it reaches the resource version again.
            if self.version.is_some() {
                self.relist();
            }
        }
        self.delays.next(None)
    }

    /// A request failed. Returns the delay before the next one, which is longer than `retry_after`, if that is set.
    pub(super) fn failed(&mut self, failure: Failure, retry_after: Option<Duration>) -> Duration {
        if failure == Failure::Undecodable {
            self.undecodable += 1;
        }
        if self.version.is_some() {
            self.watch_failed(failure, retry_after)
        } else if self.is_streaming() {
            self.stream_failed(failure, retry_after)
        } else {
            self.list_failed(failure, retry_after)
        }
    }

    fn watch_failed(&mut self, failure: Failure, retry_after: Option<Duration>) -> Duration {
        match failure {
            Failure::Expired => {
                self.relist();
                if !std::mem::replace(&mut self.expired, true) {
                    return Duration::ZERO;
                }
            }
            Failure::TooNew | Failure::Rejected => self.relist(),
            Failure::Undecodable if self.undecodable >= MAX_UNDECODABLE => {
                self.undecodable = 0;
                self.relist();
            }
            Failure::Undecodable | Failure::Temporary | Failure::Other => {}
        }
        self.delays.next(retry_after)
    }

    fn stream_failed(&mut self, failure: Failure, retry_after: Option<Duration>) -> Duration {
        if failure == Failure::Rejected {
            self.streaming = false;
            return Duration::ZERO;
        }
        self.incomplete += 1;
        self.delays.next(retry_after)
    }

    fn list_failed(&mut self, failure: Failure, retry_after: Option<Duration>) -> Duration {
        let pages_expired = failure == Failure::Expired && !self.is_first_page();
        // The continue token stays valid after a temporary failure.
        if failure != Failure::Temporary {
            self.relist();
        }
        if pages_expired {
            self.in_one_piece = true;
            return Duration::ZERO;
        }
        self.delays.next(retry_after)
    }

    fn is_streaming(&self) -> bool {
        self.streaming && self.incomplete < MAX_INCOMPLETE
    }
}

#[cfg(test)]
mod tests;
