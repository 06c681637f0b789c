//! A watcher: lists and watches, one after the other, that survive lost connections and expired resource versions.

mod any_of;
mod builder;
mod delays;
mod event;
mod failure;
mod idle_timer;
mod invalid_states;
mod list_watch;
mod matches;
mod modify;
mod open_watch;
mod page;
mod reported;
mod resource_version;
mod selection;
mod settings;
mod source;

pub use event::WatcherEvent;
pub use selection::Selection;

use crate::verbs::api::Api;
use crate::{Error, Resource};
use any_of::AnyOf;
use futures_core::Stream;
use modify::Modify;
use reported::ReportedKeys;
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
    selections: Vec<Selection>,
    /// The selectors of the watcher itself, which narrow each of `selections`.
    selection: Selection,
    /// Changes each object.
    modify: Modify<K>,
    /// Created by the first poll.
    running: Option<Running<K>>,
    /// Whether to report the objects that disappeared, which takes the memory of their keys.
    reports_disappeared: bool,
}

enum Running<K: Resource> {
    One(Box<Source<K>>, Option<ReportedKeys>),
    Several(Box<AnyOf<K>>),
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
        Some(self.next_event().await)
    }

    /// The next event without the `Option`.
    pub(crate) async fn next_event(&mut self) -> Result<WatcherEvent<K>, Error> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// The resource version up to which all changes were returned: another watcher can [start from](Self::start_from) it.
    ///
    /// `None` before the first list is complete, during later lists, and with [several selections](Self::any_of), each of
    /// which has its own.
    pub fn resource_version(&self) -> Option<&str> {
        match &self.running {
            Some(Running::One(source, _)) => source.version(),
            None if self.selections.len() < 2 => self.settings.start_from.as_deref(),
            _ => None,
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<WatcherEvent<K>, Error>> {
        loop {
            match ready!(self.poll_source(cx)).1 {
                Received::Event(event) => return Poll::Ready(Ok(event)),
                Received::Failed(error) => return Poll::Ready(Err(error)),
                Received::Recovered | Received::Nothing => {}
            }
        }
    }

    /// The next event, and the number of its source.
    pub(crate) fn poll_source(&mut self, cx: &mut Context<'_>) -> Poll<(usize, Received<K>)> {
        if self.running.is_none() {
            self.running = Some(self.start());
        }
        match &mut self.running {
            Some(Running::One(source, reported)) => {
                let mut received = ready!(source.poll(cx));
                if let (Some(reported), Received::Event(event)) = (reported, &mut received) {
                    reported.note(event);
                }
                Poll::Ready((0, received))
            }
            Some(Running::Several(any_of)) => any_of.poll(cx),
            // Unreachable, and harmless if it were not.
            None => Poll::Pending,
        }
    }

    /// Whether the last failure of a source is not over: no event, bookmark or list, and no watch that stayed open,
    /// shows that its changes arrive again.
    pub(crate) fn is_degraded(&self, source: usize) -> bool {
        match &self.running {
            Some(Running::One(source, _)) => source.is_degraded(),
            Some(Running::Several(any_of)) => any_of.is_degraded(source),
            None => false,
        }
    }

    fn start(&self) -> Running<K> {
        let source = |selection: Selection, settings: Settings| {
            Source::new(self.api.clone(), selection, settings, self.modify.clone())
        };
        let one = |selection: Selection| {
            let reported = self.reports_disappeared.then(ReportedKeys::default);
            let source = source(selection, self.settings.clone());
            Running::One(Box::new(source), reported)
        };
        match &*self.selections {
            [] => one(self.selection.clone()),
            [only] => one(self.selection.and(only)),
            several => {
                let settings = Settings {
                    start_from: None,
                    ..self.settings.clone()
                };
                let selections = several.iter().map(|one| self.selection.and(one));
                let sources = selections.map(|selection| source(selection, settings.clone()));
                Running::Several(Box::new(AnyOf::new(sources.collect())))
            }
        }
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
            .field("any_of", &self.selections)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
