//! A copy of the server's objects.

mod change;
mod copy;
mod driver;
mod log;
mod subscription;
mod unready;
mod wakers;

pub use change::{Change, Resync};
pub use driver::{Driver, StoreBuilder};
pub use subscription::Subscription;
pub use unready::Unready;

use super::{ObjectKey, Watcher};
use crate::{Error, Resource};
use copy::Copy;
use log::Log;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::task::{Context, Poll};
use wakers::Wakers;

/// An exact copy of the server's objects, kept up to date by a [`Watcher`]. Cheap to clone; the clones share the copy.
///
/// The copy is as new as what the watcher was told, which with a healthy connection is some milliseconds old. While the
/// watcher reads all objects anew the copy stays as it was, and then changes at once.
///
/// [`start`](Self::start) keeps it by a task of the current tokio runtime, [`new`](Self::new) leaves that to the
/// caller. It ends when the last clone and the last subscription is dropped.
///
/// ```no_run
/// use k8s_flowcontrol::watch::{Change, Store};
///
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let levels = Store::start(client.priority_level_configurations().watcher());
/// levels.wait_ready().await?;
/// println!("{} levels, exempt is there: {}", levels.len(), levels.get("exempt").is_some());
///
/// let mut changes = levels.subscribe();
/// while let Some(change) = changes.next().await {
///     match change {
///         Change::Resync(all) => println!("{} levels", all.objects.len()),
///         Change::Modified { old, new, .. } => println!("{:?} -> {:?}", old.spec, new.spec),
///         other => println!("{other:?}"),
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct Store<K: Resource> {
    shared: Arc<Shared<K>>,
    /// What tells the driver that nobody is left.
    _alive: Arc<Alive<K>>,
}

/// What the store's handles and its driver share.
struct Shared<K: Resource> {
    state: RwLock<State<K>>,
    /// Those who wait for a change.
    readers: Wakers,
    /// The driver, which waits for the end.
    driver: Wakers,
}

struct State<K: Resource> {
    copy: Copy<K>,
    log: Log<K>,
    /// What went wrong last, until something goes well.
    error: Option<Arc<Error>>,
    /// No handle is left.
    is_abandoned: bool,
    /// No driver is left.
    is_stopped: bool,
}

/// Its drop is the end of the last handle.
struct Alive<K: Resource>(Arc<Shared<K>>);

impl<K: Resource> Store<K> {
    /// Keeps a copy by a task of the current tokio runtime.
    ///
    /// # Panics
    /// Outside of a tokio runtime, as [`tokio::spawn`] does.
    pub fn start(watcher: Watcher<K>) -> Self {
        Self::builder(watcher).start()
    }

    /// A copy, and the future that keeps it: the copy changes only while that is polled.
    pub fn new(watcher: Watcher<K>) -> (Self, Driver<K>) {
        Self::builder(watcher).build()
    }

    /// Settings for a store, each with a default.
    pub fn builder(watcher: Watcher<K>) -> StoreBuilder<K> {
        StoreBuilder::new(watcher)
    }

    /// Waits until the copy is complete for the first time.
    ///
    /// # Errors
    /// [`Unready`], when the server refuses in a way that waiting does not put right, such as 401, 403 or 404, or when
    /// the driver is gone. The store goes on trying after a refusal: wait again if it may be put right.
    pub async fn wait_ready(&self) -> Result<(), Unready> {
        let waiting = Waiting::new(&self.shared);
        std::future::poll_fn(|cx| {
            waiting.poll(cx, |state| {
                if state.copy.is_ready() {
                    return Some(Ok(()));
                }
                if state.is_stopped {
                    return Some(Err(Unready::stopped()));
                }
                let refusal = state.error.as_ref().filter(|error| is_refusal(error));
                refusal.map(|error| Err(Unready::refused(error.clone())))
            })
        })
        .await
    }

    /// Whether the copy is or has been complete.
    pub fn is_ready(&self) -> bool {
        self.shared.read().copy.is_ready()
    }

