//! Waiting until a condition holds for an object.
//!
//! [`Api::wait_for`] takes a condition of this module, or any closure:
//!
//! ```no_run
//! use k8s_flowcontrol::wait;
//! use std::time::Duration;
//!
//! # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
//! let schemas = client.flow_schemas();
//! // The priority level that the schema names exists.
//! schemas.wait_for("mine", wait::is_not_dangling()).timeout(Duration::from_secs(30)).await?;
//!
//! schemas.delete("mine").await?;
//! schemas.wait_for("mine", wait::is_deleted()).await?;
//!
//! let schema = schemas
//!     .wait_for("theirs", |schema| schema.is_some_and(|schema| !schema.spec.rules.is_empty()))
//!     .await?;
//! # drop(schema);
//! # Ok(())
//! # }
//! ```

mod conditions;

pub use conditions::{exists, has_condition, is_deleted, is_not_dangling};

use crate::Resource;
use crate::error::{Error, ErrorKind, Reached};
use crate::verbs::api::Api;
use crate::watch::{Received, Watcher, WatcherEvent};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::time::Duration;

impl<K: Resource> Api<K> {
    /// Waits until `condition` holds for the object with a name, and returns that object.
    ///
    /// The condition is called with the current object and again after each change, with `None` while the object does not
    /// exist.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// use k8s_flowcontrol::wait;
    /// use std::time::Duration;
    ///
    /// let waiting = client.flow_schemas().wait_for("mine", wait::has_condition("Dangling", "False"));
    /// match waiting.timeout(Duration::from_secs(10)).await {
    ///     Ok(schema) => println!("ready: {schema:?}"),
    ///     Err(error) if error.is_timeout() => println!("the level is still missing"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The wait uses a [`Watcher`]: it lists the object and then watches it from the list's resource version, so that
    /// it receives every change while the watch lasts. It needs the permissions `list` and `watch`. Lost connections and busy servers do not
    /// end it. After an expired resource version, an `ERROR` event, or a watch that the server ended without an event,
    /// it lists again and continues with the current state of the object.
    ///
    /// # Errors
    /// - [`is_timeout`](Error::is_timeout) when the [`timeout`](WaitFor::timeout) has passed. Its source is the failure of the
    ///   list or watch that was not over by then, if there was one.
    /// - Errors that only a person can fix, such as a missing permission, end the wait at once: all that are neither
    ///   [`is_retryable`](Error::is_retryable) nor a failure of the server (5xx).
    /// - [`is_argument`](Error::is_argument) when `name` is not a valid name.
    pub fn wait_for<'a>(
        &self,
        name: &str,
        condition: impl FnMut(Option<&K>) -> bool + Send + 'a,
    ) -> WaitFor<'a, K> {
        WaitFor {
            api: self.clone(),
            name: name.to_owned(),
            condition: Box::new(condition),
            timeout: None,
        }
    }
}

type Condition<'a, K> = Box<dyn FnMut(Option<&K>) -> bool + Send + 'a>;

/// A wait for an object, made by [`Api::wait_for`].
///
/// Awaited, it returns the object for which the condition held; `None` when it held for a missing object.
#[must_use = "a wait does nothing until it is awaited"]
pub struct WaitFor<'a, K: Resource> {
    api: Api<K>,
    name: String,
    condition: Condition<'a, K>,
    timeout: Option<Duration>,
}

impl<K: Resource> WaitFor<'_, K> {
    /// The longest time to wait. Defaults to no limit.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    async fn run(self) -> Result<Option<K>, Error> {
        // Fails for an invalid name, as every request does.
        self.api.get(&self.name).call.request?;
        let policy = self.api.client().retry_policy();
        let (min, max) = (policy.initial_backoff(), policy.max_backoff());
        let watcher = self.api.watcher().field_selector(selector(&self.name));
        // Of one object, an invalid state is an error.
        let watcher = watcher.keep_invalid(false);
        // A streaming list is of no use for one object.
        let watcher = watcher.streaming_lists(false).backoff(min, max);
        let watcher = watcher.lists_after_end();
        let (mut last_error, mut is_missing) = (None, false);
        let mut condition = self.condition;
        let condition = |object: Option<&K>| {
            is_missing = object.is_none();
            condition(object)
        };
        let wait = wait(watcher.for_copy(), &self.name, condition, &mut last_error);
        let Some(limit) = self.timeout else {
            return wait.await;
        };
        if let Ok(result) = tokio::time::timeout(limit, wait).await {
            return result;
        }
        // After a failure it may exist.
        let missing = if is_missing && last_error.is_none() {
            ", which does not exist,"
        } else {
            ""
        };
        let kind = self.api.kind().kind();
        let what = format!("the wait for {kind} `{}`{missing}", self.name);
        let reached = Reached::Sent;
        let error = Error::new(ErrorKind::TimedOut {
            what,
            limit,
            reached,
        });
        Err(match last_error {
            Some(source) => error.with_source(source),
            None => error,
        })
    }
}

/// Calls the condition for each state of the object, until it holds.
async fn wait<K: Resource>(
    mut watcher: Watcher<K>,
    name: &str,
    mut condition: impl FnMut(Option<&K>) -> bool,
    last_error: &mut Option<Error>,
) -> Result<Option<K>, Error> {
    let mut listed = None;
    loop {
        let received = poll_fn(|cx| watcher.poll_received(cx)).await;
        if !watcher.is_degraded() {
            *last_error = None;
        }
        let event = match received {
            Received::Event(event) => event,
            Received::Recovered | Received::Nothing => continue,
            Received::Failed(error) if may_pass(&error) => {
                *last_error = Some(error);
                continue;
            }
            Received::Failed(error) => return Err(error),
        };
        let object = match event {
            WatcherEvent::ListBegin => {
                listed = None;
                continue;
            }
            WatcherEvent::ListItem { object, .. } => {
                if object.name() == name {
                    listed = Some(object);
                }
                continue;
            }
            WatcherEvent::ListEnd { .. } => listed.take(),
            // For a server that ignores the selector.
            WatcherEvent::Applied { object, .. } | WatcherEvent::Deleted { object, .. }
                if object.name() != name =>
            {
                continue;
            }
            WatcherEvent::Applied { object, .. } => Some(object),
            WatcherEvent::Deleted { .. } => None,
            // Unreachable: the watcher reports invalid objects as errors.
            WatcherEvent::Invalid { .. } => continue,
        };
        if condition(object.as_ref()) {
            return Ok(object);
        }
    }
}

/// Whether the wait continues after a failure of its watcher.
fn may_pass(error: &Error) -> bool {
    // A list follows an error event, and fails too if waiting is of no use.
    error.is_error_event()
        || error.is_expired()
        || error.is_retryable()
        || error.code().is_some_and(|code| code >= 500)
}

/// The field selector for a name, with the characters escaped that have a meaning in selectors.
fn selector(name: &str) -> String {
    let mut selector = "metadata.name=".to_owned();
    for c in name.chars() {
        if matches!(c, '\\' | ',' | '=') {
            selector.push('\\');
        }
        selector.push(c);
    }
    selector
}

impl<'a, K: Resource> IntoFuture for WaitFor<'a, K> {
    type Output = Result<Option<K>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<K: Resource> fmt::Debug for WaitFor<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitFor")
            .field("kind", &K::KIND)
            .field("name", &self.name)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
