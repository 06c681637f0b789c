//! The events of one selection: lists and watches, one request after the other, for ever.

use super::delays::Delays;
use super::event::WatcherEvent;
use super::idle_timer::IdleTimer;
use super::list_watch::{Failure, ListWatch, Step};
use super::selection::Selection;
use super::settings::Settings;
use crate::client::events::{WatchEvent, WatchStream};
use crate::client::{Api, BoxFuture, Error, Kind, RequestLine, Response};
use crate::config::{RetryPolicy, random_fraction};
use crate::convert::Loss;
use crate::{List, Resource};
use std::collections::HashMap;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Sleep, sleep};

pub(super) struct Source<K: Resource> {
    api: Api<K>,
    selection: Selection,
    settings: Settings,
    list_watch: ListWatch,
    state: State<K>,
}

/// An event, or `None` when only the resource version has advanced. `disappeared` is left to the watcher.
type Received<K> = Option<WatcherEvent<K>>;

enum State<K: Resource> {
    Ready,
    Waiting(Pin<Box<Sleep>>),
    Listing {
        response: BoxFuture<Result<Response<List<K>>, Error>>,
        idle: IdleTimer,
    },
    Page(Box<Page<K>>),
    Opening {
        response: BoxFuture<Result<WatchStream<K>, Error>>,
        idle: IdleTimer,
    },
    Open {
        /// Boxed, since all other states are small.
        stream: Box<WatchStream<K>>,
        idle: IdleTimer,
        received_event: bool,
    },
}

/// A page of a list.
struct Page<K> {
    items: std::iter::Enumerate<std::vec::IntoIter<K>>,
    /// By the index of the item.
    losses: HashMap<usize, Vec<Loss>>,
    is_last: bool,
}

impl<K: Resource> Source<K> {
    pub(super) fn new(api: Api<K>, selection: Selection, settings: Settings) -> Self {
        let delays = Delays::new(settings.min_backoff, settings.max_backoff);
        Self {
            api,
            selection,
            list_watch: ListWatch::new(settings.streaming_lists, settings.page_size, delays),
            settings,
            state: State::Ready,
        }
    }

    /// The resource version of the last event; `None` during a list.
    pub(super) fn version(&self) -> Option<&str> {
        self.list_watch.version()
    }

    /// Lists all objects again.
    pub(super) fn relist(&mut self) {
        self.list_watch.relist();
        if !matches!(self.state, State::Waiting(_)) {
            self.state = State::Ready;
        }
    }

