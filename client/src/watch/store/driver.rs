//! The driver of a store: the future that applies a watcher's events to the copy.

use super::event::StoreEvent;
use super::stored::State;
use crate::watch::watcher::{Received, Watcher, WatcherEvent};
use crate::{Error, InvalidObject, Resource, json};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::sync::watch;

/// The events per poll, after which other tasks may run.
const BATCH: usize = 256;

/// The target of the events about failures.
const TARGET: &str = "k8s_flowcontrol::watch";

pub(super) type ErrorHandler = Box<dyn FnMut(&Error) + Send>;

/// Keeps the copy of a [`Store`](super::Store) up to date while it is polled. Ends when the last handle of the store is
/// dropped.
#[must_use = "a store changes only while its driver is polled"]
pub struct Driver<K: Resource> {
    pub(super) run: Pin<Box<dyn Future<Output = ()> + Send>>,
    kind: std::marker::PhantomData<fn() -> K>,
}

impl<K: Resource> Driver<K> {
    pub(super) fn new(
        watcher: Watcher<K>,
        state: watch::Sender<State<K>>,
        on_error: Option<ErrorHandler>,
    ) -> Self {
        Self {
            run: Box::pin(run(watcher, state, on_error)),
            kind: std::marker::PhantomData,
        }
    }
}

async fn run<K: Resource>(
    mut watcher: Watcher<K>,
    state: watch::Sender<State<K>>,
    mut on_error: Option<ErrorHandler>,
) {
    let mut abandoned = pin!(state.closed());
    // The last failure, until it is over.
    let mut trouble: Option<Arc<Error>> = None;
    let mut is_warned = false;
    poll_fn(|cx| {
        if abandoned.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        for _ in 0..BATCH {
            match ready!(watcher.poll_received(cx)) {
                Received::Nothing => {}
                received @ (Received::Event(_) | Received::Recovered) => {
                    let event = match received {
                        Received::Event(event) => Some(event),
                        _ => None,
                    };
                    if let (Some(handler), Some(WatcherEvent::Invalid { object, .. })) =
                        (&mut on_error, &event)
                    {
                        handler(&invalid::<K>(object));
                    }
                    let is_over = !watcher.is_degraded() && trouble.take().is_some();
                    if trouble.is_none() && std::mem::take(&mut is_warned) {
                        tracing::info!(target: TARGET, kind = K::KIND, "the failure is over: the store is kept up to date");
                    }
                    if event.is_some() || is_over {
                        apply(&state, event, trouble.clone());
                    }
                }
                Received::Failed(error) => {
                    if let Some(handler) = &mut on_error {
                        handler(&error);
                    }
                    // Servers and proxies end connections when they restart, some without TLS' close_notify. The next request
                    // shows whether this is more.
                    if error.is_connection_lost() && trouble.is_none() {
                        tracing::debug!(target: TARGET, kind = K::KIND, %error, "a list or watch broke; the next one follows");
                    } else if !is_warned {
                        is_warned = true;
                        match state.borrow().objects.is_ready() {
                            true => tracing::warn!(
                                target: TARGET, kind = K::KIND, %error, "the store may be out of date until its list or watch works again"
                            ),
                            false => tracing::warn!(
                                target: TARGET, kind = K::KIND, %error, "the store is not complete; its list is tried again"
                            ),
                        }
                    }
                    trouble = Some(Arc::new(error));
                    state.send_modify(|state| state.error.clone_from(&trouble));
                }
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn invalid<K: Resource>(object: &InvalidObject) -> Error {
    Error::decode(format!("{} ({})", K::KIND, K::VERSION), object.to_string())
}

fn apply<K: Resource>(
    state: &watch::Sender<State<K>>,
    event: Option<WatcherEvent<K>>,
    error: Option<Arc<Error>>,
) {
    let mut removed = Vec::new();
    let mut replaced = None;
    state.send_if_modified(|state| {
        let State {
            objects,
            log,
            error: last_error,
        } = state;
        let was_ready = objects.is_ready();
        let mut has_changed = false;
        let old = event.map(|event| {
            objects.apply(event, &mut |event: StoreEvent<K>| {
                has_changed = true;
                removed.extend(log.lock().push(event, size));
            })
        });
        let is_over = last_error.is_some() && error.is_none();
        replaced = Some((old, std::mem::replace(last_error, error)));
        has_changed || is_over || objects.is_ready() != was_ready
    });
    // Without the lock, since these may be many objects.
    drop((replaced, removed));
}

/// The size of the object that an event adds to the memory, in bytes of JSON.
fn size<K: Resource>(event: &StoreEvent<K>) -> usize {
    match event {
        StoreEvent::Added { object, .. }
        | StoreEvent::Modified { new: object, .. }
        | StoreEvent::Deleted { object } => json::to_vec(&**object).len(),
        _ => 0,
    }
}

impl<K: Resource> Future for Driver<K> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.get_mut().run.as_mut().poll(cx)
    }
}

impl<K: Resource> fmt::Debug for Driver<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("kind", &K::KIND)
            .finish_non_exhaustive()
    }
}
