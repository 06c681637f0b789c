//! The HTTP side of a watch: lines at the client's pace.

use super::accept::{Encoding, Form};
use super::collection::wait_for;
use super::context::{Context, stopped};
use super::inputs::include;
use super::payload::{self, Body};
use super::request::ApiRequest;
use super::response::ApiResponse;
use super::route::ResourceTarget;
use crate::ids;
use crate::list::WatchOptions;
use crate::represent::{Include, View, protobuf};
use crate::state::{CountedWatch, State};
use crate::status::{Failure, bad_request, failure};
use crate::store::Object;
use crate::watch::{Lines, Selected, error, too_old};
use futures_util::stream;
use hyper::body::Bytes;
use hyper::header;
use k8s_flowcontrol_types::Fact;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// The minimum duration of a watch without a timeout; the maximum is twice as long.
const LONG: Duration = Duration::from_secs(30 * 60);
/// The time between the last bookmark and the end.
const BEFORE_END: Duration = Duration::from_secs(2);
/// The number of changes or objects that are visited before the lock is released.
const BATCH: usize = 256;
/// The approximate size of the text that is made before the client has read it.
const PIECE: usize = 64 * 1024;

/// Starts a watch.
/// Errors: for invalid parameters, and 503 for a kind with objects that cannot be decoded. A resource version that is too old, or in the
/// future of a watch with initial events, is an event in the stream.
pub(super) async fn watch(
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
    form: Form,
) -> Result<ApiResponse, Failure> {
    let state = context.state.clone();
    let release = state.kinds.release;
    let mut options = WatchOptions::parse(&request.query, release)?;
    if let Some(name) = &target.name {
        if options.selector.requires_another(name) {
            return Err(bad_request(
                "fieldSelector metadata.name doesn't match requested name",
            ));
        }
        options.selector = options.selector.named(name);
    }
    options.selector = options.selector.in_namespace(&target.namespace);
    form.check_stream()?;
    let include = match form.view {
        View::Table(_) => include(request)?,
        // An event cannot carry a list: the stream ends immediately.
        View::PartialList(_) => return Ok(stream_of(payload::empty(), form)),
        _ => Include::Metadata,
    };
    if state.read(|store| store.unreadable(target.kind.index).next().is_some()) {
        return Err(uncached(context, &options).await);
    }
    let lines = Lines::new(
        target.kind.clone(),
        target.version,
        options.selector.clone(),
        form.view,
        include,
    );
    let fresh = wait_for(&state, options.at_least).await;
    let watcher = Watcher::new(state, lines, &options, fresh, context.stopping.clone());
    let encoding = form.encoding;
    let is_packed =
        release.has(Fact::CompressesWatches) && payload::is_wanted(&request.parts.headers);
    let lines = stream::unfold(watcher, move |mut watcher| async move {
        let lines = watcher.next().await?;
        let bytes = match encoding {
            Encoding::Protobuf => protobuf::frames(&lines).into(),
            _ => lines,
        };
        // Each flush is a separate gzip member, so that the client receives every event at once.
        let bytes = match is_packed {
            true => payload::member(&bytes).into(),
            false => bytes,
        };
        Some((Ok(bytes), watcher))
    });
    let response = stream_of(payload::streamed(lines), form);
    if !is_packed {
        return Ok(response);
    }
    Ok(response.with_headers([
        (header::CONTENT_ENCODING, "gzip".to_owned()),
        (header::VARY, "Accept-Encoding".to_owned()),
    ]))
}

fn stream_of(body: Body, form: Form) -> ApiResponse {
    let response = ApiResponse::lines(body);
    if form.encoding != Encoding::Protobuf {
        return response;
    }
    let content_type = format!("{};stream=watch", form.encoding.media_type());
    response.with_headers([(header::CONTENT_TYPE, content_type)])
}

/// A watch needs the watch cache, which a server cannot fill with objects that it cannot decode: it waits until the
/// timeout.
async fn uncached(context: &Context, options: &WatchOptions) -> Failure {
    let mut stopping = context.stopping.clone();
    let timeout = options.timeout.unwrap_or(LONG);
    tokio::select! {
        () = stopped(&mut stopping) => {}
        () = tokio::time::sleep(timeout) => {}
    }
    failure(503, "ServiceUnavailable", "context deadline exceeded")
}

/// Selected events with their revisions.
type Changes = Vec<(u64, Selected)>;

struct Watcher {
    state: Arc<State>,
    lines: Lines,
    /// The revision up to which the client has all events.
    position: u64,
    /// The initial objects, and the number of them that the client has. Watches that start together share the
    /// objects.
    initial: Option<(Arc<[Object]>, usize)>,
    /// Whether a bookmark comes after the initial objects.
    bookmarks_initial: bool,
    /// A line after the initial objects.
    then: Option<Bytes>,
    /// Whether the watch ends after that.
    ended: bool,
    revisions: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    end: Instant,
    next_bookmark: Option<Instant>,
    /// The writes of the kind take final seats for the watch.
    _counted: CountedWatch,
}

/// The event that ends a wait.
enum Woken {
    Changed,
    Bookmark(Instant),
    Ended,
}

