//! The handle of a store: readiness and queries.

use super::stored::{State, Stored};
use crate::convert::Loss;
use crate::error::ErrorKind;
use crate::watch::key::ObjectKey;
use crate::{Error, InvalidObject, Resource};
use std::fmt;
use std::sync::Arc;
use tokio::sync::watch;

/// An exact copy of the server's objects, kept up to date by a [`Watcher`](crate::watch::Watcher).
///
/// A store is a cheap handle: clones share the copy. With a healthy connection the copy is a few milliseconds behind the
/// server. While the watcher lists again, the copy does not change; afterwards it changes at once.
///
/// A task of the tokio runtime drives a store that [`start`](Self::start) made; [`new`](Self::new) leaves that to the
/// caller. It ends when the last clone and the last subscription are dropped.
///
/// A store never fails: after an error the copy stays, and the watcher tries again.
/// [`wait_ready`](Self::wait_ready) returns errors that prevent the first list, [`last_error`](Self::last_error) the
/// current one, and [`StoreBuilder::on_error`](super::StoreBuilder::on_error) calls a handler for each.
/// [`Subscription::with_errors`](super::Subscription::with_errors) and `tracing` events with the
/// target `k8s_flowcontrol::watch` report the beginning (WARN) and the end (INFO) of a failure.
///
/// ```no_run
/// use k8s_flowcontrol::watch::{Store, StoreEvent};
///
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let levels = Store::start(client.priority_level_configurations().watcher());
/// levels.wait_ready().await?;
/// println!("{} levels, exempt exists: {}", levels.len(), levels.get("exempt").is_some());
///
/// let mut events = levels.subscribe();
/// while let Some(event) = events.next().await {
///     match event {
///         StoreEvent::Snapshot(all) => println!("{} levels", all.objects.len()),
///         StoreEvent::Modified { old, new, .. } => println!("{:?} -> {:?}", old.spec, new.spec),
///         other => println!("{other:?}"),
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct Store<K: Resource> {
    pub(super) state: watch::Receiver<State<K>>,
    /// The other side of a store without a driver.
    pub(super) fixed: Option<Arc<watch::Sender<State<K>>>>,
}

impl<K: Resource> Store<K> {
    /// Waits until the copy is complete for the first time: for ever, if the server cannot be reached. `tokio::time::timeout` limits
    /// the wait.
    ///
    /// # Errors
    /// [`StoreNotReady`] when the first list fails for a reason that waiting does not change, such as 401, 403 or 404, or
    /// when the [`Driver`](super::Driver) was dropped. The store tries again after a failed list, so `wait_ready` may be
    /// called again, after a pause: it returns the same error until a list succeeds or fails in another way.
    pub async fn wait_ready(&self) -> Result<(), StoreNotReady> {
        let mut state = self.state.clone();
        let done = state.wait_for(|state| state.objects.is_ready() || permanent(state).is_some());
        match done.await {
            Ok(state) if state.objects.is_ready() => Ok(()),
            Ok(state) => Err(StoreNotReady::new(permanent(&state))),
            Err(_driver_dropped) => Err(StoreNotReady::new(None)),
        }
    }

    /// Whether the copy has been complete at least once.
    pub fn is_ready(&self) -> bool {
        self.state.borrow().objects.is_ready()
    }