    /// The next event. The source continues after an error.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Received<K>, Error>> {
        loop {
            match &mut self.state {
                State::Ready => self.state = self.request(),
                State::Waiting(timer) => {
                    ready!(timer.as_mut().poll(cx));
                    self.state = State::Ready;
                }
                State::Listing { response, idle } => match response.as_mut().poll(cx) {
                    Poll::Ready(response) => return Poll::Ready(self.page(response)),
                    Poll::Pending => {
                        ready!(idle.poll(cx));
                        return Poll::Ready(Err(self.silent()));
                    }
                },
                State::Page(page) => match page.next() {
                    Some((mut object, losses)) => {
                        self.trim(&mut object);
                        return Poll::Ready(Ok(Some(WatcherEvent::ListItem { object, losses })));
                    }
                    None if page.is_last => return Poll::Ready(self.listed()),
                    None => self.state = State::Ready,
                },
                State::Opening { response, idle } => match response.as_mut().poll(cx) {
                    Poll::Ready(response) => {
                        if let Some(event) = self.opened(response)? {
                            return Poll::Ready(Ok(Some(event)));
                        }
                    }
                    Poll::Pending => {
                        ready!(idle.poll(cx));
                        return Poll::Ready(Err(self.silent()));
                    }
                },
                State::Open {
                    stream,
                    idle,
                    received_event,
                } => match stream.poll(cx) {
                    Poll::Ready(Some(Ok(event))) => {
                        idle.restart();
                        *received_event = true;
                        if let Some(received) = self.event(event) {
                            return Poll::Ready(Ok(received));
                        }
                    }
                    Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(self.failed(error))),
                    Poll::Ready(None) => {
                        let delay = self.list_watch.ended(*received_event);
                        self.wait(delay);
                    }
                    Poll::Pending => {
                        ready!(idle.poll(cx));
                        return Poll::Ready(Err(self.silent()));
                    }
                },
            }
        }
    }

    fn request(&self) -> State<K> {
        // Failures and silence are reported and waited for here, not by the client.
        let watch = || {
            let seconds = self.settings.watch_timeout.as_secs_f64() * (1.0 + random_fraction());
            // 0 would leave the time to the server.
            let seconds = (seconds as u32).max(1);
            let request = self.selection.of_watch(self.api.watch());
            let request = request.retry_policy(RetryPolicy::none()).timeout(None);
            request.bookmarks().timeout_seconds(seconds)
        };
        let request = match self.list_watch.step() {
            Step::StreamingList => watch().send_initial_events(),
            Step::Watch { after } => watch().resource_version(after),
            Step::List { limit, token } => {
                let request = self.selection.of_list(self.api.list());
                let mut request = request.retry_policy(RetryPolicy::none()).timeout(None);
                let mut timeout = self.settings.idle_timeout;
                match limit {
                    Some(limit) => request = request.limit(limit),
                    // All objects in one piece may take long.
                    None => timeout = timeout.saturating_mul(10),
                }
                if let Some(token) = token {
                    request = request.continue_token(token);
                }
                return State::Listing {
                    response: Box::pin(request.send()),
                    idle: IdleTimer::new(timeout),
                };
            }
        };
        State::Opening {
            response: request.into_future(),
            idle: IdleTimer::new(self.settings.idle_timeout),
        }
    }

    fn page(&mut self, response: Result<Response<List<K>>, Error>) -> Result<Received<K>, Error> {
        let response = response.map_err(|error| self.failed(error))?;
        let mut losses: HashMap<usize, Vec<Loss>> = HashMap::new();
        for (index, loss) in response.losses().iter().filter_map(Loss::split_item) {
            losses.entry(index).or_default().push(loss);
        }
        let page = response.into_inner();
        let is_first = self.list_watch.is_first_page();
        let is_last = self
            .list_watch
            .page(page.metadata.resource_version, page.metadata.r#continue);
        self.state = State::Page(Box::new(Page {
            items: page.items.into_iter().enumerate(),
            losses,
            is_last,
        }));
        Ok(is_first.then_some(WatcherEvent::ListBegin))
    }

    fn listed(&mut self) -> Result<Received<K>, Error> {
        self.state = State::Ready;
        if self.list_watch.listed() {
            return Ok(Some(list_end()));
        }
        Err(self.failed(Error::new(Kind::Decode {
            expected: format!("{}List", K::KIND),
            message: "its metadata has no resourceVersion to watch from".into(),
            excerpt: String::new(),
        })))
    }

    fn opened(&mut self, response: Result<WatchStream<K>, Error>) -> Result<Received<K>, Error> {
        match response {
            Ok(stream) => {
                let is_list = self.version().is_none();
                self.state = State::Open {
                    stream: Box::new(stream),
                    idle: IdleTimer::new(self.settings.idle_timeout),
                    received_event: false,
                };
                Ok(is_list.then_some(WatcherEvent::ListBegin))
            }
            // Servers without streaming lists reject the request; that is not an error of the watcher.
            Err(error)
                if self.list_watch.step() == Step::StreamingList
                    && Failure::of(&error) == Failure::Rejected =>
            {
                let delay = self.list_watch.failed(Failure::Rejected, None);
                self.wait(delay);
                Ok(None)
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The meaning of an event of the watch; `None` when the watch was given up with it.
    fn event(&mut self, event: WatchEvent<K>) -> Option<Received<K>> {
        let is_list = self.version().is_none();
        match &event {
            WatchEvent::Bookmark(bookmark) if is_list => {
                if bookmark.ends_initial_events && !bookmark.resource_version.is_empty() {
                    self.list_watch.streamed(&bookmark.resource_version);
                    return Some(Some(list_end()));
                }
                self.list_watch.streaming_ignored();
                self.state = State::Ready;
                return None;
            }
            _ if is_list => {}
            event => self
                .list_watch
                .progress(event.resource_version().unwrap_or_default()),
        }
        Some(match event {
            WatchEvent::Added { mut object, losses }
            | WatchEvent::Modified { mut object, losses } => {
                self.trim(&mut object);
                Some(if is_list {
                    WatcherEvent::ListItem { object, losses }
                } else {
                    WatcherEvent::Applied { object, losses }
                })
            }
            WatchEvent::Deleted { mut object, losses } => {
                self.trim(&mut object);
                Some(WatcherEvent::Deleted { object, losses })
            }
            WatchEvent::Bookmark(_) => None,
        })
    }

    fn failed(&mut self, error: Error) -> Error {
        let delay = self
            .list_watch
            .failed(Failure::of(&error), error.retry_after());
        self.wait(delay);
        error
    }

    fn silent(&mut self) -> Error {
        let delay = self.list_watch.silent();
        self.wait(delay);
        let error = Error::new(Kind::Silent(self.settings.idle_timeout));
        match self.request_line() {
            Some(line) => error.at(&line),
            None => error,
        }
    }

    fn wait(&mut self, delay: Duration) {
        self.state = if delay.is_zero() {
            State::Ready
        } else {
            State::Waiting(Box::pin(sleep(delay)))
        };
    }

    fn request_line(&self) -> Option<RequestLine> {
        let request = self.api.list().call.request.ok()?;
        Some(RequestLine {
            method: request.method,
            path: request.path,
        })
    }

    fn trim(&self, object: &mut K) {
        if self.settings.drop_managed_fields {
            object.metadata_mut().managed_fields.clear();
        }
    }
}

impl<K> Page<K> {
    fn next(&mut self) -> Option<(K, Vec<Loss>)> {
        let (index, object) = self.items.next()?;
        let losses = if self.losses.is_empty() {
            Vec::new()
        } else {
            self.losses.remove(&index).unwrap_or_default()
        };
        Some((object, losses))
    }
}

fn list_end<K>() -> WatcherEvent<K> {
    let disappeared = Vec::new();
    WatcherEvent::ListEnd { disappeared }
}
