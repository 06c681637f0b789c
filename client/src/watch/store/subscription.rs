//! A subscription to the events of a store.

use super::event::{Snapshot, StoreEvent};
use super::handle::Store;
use super::stored::State;
use crate::Resource;
use futures_core::Stream;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

impl<K: Resource> Store<K> {
    /// The events from now on. The first one is a [`Snapshot`](StoreEvent::Snapshot) of all objects, once the copy is
    /// complete.
    ///
    /// Subscriptions read the latest events, which the store keeps once for all of them. A subscription that is too slow
    /// to read an event before it is removed gets another snapshot instead, with the number of
    /// [missed](Snapshot::missed) events.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Resource;
    /// use k8s_flowcontrol::watch::{Store, StoreEvent};
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) {
    /// let store = Store::start(client.flow_schemas().watcher());
    /// let mut events = store.subscribe();
    /// while let Some(event) = events.next().await {
    ///     match event {
    ///         StoreEvent::Snapshot(all) => println!("{} schemas, {} events missed", all.objects.len(), all.missed),
    ///         StoreEvent::Added { object, .. } => println!("{} is new", object.name()),
    ///         StoreEvent::Modified { new, .. } => println!("{} has changed", new.name()),
    ///         StoreEvent::Deleted { object } => println!("{} was deleted", object.name()),
    ///         _ => {}
    ///     }
    /// }
    /// # }
    /// ```
    pub fn subscribe(&self) -> Subscription<K> {
        Subscription {
            store: self.clone(),
            position: None,
            errors: None,
            change: None,
        }
    }
}

/// The events of a [`Store`], in order, made by [`Store::subscribe`].
///
/// The subscription keeps the store alive. It ends (`None`) only after the store's [`Driver`](super::Driver) was dropped.
#[must_use = "a stream does nothing until it is polled"]
pub struct Subscription<K: Resource> {
    store: Store<K>,
    /// Its number in the log, and the number of its next event; `None` before the first snapshot.
    position: Option<(u64, u64)>,
    /// Whether the last reported failure is not over; `None` if failures are not reported.
    errors: Option<bool>,
    /// Ready when the store has changed, with whether its driver still exists.
    change: Option<Change>,
}

type Change = Pin<Box<dyn Future<Output = bool> + Send + Sync>>;

impl<K: Resource> Subscription<K> {
    /// The next event; `None` after the store's driver was dropped.
    ///
    /// Cancel safe: no event is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<StoreEvent<K>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// The same subscription with the events [`Failed`](StoreEvent::Failed), when the watch begins to fail, and
    /// [`Recovered`](StoreEvent::Recovered), when it works again. The pair comes once, however often the store tries.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::watch::{Store, StoreEvent};
    ///
    /// # async fn example(store: Store<k8s_flowcontrol::api::v1::FlowSchema>) {
    /// let mut events = store.subscribe().with_errors();
    /// while let Some(event) = events.next().await {
    ///     match event {
    ///         StoreEvent::Failed { error } => println!("out of date: {error}"),
    ///         StoreEvent::Recovered => println!("up to date again"),
    ///         other => println!("{other:?}"),
    ///     }
    /// }
    /// # }
    /// ```
    pub fn with_errors(mut self) -> Self {
        self.errors = Some(false);
        self
    }

    /// The store of the subscription.
    pub fn store(&self) -> &Store<K> {
        &self.store
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<StoreEvent<K>>> {
        loop {
            // Marks the state as seen, so that only a later change ends the wait.
            let state = self.store.state.borrow_and_update();
            let has_failed = state.error.is_some();
            if let Some(reported) = self.errors.as_mut().filter(|was| **was != has_failed) {
                *reported = has_failed;
                let error = state.error.clone();
                return Poll::Ready(Some(match error {
                    Some(error) => StoreEvent::Failed { error },
                    None => StoreEvent::Recovered,
                }));
            }
            let found = read(&state, &mut self.position);
            drop(state);
            if let Some((event, unneeded)) = found {
                drop(unneeded);
                return Poll::Ready(Some(event));
            }
            let change = self.change.get_or_insert_with(|| {
                let mut state = self.store.state.clone();
                Box::pin(async move { state.changed().await.is_ok() })
            });
            let has_driver = ready!(change.as_mut().poll(cx));
            self.change = None;
            if !has_driver {
                return Poll::Ready(None);
            }
        }
    }
}

/// The next event of a subscription, and the events that all other subscriptions have read. Moves the position past it.
fn read<K: Resource>(
    state: &State<K>,
    position: &mut Option<(u64, u64)>,
) -> Option<(StoreEvent<K>, Vec<StoreEvent<K>>)> {
    if !state.objects.is_ready() {
        return None;
    }
    let mut log = state.log.lock();
    let (reader, next) = match *position {
        Some(position) => position,
        None => (log.join(), log.end()),
    };
    let missed = match (&position, log.get(next)) {
        (None, _) => 0,
        (Some(_), Ok(event)) => {
            let event = event?.clone();
            *position = Some((reader, next + 1));
            return Some((event, log.advance(reader, next + 1)));
        }
        (Some(_), Err(missed)) => missed,
    };
    let end = log.end();
    *position = Some((reader, end));
    let unneeded = log.advance(reader, end);
    drop(log);
    let stored = state.objects.current();
    let lossy = stored
        .iter()
        .filter(|(_, stored)| !stored.losses.is_empty());
    let snapshot = Snapshot {
        objects: stored
            .values()
            .map(|stored| stored.object.clone())
            .collect(),
        losses: lossy
            .map(|(key, stored)| (key.clone(), stored.losses.clone()))
            .collect(),
        missed,
    };
    Some((StoreEvent::Snapshot(snapshot), unneeded))
}

impl<K: Resource> Drop for Subscription<K> {
    fn drop(&mut self) {
        if let Some((reader, _)) = self.position {
            let log = self.store.state.borrow().log.clone();
            let unneeded = log.lock().leave(reader);
            drop(unneeded);
        }
    }
}

// Nothing in it is pinned.
impl<K: Resource> Unpin for Subscription<K> {}

impl<K: Resource> Stream for Subscription<K> {
    type Item = StoreEvent<K>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl<K: Resource> fmt::Debug for Subscription<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("store", &self.store)
            .field("next", &self.position.map(|(_, next)| next))
            .finish_non_exhaustive()
    }
}
