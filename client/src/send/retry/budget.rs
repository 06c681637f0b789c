//! The retry budget of a client: a token bucket that all its requests share.

use std::sync::atomic::{AtomicU32, Ordering};

/// The tokens of a retry.
const RETRY: u32 = 5;
/// The tokens of a retry after a timeout.
const RETRY_AFTER_TIMEOUT: u32 = 10;
/// The tokens that the answer to a first attempt gives back.
const ANSWER: u32 = 1;

/// The bucket. It is full at first.
#[derive(Debug)]
pub(crate) struct Budget {
    tokens: AtomicU32,
    /// `None` means no limit.
    capacity: Option<u32>,
}

impl Budget {
    pub(crate) fn new(capacity: Option<u32>) -> Self {
        Self {
            tokens: AtomicU32::new(capacity.unwrap_or_default()),
            capacity,
        }
    }

    /// The tokens that are left; `None` without a limit.
    pub(crate) fn left(&self) -> Option<u32> {
        self.capacity.map(|_| self.tokens.load(Ordering::Relaxed))
    }

    /// Takes the tokens of a retry, and returns their number; `None` if there are not enough.
    pub(crate) fn take(&self, after_timeout: bool) -> Option<u32> {
        if self.capacity.is_none() {
            return Some(0);
        }
        let cost = if after_timeout {
            RETRY_AFTER_TIMEOUT
        } else {
            RETRY
        };
        let take = |tokens: u32| tokens.checked_sub(cost);
        let taken = self
            .tokens
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.is_ok().then_some(cost)
    }

    /// The server answered. Gives back the tokens of the last retry, if there was one.
    pub(crate) fn answered(&self, last_retry: Option<u32>) {
        let Some(capacity) = self.capacity else {
            return;
        };
        let given = last_retry.unwrap_or(ANSWER);
        let add = |tokens: u32| Some(tokens.saturating_add(given).min(capacity));
        // The closure always returns a number, so that this cannot fail.
        let _added = self
            .tokens
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}
