//! Get, change, replace, and repeat on conflict.

use super::api::Api;
use super::call::Call;
use crate::FieldValidation;
use crate::Resource;
use crate::config::{Backoff, RetryPolicy};
use crate::error::{Error, ErrorKind};
use crate::request::http_request::remaining;
use crate::response::decode::Response;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The default number of attempts.
const MAX_ATTEMPTS: u32 = 10;
/// The pauses after conflicts, which are short because the other client has already finished.
const PAUSES: Backoff = Backoff::new(Duration::from_millis(10), Duration::from_secs(1));

impl<K: Resource> Api<K> {
    /// Changes an object: gets it, calls `change`, and replaces it. Starts again if another client has changed the object in
    /// between.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let levels = client.priority_level_configurations();
    /// let level = levels
    ///     .update_with("workload-low", |level| {
    ///         let limited = level.spec.limited.get_or_insert_default();
    ///         let shares = limited.nominal_concurrency_shares.get_or_insert(30);
    ///         *shares += 10;
    ///     })
    ///     .field_manager("share-tuner")
    ///     .await?;
    /// # drop(level);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// `change` may be called several times, each time with the newest object. If it does not change the object,
    /// nothing is written. The result is the stored object.
    ///
    /// # Errors
    /// - The errors of [`get`](Self::get) and [`replace`](Self::replace), such as [`is_not_found`](Error::is_not_found).
    /// - [`is_conflict`](Error::is_conflict) if all attempts ([`max_attempts`](UpdateWith::max_attempts)) met a conflict.
    /// - [`is_argument`](Error::is_argument) if `change` renames the object.
    pub fn update_with<'a>(
        &self,
        name: &str,
        mut change: impl FnMut(&mut K) + Send + 'a,
    ) -> UpdateWith<'a, K> {
        self.try_update_with(name, move |object| {
            change(object);
            Ok(())
        })
    }

    /// Changes an object as [`update_with`](Self::update_with), or creates it if it does not exist.
    ///
    /// For a missing object, `change` gets a default one with the name. If another client creates the object in between,
    /// it is changed like any other.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// use k8s_flowcontrol::api::v1::LimitResponse;
    ///
    /// let levels = client.priority_level_configurations();
    /// let level = levels
    ///     .create_or_update("batch", |level| {
    ///         level.spec.r#type = "Limited".into();
    ///         let limited = level.spec.limited.get_or_insert_default();
    ///         limited.nominal_concurrency_shares = Some(20);
    ///         limited.limit_response = LimitResponse { r#type: "Reject".into(), ..Default::default() };
    ///     })
    ///     .field_manager("setup")
    ///     .await?;
    /// # drop(level);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as for [`update_with`](Self::update_with) and [`create`](Self::create), except for the missing object.
    pub fn create_or_update<'a>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) + Send + 'a,
    ) -> UpdateWith<'a, K> {
        let mut update = self.update_with(name, change);
        update.requests.creates = true;
        update
    }

    /// As [`update_with`](Self::update_with), with a fallible change. Its error ends the update, and nothing is written.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let schemas = client.flow_schemas();
    /// let moved: Result<_, Box<dyn std::error::Error>> = schemas
    ///     .try_update_with("mine", |schema| {
    ///         let precedence = schema.spec.matching_precedence.unwrap_or(1000);
    ///         schema.spec.matching_precedence = Some(precedence.checked_sub(100).ok_or("no room")?);
    ///         Ok(())
    ///     })
    ///     .await;
    /// # moved?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn try_update_with<'a, E: From<Error> + 'a>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) -> Result<(), E> + Send + 'a,
    ) -> UpdateWith<'a, K, E> {
        UpdateWith::new(self.clone(), name, false, Box::new(change))
    }

    /// As [`update_with`](Self::update_with), for the status. Changes to other fields are not written.
    pub fn update_status_with<'a>(
        &self,
        name: &str,
        mut change: impl FnMut(&mut K) + Send + 'a,
    ) -> UpdateWith<'a, K> {
        self.try_update_status_with(name, move |object| {
            change(object);
            Ok(())
        })
    }

    /// As [`update_status_with`](Self::update_status_with), with a fallible change.
    pub fn try_update_status_with<'a, E: From<Error> + 'a>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) -> Result<(), E> + Send + 'a,
    ) -> UpdateWith<'a, K, E> {
        UpdateWith::new(self.clone(), name, true, Box::new(change))
    }
}

