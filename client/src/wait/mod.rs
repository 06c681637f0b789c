//! Waiting until an object is as it should be.
//!
//! [`Api::wait_for`] takes one of the conditions of this module, or any function of the object:
//!
//! ```no_run
//! use k8s_flowcontrol::wait;
//! use std::time::Duration;
//!
//! # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
//! let schemas = client.flow_schemas();
//! // The level that the schema names exists.
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
mod follow;

pub use conditions::{exists, has_condition, is_deleted, is_not_dangling};

use crate::Resource;
use crate::client::{Api, Error, Kind, Negotiated};
use follow::Follower;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

impl<K: Resource> Api<K> {
    /// Waits until `condition` holds for the object of that name, which it is shown in each state from now on: as it
    /// is, and `None` while it is not there. Gives the object for which it held.
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
    /// It lists and then watches from the list's resource version on, so that no change is missed, and needs the
    /// permission for both. A watch that ends, breaks off or is too old is opened anew; trouble with the server is borne
    /// as long as the wait lasts. After a resource version was too old, states in between may not be shown.
    ///
    /// # Errors
    /// [`is_timeout`](Error::is_timeout) when [`timeout`](WaitFor::timeout) has passed; its source is the last trouble
    /// with the server, if there was any. An error that is not [`is_retryable`](Error::is_retryable), such as a
    /// missing permission, at once.
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

impl<K: Resource> Negotiated<K> {
    /// Waits until a condition holds for an object, see [`Api::wait_for`].
    pub fn wait_for<'a>(
        &self,
        name: &str,
        condition: impl FnMut(Option<&K>) -> bool + Send + 'a,
    ) -> WaitFor<'a, K> {
        self.api.wait_for(name, condition)
    }
}

/// What is waited for, of the object or of there being none.
type Condition<'a, K> = Box<dyn FnMut(Option<&K>) -> bool + Send + 'a>;

/// Waits for an object, made by [`Api::wait_for`]. Awaited, it gives the object, or `None` when the condition held for
/// there being none.
#[must_use = "a wait does nothing until it is awaited"]
pub struct WaitFor<'a, K: Resource> {
    api: Api<K>,
    name: String,
    condition: Condition<'a, K>,
    timeout: Option<Duration>,
}

impl<K: Resource> WaitFor<'_, K> {
    /// How long to wait at most; for ever unless said otherwise.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    async fn run(self) -> Result<Option<K>, Error> {
        let what = format!("the wait for {} `{}`", K::KIND, self.name);
        let mut follower = Follower::new(self.api, &self.name, self.condition)?;
        let Some(limit) = self.timeout else {
            return follower.run().await;
        };
        match tokio::time::timeout(limit, follower.run()).await {
            Ok(result) => result,
            Err(_elapsed) => {
                let error = Error::new(Kind::TimedOut { what, limit });
                Err(match follower.into_trouble() {
                    Some(trouble) => error.with_source(trouble),
                    None => error,
                })
            }
        }
    }
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
