//! The objects of one selection: requests, one after the other, for ever.

use super::course::{Course, Step, Trouble};
use super::waits::Waits;
use super::{Selection, Settings};
use crate::client::{Api, BoxFuture, Error, Kind, RequestLine};
use crate::config::{RetryPolicy, random_fraction};
use crate::watch::{WatchEvent, WatchStream};
use crate::{List, Resource};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// What a source tells.
#[derive(Debug)]
pub(super) enum Signal<K> {
    /// All objects follow.
    Begin,
    Item(K),
    /// All objects have come.
    End,
    Applied(K),
    Deleted(K),
    /// Nothing, but a newer resource version.
    Progress,
    /// Something went wrong; the source goes on.
    Trouble(Error),
}

pub(super) struct Source<K: Resource> {
    api: Api<K>,
    selection: Selection,
    settings: Settings,
    course: Course,
    state: State<K>,
}

enum State<K: Resource> {
    Ready,
    Waiting(Pin<Box<Sleep>>),
    Listing {
        answer: BoxFuture<Result<List<K>, Error>>,
        limit: Limit,
    },
    /// The objects of a page, and whether it is the last one.
    Page {
        items: std::vec::IntoIter<K>,
        is_last: bool,
    },
    Opening {
        answer: BoxFuture<Result<WatchStream<K>, Error>>,
        limit: Limit,
    },
    Open {
        /// Boxed, since all other states are small.
        stream: Box<WatchStream<K>>,
        limit: Limit,
        said_something: bool,
    },
}

/// How long a connection may be silent.
struct Limit {
    duration: Duration,
    timer: Pin<Box<Sleep>>,
    /// Something came since the timer was set.
    heard: bool,
}

impl<K: Resource> Source<K> {
    pub(super) fn new(api: Api<K>, selection: Selection, settings: Settings) -> Self {
        let waits = Waits::new(settings.shortest_wait, settings.longest_wait);
        Self {
            api,
            selection,
            course: Course::new(settings.streaming, settings.page_size, waits),
            settings,
            state: State::Ready,
        }
    }

    /// The resource version that was reached.
    pub(super) fn version(&self) -> Option<&str> {
        self.course.version()
    }

