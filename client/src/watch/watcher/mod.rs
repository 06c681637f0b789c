//! A watch that goes on whatever happens.

mod course;
mod event;
mod holders;
mod known;
mod selection;
mod source;
mod union;
mod version;
mod waits;

pub use event::WatcherEvent;
pub use selection::Selection;

use crate::client::{Api, Negotiated};
use crate::{Error, Resource};
use futures_core::Stream;
use known::Known;
use source::{Signal, Source};
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use union::Union;

impl<K: Resource> Api<K> {
    /// Follows the changes of objects for ever, whatever happens to connections.
    pub fn watcher(&self) -> Watcher<K> {
        Watcher::new(self.clone())
    }
}

impl<K: Resource> Negotiated<K> {
    /// Follows the changes of objects for ever, see [`Api::watcher`].
    pub fn watcher(&self) -> Watcher<K> {
        self.api.watcher()
    }
}

/// The changes of objects, for as long as it is polled: a stream that does not end by itself.
///
/// It reads all objects, with a [streaming list] where the server offers one and else page by page, and watches from
/// there. When the watch ends or breaks it goes on from the last resource version that an event or bookmark named; when
/// the server no longer knows that version it reads all objects anew and says what
/// [disappeared](WatcherEvent::RestartEnd) meanwhile. A connection on which nothing comes, no bookmark either, is given
/// up.
///
/// Whatever goes wrong is an `Err` item, also what only people can put right, such as 401, 403 and 404. After each the
/// watcher waits, 0.5 s at first and up to 30 s, at random a bit less, or for as long as the server asks, and tries
/// again. Stop polling it, or drop it, when you would rather not.
///
/// [`Store`](crate::watch::Store) keeps a copy of the objects by such events.
///
/// ```no_run
/// use k8s_flowcontrol::Resource;
/// use k8s_flowcontrol::watch::WatcherEvent;
///
/// # async fn example(client: k8s_flowcontrol::Client) {
/// let mut watcher = client.flow_schemas().watcher().label_selector("team=a");
/// loop {
///     match watcher.next().await {
///         Ok(WatcherEvent::RestartItem(schema)) => println!("there is {}", schema.name()),
///         Ok(WatcherEvent::RestartEnd { disappeared, .. }) => println!("not any more: {disappeared:?}"),
///         Ok(WatcherEvent::Applied(schema)) => println!("{} is new or changed", schema.name()),
///         Ok(WatcherEvent::Deleted(schema)) => println!("{} is gone", schema.name()),
///         Ok(_) => {}
///         Err(error) => eprintln!("{error}; trying again"),
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
    /// What the selectors of the watcher itself say, besides `selections`.
    selection: Selection,
    /// Made when the watcher is first polled.
    running: Option<Running<K>>,
    /// Whether it notes the names of the objects, to say which have disappeared.
    notes_names: bool,
}

enum Running<K: Resource> {
    One(Box<Source<K>>, Option<Known>),
    Several(Box<Union<K>>),
}

/// How a watcher goes about it.
#[derive(Clone, Debug)]
struct Settings {
    page_size: Option<u32>,
    streaming: bool,
    watch_timeout: Duration,
    idle_timeout: Duration,
    shortest_wait: Duration,
    longest_wait: Duration,
    drop_managed_fields: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            page_size: Some(500),
            streaming: true,
            watch_timeout: Duration::from_secs(290),
            idle_timeout: Duration::from_secs(150),
            shortest_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            drop_managed_fields: false,
        }
    }
}

/// Settings. Changed after the watcher has been polled, it begins anew.
impl<K: Resource> Watcher<K> {
    pub(crate) fn new(api: Api<K>) -> Self {
        Self {
            api,
            settings: Settings::default(),
            selections: Vec::new(),
            selection: Selection::all(),
            running: None,
            notes_names: true,
        }
    }

    /// Keeps only objects whose labels fit, in kubectl's notation: `team=a,tier in (x,y),!old`.
    ///
    /// Called again, and together with the other selectors, it narrows further.
    pub fn label_selector(self, selector: impl Into<String>) -> Self {
        let selection = self.selection.clone().and_labels(selector);
        self.changed(|watcher| watcher.selection = selection)
    }

    /// Keeps only objects whose fields have these values, such as `metadata.name=exempt`.
    ///
    /// Called again, and together with the other selectors, it narrows further.
    pub fn field_selector(self, selector: impl Into<String>) -> Self {
        let selection = self.selection.clone().and_fields(selector);
        self.changed(|watcher| watcher.selection = selection)
    }

    /// Keeps only objects that at least one of the selections holds.
    ///
    /// Each selection is a watch of its own. An object that several hold is told once; it is deleted when none holds it
    /// any more. Which selections hold an object is known when all of them have come equally far, so such a deletion
    /// may be told up to half a second late.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::watch::Selection;
    ///
    /// # fn example(client: k8s_flowcontrol::Client) {
    /// let watcher = client.flow_schemas().watcher().any_of([
    ///     Selection::labels("team in (a,b)"),
    ///     Selection::fields("metadata.name=exempt"),
    /// ]);
    /// # }
    /// ```
    pub fn any_of(self, selections: impl IntoIterator<Item = Selection>) -> Self {
        self.changed(|watcher| watcher.selections = selections.into_iter().collect())
    }

