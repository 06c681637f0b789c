//! Every state of one object, from now on.

use super::Condition;
use crate::Resource;
use crate::client::{Api, Error};
use crate::watch::{WatchEvent, WatchStream};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Seconds after which the server is to end a watch, so that one that nobody serves any more is noticed.
const WATCH_SECONDS: u32 = 240;
/// A watch that is silent for so long is dead.
const SILENCE: Duration = Duration::from_secs(270);

pub(super) struct Follower<'a, K: Resource> {
    api: Api<K>,
    name: String,
    condition: Condition<'a, K>,
    /// Where to watch from; `None` to list first.
    version: Option<String>,
    /// Failures since the last sign of life.
    failures: u32,
    /// The last failure.
    trouble: Option<Error>,
}

/// What the object's states have shown so far.
enum Step<K> {
    Holds(Option<K>),
    /// The watch is over.
    Ended,
}

impl<'a, K: Resource> Follower<'a, K> {
    pub(super) fn new(api: Api<K>, name: &str, condition: Condition<'a, K>) -> Result<Self, Error> {
        // What is no name is refused as everywhere.
        api.get(name).call.request?;
        Ok(Self {
            api,
            name: name.to_owned(),
            condition,
            version: None,
            failures: 0,
            trouble: None,
        })
    }

    pub(super) fn into_trouble(self) -> Option<Error> {
        self.trouble
    }

    /// Follows the object until the condition holds.
    pub(super) async fn run(&mut self) -> Result<Option<K>, Error> {
        loop {
            let step = match self.version.clone() {
                None => self.list().await,
                Some(version) => self.watch(version).await,
            };
            match step {
                Ok(Step::Holds(object)) => return Ok(object),
                Ok(Step::Ended) => {}
                Err(error) if error.is_expired() => {
                    self.version = None;
                    self.trouble = Some(error);
                }
                Err(error) if error.is_retryable() => self.trouble = Some(error),
                Err(error) => return Err(error),
            }
            if self.failures > 0 {
                let pauses = self.api.client().retry_policy().backoff();
                sleep(pauses.pause(self.failures)).await;
            }
            self.failures = self.failures.saturating_add(1);
        }
    }

    /// Shows the condition the object as it is now.
    async fn list(&mut self) -> Result<Step<K>, Error> {
        let list = self.api.list().field_selector(self.selector()).await?;
        let mut items = list.items.into_iter();
        let object = items.find(|object| object.name() == self.name);
        if (self.condition)(object.as_ref()) {
            return Ok(Step::Holds(object));
        }
        match list.metadata.resource_version {
            Some(version) => self.watch(version).await,
            None => Ok(Step::Ended),
        }
    }

    /// Shows the condition what becomes of the object, until the watch ends.
    async fn watch(&mut self, version: String) -> Result<Step<K>, Error> {
        let request = self.api.watch().field_selector(self.selector());
        let mut events = request
            .resource_version(&version)
            .bookmarks()
            .timeout_seconds(WATCH_SECONDS)
            .await?;
        self.version = Some(version);
        while let Some(event) = self.next(&mut events).await? {
            self.failures = 0;
            let object = match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => Some(object),
                WatchEvent::Deleted(_) => None,
                _ => continue,
            };
            if (self.condition)(object.as_ref()) {
                return Ok(Step::Holds(object));
            }
        }
        Ok(Step::Ended)
    }

    /// The next event; `None` when there are no more.
    async fn next(&mut self, events: &mut WatchStream<K>) -> Result<Option<WatchEvent<K>>, Error> {
        let Ok(event) = timeout(SILENCE, events.next()).await else {
            return Ok(None);
        };
        let event = event.transpose()?;
        if let Some(version) = events.resource_version() {
            self.version = Some(version.to_owned());
        }
        Ok(event)
    }

    fn selector(&self) -> String {
        let mut selector = "metadata.name=".to_owned();
        for c in self.name.chars() {
            // What a field selector gives a meaning.
            if matches!(c, '\\' | ',' | '=') {
                selector.push('\\');
            }
            selector.push(c);
        }
        selector
    }
}
