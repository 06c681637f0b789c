//! The events of one selection: lists and watches, one request after the other, for ever.

mod events;
mod requests;

use super::event::WatcherEvent;
use super::failure::WatchFailure;
use super::list_watch::{ListWatch, SHORT, Step};
use super::open_watch::OpenWatch;
use super::page::Page;
use super::selection::{Modify, Selection};
use super::settings::Settings;
use crate::error::{Error, ErrorKind, RequestLine};
use crate::response::decode::Response;
use crate::stream::WatchStream;
use crate::transport::BoxFuture;
use crate::verbs::api::Api;
use crate::{List, Resource};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, Sleep, sleep};

pub(super) struct Source<K: Resource> {
    /// In one API version. When the server no longer serves it, the objects are listed again in another one: the copy must
    /// not contain objects of both.
    api: Api<K>,
    selection: Selection,
    settings: Settings,
    modify: Modify<K>,
    list_watch: ListWatch,
    state: State<K>,
    /// A request has failed, and nothing since then shows that the copy is current.
    is_degraded: bool,
}

/// The result of a poll of a source.
#[derive(Debug)]
pub(crate) enum Received<K> {
    /// An event. The objects that have disappeared at the end of a list are left to the watcher.
    Event(WatcherEvent<K>),
    /// The source works again after a failure.
    Recovered,
    /// No event; the resource version may have advanced.
    Nothing,
    /// A request has failed. The source continues.
    Failed(Error),
}

impl<K> From<Result<Option<WatcherEvent<K>>, Error>> for Received<K> {
    fn from(result: Result<Option<WatcherEvent<K>>, Error>) -> Self {
        match result {
            Ok(Some(event)) => Self::Event(event),
            Ok(None) => Self::Nothing,
            Err(error) => Self::Failed(error),
        }
    }
}

/// A response that is expected within the idle timeout.
type Timed<T> = BoxFuture<Result<Result<T, Error>, Elapsed>>;

enum State<K: Resource> {
    Ready,
    Waiting(Pin<Box<Sleep>>),
    Listing(Timed<Response<List<K>>>),
    Page(Box<Page<K>>),
    Checking(Timed<Response<List<K>>>),
    Opening {
        response: Timed<WatchStream<K>>,
        since: Instant,
    },
    /// Boxed, since all other states are small.
    Open(Box<OpenWatch<K>>),
}

impl<K: Resource> Source<K> {
    pub(super) fn new(
        api: Api<K>,
        selection: Selection,
        settings: Settings,
        modify: Modify<K>,
    ) -> Self {
        Self {
            api: api.pin(),
            selection,
            list_watch: ListWatch::new(&settings),
            settings,
            modify,
            state: State::Ready,
            is_degraded: false,
        }
    }

    /// The resource version of the last event; `None` during a list.
    pub(super) fn version(&self) -> Option<&str> {
        self.list_watch.version()
    }

    /// Whether a request has failed, and nothing since then shows that all changes arrive again: an event, a bookmark, a
    /// watch that stays open, or a list, unless watches fail too.
    pub(super) fn is_degraded(&self) -> bool {
        self.is_degraded
    }