    /// How many objects a page of a list has, 500 unless said otherwise; 0 means all of them.
    pub fn page_size(self, objects: u32) -> Self {
        self.changed(|watcher| watcher.settings.page_size = Some(objects).filter(|size| *size > 0))
    }

    /// Whether to try streaming lists, which takes one request more with servers that do not offer them. It does
    /// unless told otherwise.
    pub fn streaming_lists(self, streaming: bool) -> Self {
        self.changed(|watcher| watcher.settings.streaming = streaming)
    }

    /// For how long the server is asked to keep a watch open: this and at most twice of it, at random; 290 s unless
    /// said otherwise. Whole seconds, at least one.
    pub fn watch_timeout(self, timeout: Duration) -> Self {
        self.changed(|watcher| watcher.settings.watch_timeout = timeout)
    }

    /// For how long nothing may come, be it a page of a list or an event or bookmark of a watch; 150 s unless said
    /// otherwise, and ten times as long for a list that is not in pages.
    ///
    /// Then the connection is taken for dead. Servers send a bookmark about once a minute: a shorter limit than that
    /// breaks watches that are well. After two silent connections in a row all objects are read anew.
    pub fn idle_timeout(self, timeout: Duration) -> Self {
        self.changed(|watcher| watcher.settings.idle_timeout = timeout)
    }

    /// The shortest and the longest wait after trouble, 0.5 s and 30 s unless said otherwise.
    ///
    /// The wait doubles each time, until all is well again.
    pub fn backoff(self, shortest: Duration, longest: Duration) -> Self {
        self.changed(|watcher| {
            watcher.settings.shortest_wait = shortest;
            watcher.settings.longest_wait = longest;
        })
    }

    /// Leaves `metadata.managedFields` out of the objects: often half of an object's size.
    ///
    /// A server keeps them when an object is written back without them.
    pub fn drop_managed_fields(self) -> Self {
        self.changed(|watcher| watcher.settings.drop_managed_fields = true)
    }

    pub(crate) fn without_names(self) -> Self {
        self.changed(|watcher| watcher.notes_names = false)
    }

    fn changed(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self.running = None;
        self
    }
}

impl<K: Resource> Watcher<K> {
    /// The next event, or what went wrong; the watcher goes on after that.
    ///
    /// Cancelling it loses nothing.
    ///
    /// # Errors
    /// See [`Error`]: whatever a list or a watch meets.
    pub async fn next(&mut self) -> Result<WatcherEvent<K>, Error> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<WatcherEvent<K>, Error>> {
        if self.running.is_none() {
            self.running = Some(self.start());
        }
        match &mut self.running {
            Some(Running::One(source, known)) => loop {
                if let Some(event) = told(ready!(source.poll(cx)), known.as_mut()).transpose() {
                    return Poll::Ready(event);
                }
            },
            Some(Running::Several(union)) => union.poll(cx),
            None => Poll::Pending,
        }
    }

    fn start(&self) -> Running<K> {
        let source =
            |selection: Selection| Source::new(self.api.clone(), selection, self.settings.clone());
        let one = |selection: Selection| {
            let known = self.notes_names.then(Known::default);
            Running::One(Box::new(source(selection)), known)
        };
        match &*self.selections {
            [] => one(self.selection.clone()),
            [only] => one(self.selection.and(only)),
            several => {
                let sources = several.iter().map(|one| source(self.selection.and(one)));
                Running::Several(Box::new(Union::new(sources.collect())))
            }
        }
    }
}

/// What a signal of the only source means.
fn told<K: Resource>(
    signal: Signal<K>,
    known: Option<&mut Known>,
) -> Result<Option<WatcherEvent<K>>, Error> {
    Ok(Some(match (signal, known) {
        (Signal::Trouble(error), _) => return Err(error),
        (Signal::Progress, _) => return Ok(None),
        (Signal::Begin, known) => {
            if let Some(known) = known {
                known.begin();
            }
            WatcherEvent::RestartBegin
        }
        (Signal::End, known) => WatcherEvent::RestartEnd {
            disappeared: known.map(Known::end).unwrap_or_default(),
        },
        (Signal::Item(object), known) => {
            if let Some(known) = known {
                known.insert(&object);
            }
            WatcherEvent::RestartItem(object)
        }
        (Signal::Applied(object), known) => {
            if let Some(known) = known {
                known.insert(&object);
            }
            WatcherEvent::Applied(object)
        }
        (Signal::Deleted(object), known) => {
            if let Some(known) = known {
                known.remove(&object);
            }
            WatcherEvent::Deleted(object)
        }
    }))
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
