//! The next request of a source.

use super::{Source, State};
use crate::Resource;
use crate::config::{RetryPolicy, random_fraction};
use crate::watch::watcher::list_watch::Step;
use crate::watch::watcher::open_watch::IdleTimer;
use std::time::Duration;
use tokio::time::Instant;

impl<K: Resource> Source<K> {
    pub(super) fn request(&mut self) -> State<K> {
        if !self.api.is_current() {
            self.api = self.api.pin();
            self.list_watch.relist();
        }
        // Failures and silence are reported and waited for here, not by the client.
        let watch = || {
            let seconds = self.settings.watch_timeout.as_secs_f64() * (1.0 + random_fraction());
            // 0 would leave the time to the server.
            let seconds = (seconds as u32).max(1);
            let request = self.selection.of_watch(self.api.watch());
            let request = request.retry_policy(RetryPolicy::none()).timeout(None);
            request.bookmarks().timeout_seconds(seconds)
        };
        let list = || {
            let request = self.selection.of_list(self.api.list());
            request.retry_policy(RetryPolicy::none()).timeout(None)
        };
        let request = match self.list_watch.step() {
            Step::StreamingList => watch().send_initial_events(),
            Step::Watch { after } => watch().resource_version(after),
            Step::Check => {
                return State::Checking {
                    response: Box::pin(list().limit(1).send()),
                    idle: IdleTimer::new(self.settings.idle_timeout),
                };
            }
            Step::List { limit, token } => {
                let mut request = list();
                let timeout = match limit {
                    Some(_) => self.settings.idle_timeout,
                    None => self.list_timeout(),
                };
                if let Some(limit) = limit {
                    request = request.limit(limit);
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
            since: Instant::now(),
        }
    }

    /// All objects in one piece may take long.
    pub(super) fn list_timeout(&self) -> Duration {
        self.settings.idle_timeout.saturating_mul(10)
    }
}