impl Watcher {
    fn new(
        state: Arc<State>,
        lines: Lines,
        options: &WatchOptions,
        fresh: Result<(), Failure>,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let now = Instant::now();
        let timeout = options.timeout.unwrap_or_else(|| {
            // Random, so that watches that started together do not end together.
            LONG + Duration::from_secs(ids::random() % LONG.as_secs())
        });
        let mut watcher = Self {
            revisions: state.revision.subscribe(),
            position: 0,
            initial: None,
            bookmarks_initial: false,
            then: None,
            ended: false,
            stopping,
            end: now + timeout,
            next_bookmark: None,
            _counted: state.count_watch(lines.kind.index),
            state,
            lines,
        };
        match fresh {
            Ok(()) => watcher.begin(options),
            Err(failure) => watcher.end_with(failure),
        }
        if options.bookmarks {
            watcher.next_bookmark = watcher.bookmark_after(now);
        }
        watcher
    }

    fn begin(&mut self, options: &WatchOptions) {
        let (revision, start) = self
            .state
            .read(|store| (store.revision(), store.history().start()));
        self.position = options.after.unwrap_or(revision);
        if self.position < start {
            self.end_with(too_old(self.position, start));
            return;
        }
        if options.initial_events {
            let (revision, objects) = self.state.snapshot(self.lines.kind.index);
            self.initial = Some((objects, 0));
            if options.after.is_none() {
                self.position = revision;
            }
        }
        self.bookmarks_initial = options.initial_bookmark;
    }

    fn end_with(&mut self, failure: Failure) {
        self.then = Some(error(failure).into());
        self.ended = true;
    }

    /// The next lines, or `None` at the end of the watch.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(lines) = self.next_initial()? {
                return Some(lines);
            }
            if std::mem::take(&mut self.bookmarks_initial) {
                return Some(self.lines.bookmark(self.position, true).into());
            }
            if let Some(line) = self.then.take() {
                return Some(line);
            }
            if self.ended {
                return None;
            }
            let lines = self.pending()?;
            if !lines.is_empty() {
                return Some(lines.into());
            }
            match self.wait().await {
                Woken::Changed => {}
                Woken::Bookmark(due) => {
                    self.next_bookmark = self.bookmark_after(due);
                    let mut lines = self.pending()?;
                    // A watch from a future revision has nothing to mark yet.
                    if self.position <= *self.revisions.borrow() {
                        lines.extend(self.lines.bookmark(self.position, false));
                        return Some(lines.into());
                    }
                }
                Woken::Ended => return None,
            }
        }
    }

    /// The next initial events, or `Some(None)` after the last. `None` disconnects a client that falls behind the
    /// history.
    fn next_initial(&mut self) -> Option<Option<Bytes>> {
        let Some((objects, sent)) = &mut self.initial else {
            return Some(None);
        };
        let mut text = Vec::new();
        for object in &objects[*sent..] {
            *sent += 1;
            self.lines.initial(object, &self.state.texts, &mut text);
            if text.len() >= PIECE {
                break;
            }
        }
        if *sent == objects.len() {
            self.initial = None;
        } else if self.position < self.state.read(|store| store.history().start()) {
            return None;
        }
        Some(Some(text).filter(|text| !text.is_empty()).map(Bytes::from))
    }

    async fn wait(&mut self) -> Woken {
        let bookmark = self.next_bookmark.unwrap_or(self.end);
        tokio::select! {
            () = stopped(&mut self.stopping) => Woken::Ended,
            changed = self.revisions.changed() => {
                if changed.is_ok() { Woken::Changed } else { Woken::Ended }
            }
            () = sleep_until(bookmark), if bookmark < self.end => Woken::Bookmark(bookmark),
            () = sleep_until(self.end) => Woken::Ended,
        }
    }

    /// The events since the last call. `None` disconnects a client that falls behind the history.
    fn pending(&mut self) -> Option<Vec<u8>> {
        self.revisions.borrow_and_update();
        let mut text = Vec::new();
        loop {
            let (selected, last) = self.selected()?;
            for (revision, event) in &selected {
                self.lines.write(event, &self.state.texts, &mut text);
                if text.len() >= PIECE {
                    self.position = *revision;
                    return Some(text);
                }
            }
            let Some(last) = last else {
                return Some(text);
            };
            self.position = last;
            // Changes outside the selection do not cause an event.
            if !text.is_empty() {
                return Some(text);
            }
        }
    }

    /// The events of the next changes, with their revisions, and the revision of the last of these changes. The lock is not held
    /// while the events are written.
    fn selected(&self) -> Option<(Changes, Option<u64>)> {
        self.state.read(|store| {
            let (mut selected, mut last) = (Vec::new(), None);
            for change in store.history().after(self.position)?.take(BATCH) {
                last = Some(change.revision);
                selected.extend(
                    self.lines
                        .select(change)
                        .map(|event| (change.revision, event)),
                );
            }
            Some((selected, last))
        })
    }

    /// The time of the next bookmark: after the interval, or shortly before the end.
    fn bookmark_after(&self, now: Instant) -> Option<Instant> {
        let due = now.checked_add(self.state.bookmark_interval)?;
        let last = self.end.checked_sub(BEFORE_END)?;
        if due < last {
            Some(due)
        } else {
            Some(last).filter(|last| *last > now)
        }
    }
}
