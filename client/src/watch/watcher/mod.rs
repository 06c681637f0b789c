//! A watcher: lists and watches, one after the other, that survive lost connections and expired resource versions.

mod builder;
mod event;
mod failure;
mod list_watch;
mod open_watch;
mod page;
mod reported;
mod selection;
mod settings;
mod source;

pub use event::WatcherEvent;

use crate::verbs::api::Api;
use crate::{Error, Resource};
use futures_core::Stream;
use reported::ReportedKeys;
use selection::{Modify, Selection};
use settings::Settings;
pub(crate) use source::Received;
use source::Source;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

impl<K: Resource> Api<K> {
    /// Watches objects for as long as the [`Watcher`] is polled, through lost connections and expired resource versions.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) {
    /// let mut watcher = client.priority_level_configurations().watcher().label_selector("team=a");
    /// while let Some(event) = watcher.next().await {
    ///     match event {
    ///         Ok(event) => println!("{event:?}"),
    ///         Err(error) => eprintln!("{error}; the watcher tries again"),
    ///     }
    /// }
    /// # }
    /// ```
    pub fn watcher(&self) -> Watcher<K> {
        Watcher::new(self.clone())
    }
}

/// An endless stream of the changes of objects, made by [`Api::watcher`].
///
/// A watcher lists all objects, with a [streaming list] if the server supports it and page by page otherwise, and then
/// watches them. When the watch ends or breaks, it continues from the resource version of the last event or bookmark.
/// A connection that delivers nothing, not even bookmarks, is closed and replaced.
///
/// After a list it reports which objects [disappeared](WatcherEvent::ListEnd) meanwhile. It never ends on its own: stop
/// polling it, or drop it, to end it. Every failure is an `Err`, including 401, 403 and 404, which only a person can
/// fix, and the watcher continues:
///
#[doc = include_str!("recovery.md")]
///
/// A [`Store`](super::Store) keeps a copy of the objects with a watcher. [`Api::watch`](crate::Api::watch) is a
/// single watch without any of this, and [`Api::wait_for`](crate::Api::wait_for) waits for one object.
///
/// ```no_run
/// use k8s_flowcontrol::Resource;
/// use k8s_flowcontrol::watch::WatcherEvent;
///
/// # async fn example(client: k8s_flowcontrol::Client) {
/// let mut watcher = client.flow_schemas().watcher().label_selector("team=a");
/// while let Some(event) = watcher.next().await {
///     match event {
///         Ok(WatcherEvent::ListItem { object, .. }) => println!("{} exists", object.name()),
///         Ok(WatcherEvent::ListEnd { disappeared }) => println!("no longer there: {disappeared:?}"),
///         Ok(WatcherEvent::Applied { object, .. }) => println!("{} is new or has changed", object.name()),
///         Ok(WatcherEvent::Deleted { object, .. }) => println!("{} was deleted", object.name()),
///         Ok(_) => {}
///         Err(error) => eprintln!("{error}; the watcher tries again"),
///     }
/// }
/// # }
/// ```
///
/// [streaming list]: https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
#[must_use = "a watcher does nothing until it is polled"]
pub struct Watcher<K: Resource> {
    api: Api<K>,
    settings: Settings,
    selection: Selection,
    /// Changes each object.
    modify: Modify<K>,
    /// Created by the first poll.
    running: Option<Running<K>>,
    /// Whether to report the objects that disappeared, which takes the memory of their keys.
    reports_disappeared: bool,
}

struct Running<K: Resource> {
    source: Box<Source<K>>,
    reported: Option<ReportedKeys>,
}

impl<K: Resource> Watcher<K> {
    /// The next event, or a failure; the watcher continues after it. Never `None`: the shape is that of all streams of this
    /// crate, so that `while let Some(event) = watcher.next().await` reads as elsewhere.
    ///
    /// Cancel safe: no event is lost when the future is dropped.
    ///
    /// # Errors
    /// The [`Error`] of a list or a watch: [`is_retryable`](Error::is_retryable) for lost connections and busy servers,
    /// [`is_expired`](Error::is_expired) before a list that a too old resource version causes, and
    /// [`is_forbidden`](Error::is_forbidden) and others for failures that repeat until their cause is fixed.
    pub async fn next(&mut self) -> Option<Result<WatcherEvent<K>, Error>> {
        Some(std::future::poll_fn(|cx| self.poll(cx)).await)
    }

    /// The resource version up to which all changes were returned: another watcher can [start from](Self::start_from) it.
    ///
    /// `None` before the first list is complete, and during later lists.
    pub fn resource_version(&self) -> Option<&str> {
        match &self.running {
            Some(running) => running.source.version(),
            None => self.settings.start_from.as_deref(),
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<WatcherEvent<K>, Error>> {
        loop {
            match ready!(self.poll_received(cx)) {
                Received::Event(event) => return Poll::Ready(Ok(event)),
                Received::Failed(error) => return Poll::Ready(Err(error)),
                Received::Recovered | Received::Nothing => {}
            }
        }
    }

    /// The next event, failure or recovery.
    pub(crate) fn poll_received(&mut self, cx: &mut Context<'_>) -> Poll<Received<K>> {
        let Running { source, reported } = self.running.get_or_insert_with(|| {
            let source = Source::new(
                self.api.clone(),
                self.selection.clone(),
                self.settings.clone(),
                self.modify.clone(),
            );
            Running {
                source: Box::new(source),
                reported: self.reports_disappeared.then(ReportedKeys::default),
            }
        });
        let mut received = ready!(source.poll(cx));
        if let (Some(reported), Received::Event(event)) = (reported, &mut received) {
            reported.note(event);
        }
        Poll::Ready(received)
    }

    /// Whether the last failure is not over: no event, bookmark or list, and no watch that stayed open, shows that changes
    /// arrive again.
    pub(crate) fn is_degraded(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| running.source.is_degraded())
    }
}

// Nothing in it is pinned.
impl<K: Resource> Unpin for Watcher<K> {}

impl<K: Resource> Stream for Watcher<K> {
    type Item = Result<WatcherEvent<K>, Error>;

    /// Never `None`.
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx).map(Some)
    }
}

impl<K: Resource> fmt::Debug for Watcher<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher")
            .field("api", &self.api)
            .field("selection", &self.selection)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
