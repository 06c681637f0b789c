//! The next request of a source.

use super::{Source, State};
use crate::Resource;
use crate::config::{RetryPolicy, random_fraction};
use crate::watch::watcher::list_watch::Step;
use std::time::Duration;
use tokio::time::{Instant, timeout};

impl<K: Resource> Source<K> {
    pub(super) fn request(&mut self) -> State<K> {
        if !self.api.is_current() {
            self.api = self.api.pin();
            self.list_watch.relist();
        }
        let idle = self.settings.idle_timeout;
        // Failures and silence are reported and waited for here, not by the client.
        let watch = || {
            let seconds = self.settings.watch_timeout.as_secs_f64() * (1.0 + random_fraction());
            // 0 would leave the time to the server.
            let seconds = (seconds as u32).max(1);
            let mut request = self.api.watch();
            self.selection.restrict(&mut request.call);
            let request = request.retry_policy(RetryPolicy::none()).timeout(None);
            request.bookmarks().timeout_seconds(seconds)
        };
        let list = || {
            let mut request = self.api.list();
            self.selection.restrict(&mut request.call);
            request.retry_policy(RetryPolicy::none()).timeout(None)
        };
        let request = match self.list_watch.step() {
            Step::StreamingList => watch().send_initial_events(),
            Step::Watch { after } => watch().resource_version(after),
            Step::Check => {
                return State::Checking(Box::pin(timeout(idle, list().limit(1).send())));
            }
            Step::List { limit, token } => {
                let mut request = list();
                let mut limit_of_time = self.list_timeout();
                if let Some(limit) = limit {
                    request = request.limit(limit);
                    limit_of_time = idle;
                }
                if let Some(token) = token {
                    request = request.continue_token(token);
                }
                return State::Listing(Box::pin(timeout(limit_of_time, request.send())));
            }
        };
        State::Opening {
            response: Box::pin(timeout(idle, request.into_future())),
            since: Instant::now(),
        }
    }

    /// All objects in one piece may take long.
    pub(super) fn list_timeout(&self) -> Duration {
        self.settings.idle_timeout.saturating_mul(10)
    }
}
