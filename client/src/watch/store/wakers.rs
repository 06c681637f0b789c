//! Tasks that wait for something.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// The tasks that wait, each under a number of its own.
#[derive(Debug, Default)]
pub(super) struct Wakers {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, Waker>>,
}

impl Wakers {
    /// A number that nobody else has.
    pub(super) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Lets a task be woken next time. Look after that whether there is still something to wait for.
    pub(super) fn wait(&self, number: u64, waker: &Waker) {
        self.lock().insert(number, waker.clone());
    }

    /// Forgets a task.
    pub(super) fn forget(&self, number: u64) {
        self.lock().remove(&number);
    }

    pub(super) fn wake(&self) {
        // Not under the lock: what a waker does is its own affair.
        let waiting = std::mem::take(&mut *self.lock());
        waiting.into_values().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Waker>> {
        // The map is whole after each of its changes.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