type Change<'a, K, E> = Box<dyn FnMut(&mut K) -> Result<(), E> + Send + 'a>;

/// An update by a function, made by [`Api::update_with`], [`Api::create_or_update`] and their
/// variants. `.await`
/// returns the stored object.
#[must_use = "an update does nothing until it is awaited"]
pub struct UpdateWith<'a, K: Resource, E = Error> {
    change: Change<'a, K, E>,
    requests: Requests<K>,
    max_attempts: u32,
    timeout: Option<Duration>,
}

/// The requests that read and write the object.
struct Requests<K: Resource> {
    api: Api<K>,
    name: String,
    of_status: bool,
    /// Whether a missing object is created.
    creates: bool,
    retry: Option<RetryPolicy>,
    allow_loss: bool,
    /// Query parameters of the replace.
    parameters: Vec<(&'static str, String)>,
    deadline: Option<Instant>,
}

impl<'a, K: Resource, E> UpdateWith<'a, K, E> {
    fn new(api: Api<K>, name: &str, of_status: bool, change: Change<'a, K, E>) -> Self {
        Self {
            change,
            requests: Requests {
                api,
                name: name.to_owned(),
                of_status,
                creates: false,
                retry: None,
                allow_loss: false,
                parameters: Vec::new(),
                deadline: None,
            },
            max_attempts: MAX_ATTEMPTS,
            timeout: None,
        }
    }

    /// The maximum number of attempts to read and replace the object. Defaults to 10; 0 means 1.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// The maximum time of the whole update. By default only the client's limit for each request applies.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// When and how often each request is sent again after failures other than conflicts.
    ///
    /// Defaults to the client's [`retry_policy`](crate::Client::retry_policy).
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.requests.retry = Some(policy);
        self
    }

    /// The field manager that owns the fields set by the replace.
    pub fn field_manager(self, manager: impl Into<String>) -> Self {
        self.with("fieldManager", manager.into())
    }

    /// The handling of unknown and duplicate fields.
    pub fn field_validation(self, validation: FieldValidation) -> Self {
        self.with("fieldValidation", validation.as_str().to_owned())
    }

    /// Makes the server process the request as usual, but not store anything.
    pub fn dry_run(self) -> Self {
        self.with("dryRun", "All".to_owned())
    }

    /// Writes the object even if the server's API version cannot express all of its fields, or if reading has lost some.
    ///
    /// Has an effect only through [`Negotiated`](crate::client::Negotiated).
    pub fn allow_loss(mut self) -> Self {
        self.requests.allow_loss = true;
        self
    }

    fn with(mut self, name: &'static str, value: String) -> Self {
        self.requests.parameters.retain(|(known, _)| *known != name);
        self.requests.parameters.push((name, value));
        self
    }
}