    /// The next event. The source continues after a failure.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Received<K>> {
        let was_degraded = self.is_degraded;
        let received = Received::from(ready!(self.poll_request(cx)));
        Poll::Ready(match received {
            Received::Failed(error) => {
                self.is_degraded = true;
                Received::Failed(error)
            }
            Received::Nothing if was_degraded && !self.is_degraded => Received::Recovered,
            received => received,
        })
    }

    fn poll_request(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<WatcherEvent<K>>, Error>> {
        loop {
            match &mut self.state {
                State::Ready => self.state = self.request(),
                State::Waiting(timer) => {
                    ready!(timer.as_mut().poll(cx));
                    self.state = State::Ready;
                }
                State::Listing(response) => {
                    return Poll::Ready(match ready!(response.as_mut().poll(cx)) {
                        Ok(response) => self.page(response),
                        Err(_elapsed) => Err(self.unanswered()),
                    });
                }
                State::Checking(response) => match ready!(response.as_mut().poll(cx)) {
                    Ok(response) => self.checked(response)?,
                    Err(_elapsed) => return Poll::Ready(Err(self.unanswered())),
                },
                State::Page(page) => match page.next() {
                    Some((mut object, losses)) => {
                        self.modify.apply(&mut object);
                        return Poll::Ready(Ok(Some(WatcherEvent::ListItem { object, losses })));
                    }
                    None => match page.next_invalid() {
                        Some(invalid) => {
                            return Poll::Ready(Ok(Some(WatcherEvent::Invalid {
                                object: Box::new(invalid),
                                is_deleted: false,
                            })));
                        }
                        None if page.is_last => return Poll::Ready(self.listed()),
                        None => self.state = State::Ready,
                    },
                },
                State::Opening { response, since } => {
                    let since = *since;
                    return Poll::Ready(match ready!(response.as_mut().poll(cx)) {
                        Ok(response) => self.opened(response, since),
                        Err(_elapsed) => Err(self.unanswered()),
                    });
                }
                State::Open(watch) => {
                    let polled = ready!(watch.poll(cx));
                    let lived = watch.lived();
                    return Poll::Ready(self.polled(polled, lived));
                }
            }
        }
    }

    /// The state of the server after a lost connection.
    fn checked(&mut self, response: Result<Response<List<K>>, Error>) -> Result<(), Error> {
        self.state = State::Ready;
        let list = match response {
            Ok(response) => response.into_inner(),
            Err(error) if error.is_version_changed() => return Ok(()),
            Err(error) => return Err(self.failed(error, Duration::ZERO)),
        };
        let from = self.version().unwrap_or_default().to_owned();
        let to = list.metadata.resource_version.unwrap_or_default();
        match self.list_watch.checked(&to) {
            Some(delay) => {
                self.wait(delay);
                Err(self.error(ErrorKind::WentBack { from, to }))
            }
            None => Ok(()),
        }
    }

    fn page(
        &mut self,
        response: Result<Response<List<K>>, Error>,
    ) -> Result<Option<WatcherEvent<K>>, Error> {
        let response = match response {
            Ok(response) => response,
            Err(error) if error.is_version_changed() => {
                self.version_changed();
                return Ok(None);
            }
            Err(error) => return Err(self.failed(error, Duration::ZERO)),
        };
        let (mut page, metadata) = Page::new(response);
        let is_first = self.list_watch.is_first_page();
        let (version, token) = (metadata.resource_version, metadata.r#continue);
        match self.list_watch.page(version, token, page.len()) {
            Ok(has_next) => page.is_last = !has_next,
            Err(endless) => {
                let delay = self.list_watch.endless();
                self.wait(delay);
                return Err(self.bad_list(&endless.to_string()));
            }
        }
        self.state = State::Page(Box::new(page));
        Ok(is_first.then_some(WatcherEvent::ListBegin))
    }

    fn listed(&mut self) -> Result<Option<WatcherEvent<K>>, Error> {
        self.state = State::Ready;
        if self.list_watch.listed() {
            self.mark_healthy();
            return Ok(Some(list_end()));
        }
        let error = self.bad_list("its metadata has no resourceVersion to watch from");
        Err(self.failed(error, Duration::ZERO))
    }

    fn opened(
        &mut self,
        response: Result<WatchStream<K>, Error>,
        since: Instant,
    ) -> Result<Option<WatcherEvent<K>>, Error> {
        match response {
            Ok(stream) => {
                let is_list = self.version().is_none();
                let mut watch = OpenWatch::new(stream, self.settings.idle_timeout, since);
                if is_list {
                    watch.set_alarm(self.list_timeout());
                } else if self.is_degraded {
                    watch.set_alarm(SHORT);
                }
                self.list_watch.opened();
                self.state = State::Open(Box::new(watch));
                Ok(is_list.then_some(WatcherEvent::ListBegin))
            }
            Err(error) if error.is_version_changed() => {
                self.version_changed();
                Ok(None)
            }
            // Servers without streaming lists reject the request; that is not an error of the watcher.
            Err(error)
                if self.list_watch.step() == Step::StreamingList
                    && WatchFailure::of(&error) == WatchFailure::Rejected =>
            {
                self.failed(error, Duration::ZERO);
                Ok(None)
            }
            Err(error) => Err(self.failed(error, Duration::ZERO)),
        }
    }

    /// The next request is a list in the new version.
    fn version_changed(&mut self) {
        self.list_watch.relist();
        self.state = State::Ready;
    }

    fn failed(&mut self, error: Error, lived: Duration) -> Error {
        let delay = self
            .list_watch
            .failed(WatchFailure::of(&error), lived, error.retry_after());
        self.wait(delay);
        error
    }

    /// An open watch was silent.
    fn idle_timed_out(&mut self) -> Error {
        let limit = self.settings.idle_timeout;
        self.silent(limit, true)
    }

    /// A request had no response in time.
    fn unanswered(&mut self) -> Error {
        let limit = match self.list_watch.step() {
            Step::List { limit: None, .. } => self.list_timeout(),
            _ => self.settings.idle_timeout,
        };
        self.silent(limit, false)
    }

    fn silent(&mut self, limit: Duration, is_open: bool) -> Error {
        let delay = self.list_watch.idle_timed_out(self.settings.idle_timeout);
        self.wait(delay);
        self.error(ErrorKind::Silent { limit, is_open })
    }

    /// A request has succeeded. While watches fail, that is not a proof.
    fn mark_healthy(&mut self) {
        self.is_degraded &= self.list_watch.watches_fail();
    }

    fn wait(&mut self, delay: Duration) {
        self.state = if delay.is_zero() {
            State::Ready
        } else {
            State::Waiting(Box::pin(sleep(delay)))
        };
    }

    fn bad_list(&self, message: &str) -> Error {
        self.at_list(Error::decode(self.api.kind().list_kind(), message))
    }

    fn error(&self, kind: ErrorKind) -> Error {
        self.at_list(Error::new(kind))
    }

    fn at_list(&self, error: Error) -> Error {
        match self.api.list().call.request {
            Ok(request) => error.at(&RequestLine {
                method: request.method,
                path: request.path,
            }),
            Err(_) => error,
        }
    }
}

fn list_end<K>() -> WatcherEvent<K> {
    let disappeared = Vec::new();
    WatcherEvent::ListEnd { disappeared }
}