    /// Reads all objects anew, if that is not under way.
    pub(super) fn restart(&mut self) {
        self.course.restart();
        if !matches!(self.state, State::Waiting(_)) {
            self.state = State::Ready;
        }
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Signal<K>> {
        loop {
            let signal = match &mut self.state {
                State::Ready => {
                    self.state = self.request();
                    None
                }
                State::Waiting(timer) => {
                    ready!(timer.as_mut().poll(cx));
                    self.state = State::Ready;
                    None
                }
                State::Listing { answer, limit } => match answer.as_mut().poll(cx) {
                    Poll::Ready(answer) => Some(self.page(answer)),
                    Poll::Pending => {
                        ready!(limit.poll(cx));
                        Some(self.silent())
                    }
                },
                State::Page { items, is_last } => match items.next() {
                    Some(item) => Some(Signal::Item(self.trimmed(item))),
                    None if *is_last => Some(self.listed()),
                    None => {
                        self.state = State::Ready;
                        None
                    }
                },
                State::Opening { answer, limit } => match answer.as_mut().poll(cx) {
                    Poll::Ready(answer) => self.opened(answer),
                    Poll::Pending => {
                        ready!(limit.poll(cx));
                        Some(self.silent())
                    }
                },
                State::Open {
                    stream,
                    limit,
                    said_something,
                } => match stream.poll(cx) {
                    Poll::Ready(Some(Ok(event))) => {
                        limit.heard = true;
                        *said_something = true;
                        self.event(event)
                    }
                    Poll::Ready(Some(Err(error))) => Some(self.failed(error)),
                    Poll::Ready(None) => {
                        let wait = self.course.ended(*said_something);
                        self.wait(wait);
                        None
                    }
                    Poll::Pending => {
                        ready!(limit.poll(cx));
                        Some(self.silent())
                    }
                },
            };
            if let Some(signal) = signal {
                return Poll::Ready(signal);
            }
        }
    }

    fn request(&self) -> State<K> {
        // What goes wrong is told and waited for here, and so is a silence.
        let watch = || {
            let seconds = self.settings.watch_timeout.as_secs_f64() * (1.0 + random_fraction());
            // Whole seconds, and at least one: 0 would mean that the server chooses.
            let seconds = (seconds as u32).max(1);
            let request = self.selection.of_watch(self.api.watch());
            let request = request.retry_policy(RetryPolicy::none()).timeout(None);
            request.bookmarks().timeout_seconds(seconds)
        };
        let request = match self.course.step() {
            Step::StreamingList => watch().send_initial_events(),
            Step::Watch { after } => watch().resource_version(after),
            Step::List { limit, token } => {
                let request = self.selection.of_list(self.api.list());
                let mut request = request.retry_policy(RetryPolicy::none()).timeout(None);
                let mut patience = self.settings.idle_timeout;
                match limit {
                    Some(limit) => request = request.limit(limit),
                    // All objects at once may take a while.
                    None => patience = patience.saturating_mul(10),
                }
                if let Some(token) = token {
                    request = request.continue_token(token);
                }
                return State::Listing {
                    answer: request.into_future(),
                    limit: Limit::new(patience),
                };
            }
        };
        State::Opening {
            answer: request.into_future(),
            limit: Limit::new(self.settings.idle_timeout),
        }
    }

    fn page(&mut self, answer: Result<List<K>, Error>) -> Signal<K> {
        let page = match answer {
            Ok(page) => page,
            Err(error) => return self.failed(error),
        };
        let is_first = self.course.is_first_page();
        let is_last = self
            .course
            .page(page.metadata.resource_version, page.metadata.r#continue);
        self.state = State::Page {
            items: page.items.into_iter(),
            is_last,
        };
        if is_first {
            Signal::Begin
        } else {
            Signal::Progress
        }
    }

    fn listed(&mut self) -> Signal<K> {
        self.state = State::Ready;
        if self.course.listed() {
            return Signal::End;
        }
        self.failed(Error::new(Kind::Decode {
            what: format!("{}List", K::KIND),
            message: "its metadata has no resourceVersion to watch from".into(),
            excerpt: String::new(),
        }))
    }

    fn opened(&mut self, answer: Result<WatchStream<K>, Error>) -> Option<Signal<K>> {
        match answer {
            Ok(stream) => {
                let is_list = self.course.version().is_none();
                self.state = State::Open {
                    stream: Box::new(stream),
                    limit: Limit::new(self.settings.idle_timeout),
                    said_something: false,
                };
                is_list.then_some(Signal::Begin)
            }
            // What a server says that offers no streaming lists is no trouble.
            Err(error)
                if self.course.step() == Step::StreamingList
                    && Trouble::of(&error) == Trouble::Refused =>
            {
                let wait = self.course.failed(Trouble::Refused, None);
                self.wait(wait);
                None
            }
            Err(error) => Some(self.failed(error)),
        }
    }

    fn event(&mut self, event: WatchEvent<K>) -> Option<Signal<K>> {
        let is_list = self.course.version().is_none();
        match &event {
            WatchEvent::Bookmark(bookmark) if is_list => {
                if bookmark.ends_initial_events && !bookmark.resource_version.is_empty() {
                    self.course.streamed(&bookmark.resource_version);
                    return Some(Signal::End);
                }
                self.course.not_offered();
                self.state = State::Ready;
                return None;
            }
            _ if is_list => {}
            event => self
                .course
                .progress(event.resource_version().unwrap_or_default()),
        }
        Some(match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) if is_list => {
                Signal::Item(self.trimmed(object))
            }
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                Signal::Applied(self.trimmed(object))
            }
            WatchEvent::Deleted(object) => Signal::Deleted(self.trimmed(object)),
            WatchEvent::Bookmark(_) => Signal::Progress,
        })
    }

    fn failed(&mut self, error: Error) -> Signal<K> {
        let wait = self.course.failed(Trouble::of(&error), error.retry_after());
        self.wait(wait);
        Signal::Trouble(error)
    }

    fn silent(&mut self) -> Signal<K> {
        let wait = self.course.silent();
        self.wait(wait);
        let error = Error::new(Kind::Silent(self.settings.idle_timeout));
        Signal::Trouble(match self.place() {
            Some(place) => error.at(&place),
            None => error,
        })
    }

    fn wait(&mut self, wait: Duration) {
        self.state = if wait.is_zero() {
            State::Ready
        } else {
            State::Waiting(Box::pin(sleep(wait)))
        };
    }

    fn place(&self) -> Option<RequestLine> {
        let request = self.api.list().call.request.ok()?;
        Some(RequestLine {
            method: request.method,
            path: request.path,
        })
    }

    fn trimmed(&self, mut object: K) -> K {
        if self.settings.drop_managed_fields {
            object.metadata_mut().managed_fields.clear();
        }
        object
    }
}

impl Limit {
    fn new(duration: Duration) -> Self {
        Self {
            duration,
            timer: Box::pin(sleep(duration)),
            heard: false,
        }
    }

    /// Ready when nothing was heard for too long.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Set once per silence, not per event: setting a timer is not free.
        if std::mem::take(&mut self.heard)
            && let Some(end) = Instant::now().checked_add(self.duration)
        {
            self.timer.as_mut().reset(end);
        }
        self.timer.as_mut().poll(cx)
    }
}