impl<K: Resource, E: From<Error>> UpdateWith<'_, K, E> {
    /// Updates the object and returns it with the status code, warnings and headers of the last response: the response to
    /// the write, or to the read if nothing changed.
    ///
    /// # Errors
    /// The same as for [`update_with`](Api::update_with).
    pub async fn send(mut self) -> Result<Response<K>, E> {
        let requests = &mut self.requests;
        requests.deadline = self
            .timeout
            .and_then(|timeout| Instant::now().checked_add(timeout));
        let mut attempts = 0;
        loop {
            attempts += 1;
            let found = requests.read().await?;
            let result = match found {
                None => {
                    let mut object = requests.new_object();
                    (self.change)(&mut object)?;
                    keep_identity(&mut object, &requests.new_object())?;
                    requests.create(&object).await
                }
                Some(found) => {
                    let mut object = found.value().clone();
                    (self.change)(&mut object)?;
                    keep_identity(&mut object, found.value())?;
                    if object == *found.value() {
                        return Ok(found);
                    }
                    requests.write(&object).await
                }
            };
            // Another client has changed, created or deleted the object since it was read.
            let error = match result {
                // It may be an earlier attempt of this request that has.
                Err(error) if error.may_have_taken_effect() => return Err(error.into()),
                Err(error) if error.is_conflict() => error,
                Err(error) if requests.creates && error.is_already_exists() => error,
                Err(error) if requests.creates && error.is_not_found() => error,
                result => return Ok(result?),
            };
            let pause = PAUSES.pause(attempts);
            let is_late = |deadline| Instant::now() + pause >= deadline;
            if attempts >= self.max_attempts || requests.deadline.is_some_and(is_late) {
                return Err(error.with_attempts(attempts).into());
            }
            sleep(pause).await;
        }
    }
}

impl<K: Resource> Requests<K> {
    /// Reads the object; `None` if it does not exist and is to be created. A loss is an error, because the replace would
    /// remove the lost fields from the server.
    async fn read(&self) -> Result<Option<Response<K>>, Error> {
        let mut request = match self.of_status {
            true => self.api.get_status(&self.name),
            false => self.api.get(&self.name),
        };
        self.limit(&mut request.call);
        let response = match request.send().await {
            Err(error) if self.creates && error.is_not_found() => return Ok(None),
            response => response?,
        };
        if !response.losses().is_empty() && !self.allow_loss {
            return Err(Error::new(ErrorKind::Lossy {
                version: self.api.wire_version(),
                losses: response.losses().to_vec(),
            }));
        }
        Ok(Some(response))
    }

    fn new_object(&self) -> K {
        let mut object = K::default();
        object.metadata_mut().name = Some(self.name.clone());
        object
    }

    async fn create(&self, object: &K) -> Result<Response<K>, Error> {
        let mut request = self.api.create(object);
        self.prepare(&mut request.call);
        request.send().await
    }

    async fn write(&self, object: &K) -> Result<Response<K>, Error> {
        let mut request = match self.of_status {
            true => self.api.replace_status(object),
            false => self.api.replace(object),
        };
        self.prepare(&mut request.call);
        request.send().await
    }

    /// Sets the options of a write.
    fn prepare(&self, call: &mut Call) {
        if self.allow_loss {
            call.allow_loss();
        }
        for (name, value) in &self.parameters {
            call.set(name, value);
        }
        self.limit(call);
    }

    fn limit(&self, call: &mut Call) {
        call.change(|request| {
            request.retry.clone_from(&self.retry);
            if let Some(deadline) = self.deadline {
                request.timeout = Some(Some(remaining(deadline)));
            }
        });
    }
}

/// Restores the UID and resource version of the read object, so that a concurrent change is detected.
fn keep_identity<K: Resource>(object: &mut K, original: &K) -> Result<(), Error> {
    if object.name() != original.name() {
        return Err(Error::argument(format!(
            "an update cannot rename an object, but `{}` was renamed to `{}`",
            original.name(),
            object.name()
        )));
    }
    let (metadata, read) = (object.metadata_mut(), original.metadata());
    metadata.uid.clone_from(&read.uid);
    metadata.resource_version.clone_from(&read.resource_version);
    Ok(())
}

impl<'a, K: Resource, E: From<Error> + 'a> IntoFuture for UpdateWith<'a, K, E> {
    type Output = Result<K, E>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.send().await.map(Response::into_inner) })
    }
}

impl<K: Resource, E> fmt::Debug for UpdateWith<'_, K, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateWith")
            .field("kind", &K::KIND)
            .field("name", &self.requests.name)
            .field("of_status", &self.requests.of_status)
            .field("parameters", &self.requests.parameters)
            .finish_non_exhaustive()
    }
}