    /// The object of that name; in a kind with namespaces see [`get_key`](Self::get_key).
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        // A name has no slash in it: an object in a namespace is not found by what looks like its key.
        let found = self.shared.read().copy.objects().get(name).cloned();
        found.filter(|object| object.metadata().namespace.is_none())
    }

    /// The object of that key.
    pub fn get_key(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.shared.read().copy.objects().get(key).cloned()
    }

    /// All objects as they are now, in the order of their keys.
    pub fn snapshot(&self) -> Vec<Arc<K>> {
        self.shared
            .read()
            .copy
            .objects()
            .values()
            .cloned()
            .collect()
    }

    /// The objects that fit, in the order of their keys.
    ///
    /// The copy cannot change while `fits` is called: keep it short, and do not ask the same store in it.
    pub fn filter(&self, mut fits: impl FnMut(&K) -> bool) -> Vec<Arc<K>> {
        let state = self.shared.read();
        let objects = state.copy.objects().values();
        objects.filter(|object| fits(object)).cloned().collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.shared.read().copy.objects().len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The changes from now on; first of all come all objects, once the copy is complete.
    ///
    /// Nothing is stored for a subscriber: it reads the last changes, which the store keeps for all. One that is so
    /// slow that changes are forgotten before it has read them gets a [`Resync`] instead.
    pub fn subscribe(&self) -> Subscription<K> {
        Subscription::new(self.clone())
    }

    /// What went wrong last; `None` when something went well since.
    ///
    /// While it is set the copy may be growing old. [`StoreBuilder::on_error`] is told of every error.
    pub fn last_error(&self) -> Option<Arc<Error>> {
        self.shared.read().error.clone()
    }
}

/// Whether waiting will not help.
fn is_refusal(error: &Error) -> bool {
    let is_about_the_request = matches!(error.code(), Some(400..500)) && !error.is_expired();
    !error.is_retryable() && (is_about_the_request || error.is_argument())
}

impl<K: Resource> Shared<K> {
    fn read(&self) -> RwLockReadGuard<'_, State<K>> {
        // Nothing that holds the lock for writing can panic halfway through a change.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State<K>> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among those who wait for a change.
struct Waiting<'a, K: Resource> {
    shared: &'a Shared<K>,
    number: u64,
}

impl<'a, K: Resource> Waiting<'a, K> {
    fn new(shared: &'a Shared<K>) -> Self {
        let number = shared.readers.number();
        Self { shared, number }
    }

    fn poll<T>(&self, cx: &mut Context<'_>, look: impl Fn(&State<K>) -> Option<T>) -> Poll<T> {
        wait(self.shared, self.number, cx, look)
    }
}

impl<K: Resource> Drop for Waiting<'_, K> {
    fn drop(&mut self) {
        self.shared.readers.forget(self.number);
    }
}

/// Looks, and lets the task be woken by the next change when there is nothing to see yet.
fn wait<K: Resource, T>(
    shared: &Shared<K>,
    number: u64,
    cx: &mut Context<'_>,
    look: impl Fn(&State<K>) -> Option<T>,
) -> Poll<T> {
    if let Some(found) = look(&shared.read()) {
        return Poll::Ready(found);
    }
    shared.readers.wait(number, cx.waker());
    // It may have changed in between.
    match look(&shared.read()) {
        Some(found) => Poll::Ready(found),
        None => Poll::Pending,
    }
}

impl<K: Resource> Drop for Alive<K> {
    fn drop(&mut self) {
        self.0.write().is_abandoned = true;
        self.0.driver.wake();
    }
}

impl<K: Resource> Clone for Store<K> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            _alive: self._alive.clone(),
        }
    }
}

impl<K: Resource> fmt::Debug for Store<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.read();
        f.debug_struct("Store")
            .field("kind", &K::KIND)
            .field("objects", &state.copy.objects().len())
            .field("is_ready", &state.copy.is_ready())
            .field("last_error", &state.error)
            .finish_non_exhaustive()
    }
}
