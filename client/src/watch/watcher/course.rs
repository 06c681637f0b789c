//! What to ask the server next: decisions without I/O.

use super::waits::Waits;
use crate::Error;
use std::time::Duration;

/// So many undecodable answers in a row mean that going on from here leads nowhere.
const MAX_UNDECODABLE: u32 = 3;
/// So many connections in a row that said nothing for long mean that the server may have lost its past.
const MAX_SILENT: u32 = 2;
/// So many streaming lists in a row that did not come to their end: list page by page instead.
const MAX_UNFINISHED: u32 = 3;

/// The next request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A watch that begins with all objects.
    StreamingList,
    /// A list, or the next page of it.
    List {
        limit: Option<u32>,
        token: Option<String>,
    },
    /// A watch of what comes after a resource version.
    Watch { after: String },
}

/// What went wrong with a request, as far as it decides how to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The resource version or token is too old.
    Expired,
    /// The server has not come as far as the resource version.
    TooNew,
    /// The server does not take such a request.
    Refused,
    /// What came does not decode.
    Undecodable,
    /// For the time being.
    Passing,
    /// Anything else: a matter for people, but it may be put right.
    Lasting,
}

impl Trouble {
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
            Self::Refused
        } else if error.is_decode() {
            Self::Undecodable
        } else if error.is_retryable() {
            Self::Passing
        } else {
            Self::Lasting
        }
    }
}

/// How far a watcher of one selection has come.
#[derive(Clone, Debug)]
pub(super) struct Course {
    page_size: Option<u32>,
    waits: Waits,
    /// Where to go on; `None` when all objects are to be read.
    version: Option<String>,
    /// Whether to ask for streaming lists.
    streams: bool,
    /// The pages expired before all were read: the next list is in one piece.
    in_one_piece: bool,
    /// The next page, and the resource version of the list that it belongs to.
    token: Option<String>,
    list_version: Option<String>,
    unfinished: u32,
    undecodable: u32,
    silent: u32,
    /// Nothing has come since the resource version expired.
    expired: bool,
}

impl Course {
    pub(super) fn new(streams: bool, page_size: Option<u32>, waits: Waits) -> Self {
        Self {
            page_size,
            waits,
            version: None,
            streams,
            in_one_piece: false,
            token: None,
            list_version: None,
            unfinished: 0,
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
            None if self.streams_now() => Step::StreamingList,
            None => Step::List {
                limit: self.page_size.filter(|_| !self.in_one_piece),
                token: self.token.clone(),
            },
        }
    }

    /// Whether a page that comes now is the first one of a list.
    pub(super) fn is_first_page(&self) -> bool {
        self.token.is_none()
    }

    /// The resource version that was reached; `None` before all objects were read.
    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// A page has come. Answers whether it was the last one.
    pub(super) fn page(&mut self, version: Option<String>, token: Option<String>) -> bool {
        if self.is_first_page() {
            self.list_version = version;
        }
        self.token = token.filter(|token| !token.is_empty());
        self.is_first_page()
    }

    /// All pages are read. Answers whether they had a resource version to watch from.
    pub(super) fn listed(&mut self) -> bool {
        self.unfinished = 0;
        self.undecodable = 0;
        self.silent = 0;
        self.in_one_piece = false;
        self.version = self
            .list_version
            .take()
            .filter(|version| !version.is_empty());
        self.version.is_some()
    }

    /// The initial events have come to their end.
    pub(super) fn streamed(&mut self, version: &str) {
        self.unfinished = 0;
        self.version = Some(version.to_owned());
        self.progress(version);
    }

    /// A watch told a change or a bookmark.
    pub(super) fn progress(&mut self, version: &str) {
        if let Some(own) = &mut self.version
            && !version.is_empty()
        {
            own.clear();
            own.push_str(version);
        }
        self.waits.reset();
        self.undecodable = 0;
        self.silent = 0;
        self.expired = false;
    }

    /// Reads all objects anew.
    pub(super) fn restart(&mut self) {
        self.version = None;
        self.token = None;
        self.list_version = None;
    }

    /// The server sent a bookmark where only initial events were asked for: it did not understand.
    pub(super) fn not_offered(&mut self) {
        self.streams = false;
    }

    /// The server has ended a watch in good order. How long to wait before the next one.
    pub(super) fn ended(&mut self, said_something: bool) -> Duration {
        if self.version.is_none() {
            self.unfinished += 1;
        } else if said_something {
            return Duration::ZERO;
        }
        // A server that ends watches at once must not be asked in a tight loop.
        self.waits.next(None)
    }

    /// A connection was silent for too long. How long to wait before the next one.
    pub(super) fn silent(&mut self) -> Duration {
        if self.version.is_none() {
            self.unfinished += 1;
        }
        self.silent += 1;
        if self.silent >= MAX_SILENT {
            self.silent = 0;
            // A watch from a version that a restored server has not come to yet hears nothing.
            if self.version.is_some() {
                self.restart();
            }
        }
        self.waits.next(None)
    }

    /// A request failed. How long to wait before the next one.
    pub(super) fn failed(&mut self, trouble: Trouble, asked: Option<Duration>) -> Duration {
        if trouble == Trouble::Undecodable {
            self.undecodable += 1;
        }
        if self.version.is_some() {
            self.watch_failed(trouble, asked)
        } else if self.streams_now() {
            self.stream_failed(trouble, asked)
        } else {
            self.list_failed(trouble, asked)
        }
    }

    fn watch_failed(&mut self, trouble: Trouble, asked: Option<Duration>) -> Duration {
        match trouble {
            Trouble::Expired => {
                self.restart();
                if !std::mem::replace(&mut self.expired, true) {
                    return Duration::ZERO;
                }
            }
            Trouble::TooNew | Trouble::Refused => self.restart(),
            Trouble::Undecodable if self.undecodable >= MAX_UNDECODABLE => {
                self.undecodable = 0;
                self.restart();
            }
            Trouble::Undecodable | Trouble::Passing | Trouble::Lasting => {}
        }
        self.waits.next(asked)
    }

    fn stream_failed(&mut self, trouble: Trouble, asked: Option<Duration>) -> Duration {
        if trouble == Trouble::Refused {
            self.streams = false;
            return Duration::ZERO;
        }
        self.unfinished += 1;
        self.waits.next(asked)
    }

    fn list_failed(&mut self, trouble: Trouble, asked: Option<Duration>) -> Duration {
        let pages_expired = trouble == Trouble::Expired && !self.is_first_page();
        // A page that did not come is asked for again; all pages are of one version.
        if trouble != Trouble::Passing {
            self.restart();
        }
        if pages_expired {
            self.in_one_piece = true;
            return Duration::ZERO;
        }
        self.waits.next(asked)
    }

    fn streams_now(&self) -> bool {
        self.streams && self.unfinished < MAX_UNFINISHED
    }
}

#[cfg(test)]
mod tests;
