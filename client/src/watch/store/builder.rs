//! Making a store.

use super::driver::{Driver, ErrorHandler};
use super::handle::Store;
use super::log::EventLog;
use super::objects::StoredObjects;
use super::stored::State;
use crate::watch::watcher::Watcher;
use crate::{Error, Resource};
use std::fmt;
use std::sync::Arc;
use tokio::sync::watch;

impl<K: Resource> Store<K> {
    /// A store that a task of the current tokio runtime drives.
    ///
    /// # Panics
    /// Outside a tokio runtime, as [`tokio::spawn`] does.
    pub fn start(watcher: Watcher<K>) -> Self {
        Self::builder(watcher).start()
    }

    /// A store and its driver: the copy changes only while the driver is polled.
    pub fn new(watcher: Watcher<K>) -> (Self, Driver<K>) {
        Self::builder(watcher).build()
    }

    /// A store of these objects, without a server: for tests of code that reads a store.
    ///
    /// It is ready and never changes. Of objects with the same key it has the last.
    ///
    /// ```
    /// use k8s_flowcontrol::Resource;
    /// use k8s_flowcontrol::api::v1::FlowSchema;
    /// use k8s_flowcontrol::watch::Store;
    ///
    /// fn has_schema(schemas: &Store<FlowSchema>, name: &str) -> bool {
    ///     schemas.get(name).is_some()
    /// }
    ///
    /// let schemas = Store::from_objects([FlowSchema::partial("mine")]);
    /// assert!(has_schema(&schemas, "mine") && !has_schema(&schemas, "yours"));
    /// ```
    pub fn from_objects(objects: impl IntoIterator<Item = K>) -> Self {
        let (sender, state) = watch::channel(State {
            objects: StoredObjects::complete(objects),
            log: EventLog::new(1, 0),
            error: None,
        });
        Self {
            state,
            fixed: Some(Arc::new(sender)),
        }
    }

    /// A store with settings, each of which has a default.
    pub fn builder(watcher: Watcher<K>) -> StoreBuilder<K> {
        StoreBuilder {
            watcher,
            kept_events: 1024,
            kept_bytes: 64 << 20,
            on_error: None,
        }
    }
}

/// The settings of a [`Store`], made by [`Store::builder`].
#[must_use = "a builder does nothing until it is started or built"]
pub struct StoreBuilder<K: Resource> {
    watcher: Watcher<K>,
    kept_events: usize,
    kept_bytes: usize,
    on_error: Option<ErrorHandler>,
}

impl<K: Resource> StoreBuilder<K> {
    /// The maximum number of events that are kept for subscriptions that have not read them; at least one. Defaults to 1,024.
    ///
    /// A subscription that is further behind gets a [`Snapshot`](super::Snapshot). Without subscriptions events are not
    /// kept.
    pub fn kept_events(mut self, events: usize) -> Self {
        self.kept_events = events;
        self
    }

    /// The maximum size of the objects in these events, in bytes of JSON. Defaults to 64 MiB.
    ///
    /// Up to 16 events are kept regardless of their size.
    pub fn kept_bytes(mut self, bytes: usize) -> Self {
        self.kept_bytes = bytes;
        self
    }

    /// Calls `handler` for every failure of the watcher, for example to log it. The watcher tries again after each.
    ///
    /// Also for every object that does not fit its type ([`is_decode`](Error::is_decode)): the store skips it, and
    /// continues with the others.
    pub fn on_error(mut self, handler: impl FnMut(&Error) + Send + 'static) -> Self {
        self.on_error = Some(Box::new(handler));
        self
    }

    /// The store, driven by a task of the current tokio runtime.
    ///
    /// # Panics
    /// Outside a tokio runtime, as [`tokio::spawn`] does.
    pub fn start(self) -> Store<K> {
        let (store, driver) = self.build();
        // The task ends with the last handle. Its code is the same for all kinds.
        drop(tokio::spawn(driver.run));
        store
    }

    /// The store and its driver: the copy changes only while the driver is polled.
    pub fn build(self) -> (Store<K>, Driver<K>) {
        let (sender, receiver) = watch::channel(State {
            objects: StoredObjects::new(),
            log: EventLog::new(self.kept_events, self.kept_bytes),
            error: None,
        });
        // The store compares the lists itself.
        let watcher = self.watcher.for_copy();
        let driver = Driver::new(watcher, sender, self.on_error);
        let store = Store {
            state: receiver,
            fixed: None,
        };
        (store, driver)
    }
}

impl<K: Resource> fmt::Debug for StoreBuilder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreBuilder")
            .field("watcher", &self.watcher)
            .field("kept_events", &self.kept_events)
            .field("kept_bytes", &self.kept_bytes)
            .finish_non_exhaustive()
    }
}