    /// The object with a name, in a kind without namespaces; see [`get_key`](Self::get_key).
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        // A name cannot contain a slash, so `namespace/name` must not find a namespaced object.
        let object = self.get_stored(name, |stored| stored.object.clone());
        object.filter(|object| object.metadata().namespace.is_none())
    }

    /// The object with a key.
    pub fn get_key(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.get_stored(key.as_str(), |stored| stored.object.clone())
    }

    /// The fields that the conversion of an object from the version on the wire lost. Empty unless the watcher belongs to
    /// a [`Negotiated`](crate::client::Negotiated), and for an object that is not in the store.
    pub fn losses(&self, key: &ObjectKey) -> Vec<Loss> {
        let losses = self.get_stored(key.as_str(), |stored| stored.losses.clone());
        losses.unwrap_or_default()
    }

    /// All current objects, in the order of their keys.
    pub fn snapshot(&self) -> Vec<Arc<K>> {
        self.filter(|_| true)
    }

    /// The objects for which `matches` returns `true`, in the order of their keys.
    ///
    /// The copy is locked meanwhile: keep `matches` short, and do not use the store in it.
    pub fn filter(&self, mut matches: impl FnMut(&K) -> bool) -> Vec<Arc<K>> {
        let state = self.state.borrow();
        let objects = state.objects.current().values();
        let objects = objects.map(|stored| &stored.object);
        objects.filter(|object| matches(object)).cloned().collect()
    }

    /// The objects that do not fit their type, with the errors, in the order of their keys. The store keeps
    /// them separately, and reports each to [`StoreBuilder::on_error`](super::StoreBuilder::on_error).
    ///
    /// Empty with [`Watcher::keep_invalid(false)`](crate::watch::Watcher::keep_invalid).
    pub fn invalid(&self) -> Vec<Arc<InvalidObject>> {
        self.state
            .borrow()
            .objects
            .invalid()
            .values()
            .cloned()
            .collect()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.state.borrow().objects.current().len()
    }

    /// Whether the store is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The last failure of the watcher; `None` before the first failure, and once the last one is over. While it is set, the copy
    /// may be out of date.
    ///
    /// A failure is over when the next watch delivers an event or a bookmark, or has been open for a second, or when a
    /// list is complete. While consecutive watches fail, for example because a server accepts and ends them at once,
    /// neither a list nor the opening of another watch is enough.
    ///
    /// After the [`Driver`](super::Driver) was dropped, for example because a handler panicked or the runtime was shut
    /// down, it is an error that never ends.
    ///
    /// With [`is_ready`](Self::is_ready) it suits a health check: it is `None` for a healthy server, even without changes and bookmarks.
    /// It is also `None` while the first list is read, and until a silent connection [counts as dead](crate::watch::Watcher::idle_timeout).
    pub fn last_error(&self) -> Option<Arc<Error>> {
        if self.state.has_changed().is_err() {
            return Some(Arc::new(Error::new(ErrorKind::NoDriver)));
        }
        self.state.borrow().error.clone()
    }

    fn get_stored<T>(&self, key: &str, read: impl FnOnce(&Stored<K>) -> T) -> Option<T> {
        self.state.borrow().objects.current().get(key).map(read)
    }
}

/// The failure that waiting does not change, if it is one.
fn permanent<K>(state: &State<K>) -> Option<Arc<Error>> {
    state.error.clone().filter(|error| error.is_permanent())
}

impl<K: Resource> Clone for Store<K> {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            fixed: self.fixed.clone(),
        }
    }
}

impl<K: Resource> fmt::Debug for Store<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.borrow();
        f.debug_struct("Store")
            .field("kind", &K::KIND)
            .field("objects", &state.objects.current().len())
            .field("is_ready", &state.objects.is_ready())
            .field("last_error", &state.error)
            .finish_non_exhaustive()
    }
}

/// The error of [`Store::wait_ready`](super::Store::wait_ready): the copy of the server's objects is not complete.
#[derive(Clone)]
pub struct StoreNotReady(Option<Arc<Error>>);

impl StoreNotReady {
    /// With the failure of the list, or `None` when the driver was dropped.
    pub(super) fn new(error: Option<Arc<Error>>) -> Self {
        Self(error)
    }

    /// The failure of the list; `None` when the store's driver was dropped.
    pub fn error(&self) -> Option<&Error> {
        self.0.as_deref()
    }
}

impl fmt::Display for StoreNotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the copy of the server's objects is not complete: ")?;
        match self.error() {
            Some(error) => write!(f, "{error}; the store tries again"),
            None => f.write_str("the driver was dropped; keep it and poll it, or use Store::start"),
        }
    }
}

/// The text of the error, which a program prints that returns it from `main`.
impl fmt::Debug for StoreNotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StoreNotReady {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error().map(|error| error as _)
    }
}
