//! A reader of changes.

use super::{Change, Resync, State, Store, wait};
use crate::Resource;
use futures_core::Stream;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The changes of a [`Store`]'s copy, in order: first a [`Resync`] with all objects, then each change.
///
/// Keeps the store alive. Ends only when the store's driver is dropped.
#[must_use = "a stream does nothing until it is polled"]
pub struct Subscription<K: Resource> {
    store: Store<K>,
    number: u64,
    /// The number of the next change; `None` before all objects were told.
    next: Option<u64>,
}

impl<K: Resource> Subscription<K> {
    pub(super) fn new(store: Store<K>) -> Self {
        let number = store.shared.readers.number();
        Self {
            store,
            number,
            next: None,
        }
    }

    /// The next change; `None` when the store's driver is gone.
    ///
    /// Cancelling it loses nothing.
    pub async fn next(&mut self) -> Option<Change<K>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// The store that is subscribed to.
    pub fn store(&self) -> &Store<K> {
        &self.store
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Change<K>>> {
        let next = self.next;
        let look = |state: &State<K>| match read(state, next) {
            Some(read) => Some(Some(read)),
            None => state.is_stopped.then_some(None),
        };
        let found = ready!(wait(&self.store.shared, self.number, cx, look));
        Poll::Ready(found.map(|(change, next)| {
            self.next = Some(next);
            change
        }))
    }
}

/// What comes at this place, and the place after it.
fn read<K: Resource>(state: &State<K>, next: Option<u64>) -> Option<(Change<K>, u64)> {
    if !state.copy.is_ready() {
        return None;
    }
    let missed = match next.map(|next| (next, state.log.get(next))) {
        Some((next, Ok(change))) => return change.map(|change| (change.clone(), next + 1)),
        Some((_, Err(missed))) => missed,
        None => 0,
    };
    let objects = state.copy.objects().values().cloned().collect();
    let resync = Change::Resync(Resync { objects, missed });
    Some((resync, state.log.end()))
}

impl<K: Resource> Drop for Subscription<K> {
    fn drop(&mut self) {
        self.store.shared.readers.forget(self.number);
    }
}

// Nothing in it is pinned.
impl<K: Resource> Unpin for Subscription<K> {}

impl<K: Resource> Stream for Subscription<K> {
    type Item = Change<K>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl<K: Resource> fmt::Debug for Subscription<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("store", &self.store)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
