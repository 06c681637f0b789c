//! The events of an open watch.

use super::{Source, State, list_end};
use crate::Resource;
use crate::error::{Error, ErrorKind};
use crate::stream::WatchEvent;
use crate::watch::watcher::event::WatcherEvent;
use crate::watch::watcher::failure::WatchFailure;
use crate::watch::watcher::list_watch::SHORT;
use crate::watch::watcher::open_watch::Polled;
use std::time::Duration;

impl<K: Resource> Source<K> {
    /// The meaning of a poll of the open watch.
    pub(super) fn polled(
        &mut self,
        polled: Polled<K>,
        lived: Duration,
    ) -> Result<Option<WatcherEvent<K>>, Error> {
        match polled {
            Polled::Event(event) => return self.event(event, lived),
            Polled::Failed(error) => return Err(self.failed(error, lived)),
            Polled::Silent => return Err(self.idle_timed_out()),
            Polled::Alarm if self.version().is_none() => {
                let limit = self.list_timeout();
                let error = self.error(ErrorKind::Silent {
                    limit,
                    is_open: false,
                });
                return Err(self.failed(error, lived));
            }
            Polled::Alarm => {
                self.list_watch.survived();
                self.mark_healthy();
            }
            Polled::Ended => {
                let (delay, failed) = self.list_watch.ended(lived);
                self.wait(delay);
                if failed {
                    return Err(self.error(ErrorKind::ShortWatch));
                }
            }
        }
        Ok(None)
    }

    /// The meaning of an event of the watch.
    fn event(
        &mut self,
        event: WatchEvent<K>,
        lived: Duration,
    ) -> Result<Option<WatcherEvent<K>>, Error> {
        let is_list = self.version().is_none();
        match &event {
            WatchEvent::Bookmark(bookmark) if is_list => {
                if bookmark.ends_initial_events && !bookmark.resource_version.is_empty() {
                    self.list_watch.streamed(&bookmark.resource_version);
                    self.mark_healthy();
                    if let State::Open(watch) = &mut self.state {
                        watch.begin_watch();
                        if self.is_degraded {
                            watch.set_alarm(SHORT);
                        }
                    }
                    return Ok(Some(list_end()));
                }
                self.list_watch.streaming_ignored();
                self.state = State::Ready;
                return Ok(None);
            }
            _ if is_list => {}
            event => self.received(event.resource_version().unwrap_or_default(), lived)?,
        }
        Ok(match event {
            WatchEvent::Added { mut object, losses }
            | WatchEvent::Modified { mut object, losses } => {
                self.modify.apply(&mut object);
                Some(if is_list {
                    WatcherEvent::ListItem { object, losses }
                } else {
                    WatcherEvent::Applied { object, losses }
                })
            }
            WatchEvent::Deleted { mut object, losses } => {
                self.modify.apply(&mut object);
                Some(WatcherEvent::Deleted { object, losses })
            }
            WatchEvent::Invalid { object, is_deleted } => {
                Some(WatcherEvent::Invalid { object, is_deleted })
            }
            WatchEvent::Bookmark(_) => None,
        })
    }

    fn received(&mut self, version: &str, lived: Duration) -> Result<(), Error> {
        if self.list_watch.received(version) {
            self.mark_healthy();
            return Ok(());
        }
        let from = self.version().unwrap_or_default().to_owned();
        let to = version.to_owned();
        // The objects of the copy may never have existed in the history of this server.
        let delay = self
            .list_watch
            .failed(WatchFailure::ErrorEvent, lived, None);
        self.wait(delay);
        Err(self.error(ErrorKind::WentBack { from, to }))
    }
}
