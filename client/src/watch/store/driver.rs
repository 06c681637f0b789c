//! What keeps the copy: the watcher's events, as they come, put into it.

use super::copy::Copy;
use super::log::Log;
use super::wakers::Wakers;
use super::{Alive, Change, Shared, State, Store};
use crate::watch::{Watcher, WatcherEvent};
use crate::{Error, Resource};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, RwLock};
use std::task::{Context, Poll};

/// How many events are taken before other tasks may run.
const BATCH: usize = 256;

/// Settings of a [`Store`].
#[must_use = "a builder does nothing until it is started or built"]
pub struct StoreBuilder<K: Resource> {
    watcher: Watcher<K>,
    kept_changes: usize,
    on_error: Option<ErrorHandler>,
}

type ErrorHandler = Box<dyn FnMut(&Error) + Send>;

impl<K: Resource> StoreBuilder<K> {
    pub(super) fn new(watcher: Watcher<K>) -> Self {
        Self {
            watcher,
            kept_changes: 1024,
            on_error: None,
        }
    }

    /// How many changes are kept for subscribers to read, 1,024 unless said otherwise; at least one.
    ///
    /// A subscriber that is further behind gets a [`Resync`](super::Resync).
    pub fn kept_changes(mut self, changes: usize) -> Self {
        self.kept_changes = changes;
        self
    }

    /// Is told of everything that goes wrong, for instance to log it. The store goes on after each.
    pub fn on_error(mut self, handler: impl FnMut(&Error) + Send + 'static) -> Self {
        self.on_error = Some(Box::new(handler));
        self
    }

    /// Keeps the copy by a task of the current tokio runtime.
    ///
    /// # Panics
    /// Outside of a tokio runtime, as [`tokio::spawn`] does.
    pub fn start(self) -> Store<K> {
        let (store, driver) = self.build();
        // It ends by itself, with the last handle.
        drop(tokio::spawn(driver));
        store
    }

    /// The store, and the future that keeps it.
    pub fn build(self) -> (Store<K>, Driver<K>) {
        let shared = Arc::new(Shared {
            state: RwLock::new(State {
                copy: Copy::new(),
                log: Log::new(self.kept_changes),
                error: None,
                is_abandoned: false,
                is_stopped: false,
            }),
            readers: Wakers::default(),
            driver: Wakers::default(),
        });
        let driver = Driver {
            shared: shared.clone(),
            // The copy has the names already.
            watcher: self.watcher.without_names(),
            on_error: self.on_error,
        };
        let store = Store {
            _alive: Arc::new(Alive(shared.clone())),
            shared,
        };
        (store, driver)
    }
}

/// Keeps the copy of a [`Store`] while it is polled. Ends when the last handle of the store is dropped.
#[must_use = "a store changes only while its driver is polled"]
pub struct Driver<K: Resource> {
    shared: Arc<Shared<K>>,
    watcher: Watcher<K>,
    on_error: Option<ErrorHandler>,
}

impl<K: Resource> Driver<K> {
    fn apply(&self, event: WatcherEvent<K>) {
        let mut forgotten = Vec::new();
        let mut changed = false;
        let (old, error) = {
            let mut state = self.shared.write();
            let State {
                copy, log, error, ..
            } = &mut *state;
            let was_ready = copy.is_ready();
            let old = copy.apply(event, &mut |change: Change<K>| {
                changed = true;
                forgotten.extend(log.push(change));
            });
            changed |= copy.is_ready() != was_ready;
            (old, error.take())
        };
        // Outside of the lock: these may be many objects.
        drop((old, error, forgotten));
        if changed {
            self.shared.readers.wake();
        }
    }

    fn failed(&mut self, error: Error) {
        if let Some(handler) = &mut self.on_error {
            handler(&error);
        }
        self.shared.write().error = Some(Arc::new(error));
        self.shared.readers.wake();
    }
}

impl<K: Resource> Future for Driver<K> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let driver = self.get_mut();
        driver.shared.driver.wait(0, cx.waker());
        if driver.shared.read().is_abandoned {
            return Poll::Ready(());
        }
        for _ in 0..BATCH {
            match driver.watcher.poll(cx) {
                Poll::Ready(Ok(event)) => driver.apply(event),
                Poll::Ready(Err(error)) => driver.failed(error),
                Poll::Pending => return Poll::Pending,
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<K: Resource> Drop for Driver<K> {
    fn drop(&mut self) {
        self.shared.write().is_stopped = true;
        self.shared.readers.wake();
    }
}

// Nothing in it is pinned.
impl<K: Resource> Unpin for Driver<K> {}

impl<K: Resource> fmt::Debug for Driver<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("watcher", &self.watcher)
            .finish_non_exhaustive()
    }
}

impl<K: Resource> fmt::Debug for StoreBuilder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreBuilder")
            .field("watcher", &self.watcher)
            .field("kept_changes", &self.kept_changes)
            .finish_non_exhaustive()
    }
}
