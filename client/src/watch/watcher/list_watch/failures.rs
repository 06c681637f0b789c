//! The request after a failure, as `recovery.md` describes it.

use super::{ListWatch, MAX_FAILED_PAGES, MAX_FAILED_WATCHES, SHORT};
use crate::watch::watcher::failure::WatchFailure;
use std::time::Duration;

impl ListWatch {
    /// A connection was silent for `timeout`. Returns the delay before the next request.
    pub(in crate::watch::watcher) fn idle_timed_out(&mut self, timeout: Duration) -> Duration {
        self.open = None;
        if self.version.is_some() {
            // A server restored from a backup sends nothing until it reaches the resource version again.
            self.quiet = self.quiet.saturating_add(timeout);
            self.lasted(timeout);
            self.lost = true;
            if self.is_too_quiet() {
                self.relist();
            }
        } else {
            self.incomplete = self.incomplete.saturating_add(1);
            self.in_one_piece = false;
            self.page_failed();
        }
        self.delays.next(None)
    }

    /// A request failed, or a watch that has lived this long. Returns the delay before the next request, which is longer
    /// than `retry_after`, if that is set.
    pub(in crate::watch::watcher) fn failed(
        &mut self,
        failure: WatchFailure,
        lived: Duration,
        retry_after: Option<Duration>,
    ) -> Duration {
        let is_immediate = if self.version.is_some() {
            self.failed_to_watch(failure, lived)
        } else if self.is_streaming() {
            self.failed_to_stream(failure)
        } else {
            self.failed_to_list(failure)
        };
        if is_immediate {
            return Duration::ZERO;
        }
        self.delays.next(retry_after)
    }

    /// Returns whether the next request is sent at once.
    fn failed_to_watch(&mut self, failure: WatchFailure, lived: Duration) -> bool {
        let was_open = self.open.is_some();
        let open = self.close(lived);
        self.lost |= matches!(failure, WatchFailure::Unreachable | WatchFailure::Lost);
        match failure {
            WatchFailure::Expired if self.relists == 0 => self.relist(),
            WatchFailure::Expired
            | WatchFailure::TooNew
            | WatchFailure::Rejected
            | WatchFailure::ErrorEvent => {
                self.watch_failed();
                self.relist();
            }
            WatchFailure::Unreachable | WatchFailure::Unprocessed => {}
            WatchFailure::Lost | WatchFailure::Temporary | WatchFailure::Other => {
                let lived_long = was_open && lived >= SHORT;
                if !(open.advanced || lived_long) {
                    self.watch_failed();
                }
            }
        }
        if self.is_too_quiet() {
            self.relist();
        }
        self.version.is_none() && self.is_first_relist() && failure == WatchFailure::Expired
    }

    /// Returns whether the next request is sent at once.
    fn failed_to_stream(&mut self, failure: WatchFailure) -> bool {
        self.open = None;
        match failure {
            WatchFailure::Rejected => self.streaming = false,
            // The server has not begun the list.
            WatchFailure::Unreachable | WatchFailure::Unprocessed => {}
            _ => self.incomplete = self.incomplete.saturating_add(1),
        }
        failure == WatchFailure::Rejected
    }

    /// Returns whether the next request is sent at once.
    fn failed_to_list(&mut self, failure: WatchFailure) -> bool {
        let pages_expired = failure == WatchFailure::Expired && !self.is_first_page();
        match failure {
            // The continue token stays valid.
            WatchFailure::Unreachable
            | WatchFailure::Lost
            | WatchFailure::Unprocessed
            | WatchFailure::Temporary => {
                self.page_failed();
            }
            _ => {
                self.relist();
                self.in_one_piece = pages_expired;
            }
        }
        pages_expired
    }

    pub(super) fn watch_failed(&mut self) {
        self.failed_watches = self.failed_watches.saturating_add(1);
        if self.failed_watches >= MAX_FAILED_WATCHES {
            self.relist();
        }
    }

    fn page_failed(&mut self) {
        self.failed_pages += 1;
        if self.failed_pages >= MAX_FAILED_PAGES {
            self.relist();
        }
    }
}
