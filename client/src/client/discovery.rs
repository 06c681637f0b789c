//! What a server offers.

use super::BoxFuture;
use super::connection::Client;
use super::error::Error;
use super::request::{HttpRequest, segment};
use super::response::{Decoded, Decoder, Response};
use crate::config::RetryPolicy;
use crate::meta::{ApiGroup, ApiGroupList, ApiResourceList, Info};
use crate::rt::Members;
use crate::rt::json::{self, ReadJson};
use http::Method;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

impl Client {
    /// The API groups that the server serves, with their versions.
    pub fn api_groups(&self) -> DiscoveryRequest<ApiGroupList> {
        self.discover(Ok("/apis".to_owned()))
    }

    /// The versions of an API group, such as [`GROUP`](crate::GROUP), and which one the server prefers.
    ///
    /// A group that the server does not know [`is_not_found`](Error::is_not_found).
    pub fn api_group(&self, group: &str) -> DiscoveryRequest<ApiGroup> {
        self.discover(segment("the group", group).map(|group| format!("/apis/{group}/")))
    }

    /// The kinds of one version of an API group, with their verbs and subresources. The core group is the empty
    /// string.
    ///
    /// A version that the server does not serve [`is_not_found`](Error::is_not_found).
    pub fn api_resources(&self, group: &str, version: &str) -> DiscoveryRequest<ApiResourceList> {
        self.discover(
            segment("the version", version).and_then(|version| match group {
                "" => Ok(format!("/api/{version}/")),
                group => {
                    segment("the group", group).map(|group| format!("/apis/{group}/{version}/"))
                }
            }),
        )
    }

    /// The server's release and build.
    pub fn version(&self) -> DiscoveryRequest<Info> {
        self.discover(Ok("/version".to_owned()))
    }

    fn discover<T>(&self, path: Result<String, Error>) -> DiscoveryRequest<T> {
        let request = path.map(|path| HttpRequest::new(Method::GET, path));
        DiscoveryRequest {
            client: self.clone(),
            request,
            output: PhantomData,
        }
    }
}

/// Asks what the server offers, made by [`Client::api_groups`] and its neighbours.
#[must_use = "a request does nothing until it is awaited or sent"]
pub struct DiscoveryRequest<T> {
    client: Client,
    request: Result<HttpRequest, Error>,
    output: PhantomData<fn() -> T>,
}

impl<T> DiscoveryRequest<T> {
    /// How long the request may take, retries and the pauses between them included; `None` for no limit.
    ///
    /// Not said, [`Config::with_timeout`](crate::config::Config::with_timeout) counts, which is 90 s.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        if let Ok(request) = &mut self.request {
            request.timeout = Some(timeout.into());
        }
        self
    }

    /// When and how often the request is sent again, in the place of
    /// [the client's policy](Client::with_retry_policy).
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        if let Ok(request) = &mut self.request {
            request.retry = Some(policy);
        }
        self
    }
}

impl<T: Members + ReadJson + Send + 'static> DiscoveryRequest<T> {
    /// Sends the request; the answer comes with its status code, warnings and other headers.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn send(self) -> Result<Response<T>, Error> {
        let decode = |body: &[u8]| json::from_slice::<T>(body).map(Decoded::from);
        let decoder = Decoder {
            what: T::NAME.to_owned(),
            decode,
        };
        self.client.send(self.request?, decoder).await
    }
}

/// Sends the request and gives the value alone.
impl<T: Members + ReadJson + Send + 'static> IntoFuture for DiscoveryRequest<T> {
    type Output = Result<T, Error>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.send().await.map(Response::into_inner) })
    }
}

impl<T> fmt::Debug for DiscoveryRequest<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DiscoveryRequest")
            .field(&self.request)
            .finish()
    }
}

#[cfg(test)]
#[cfg(feature = "ring")]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let client = Client::from_url("http://127.0.0.1:1").unwrap();
        let path = |request: Result<HttpRequest, Error>| request.unwrap().path;
        assert_eq!(path(client.api_groups().request), "/apis");
        assert_eq!(path(client.api_group("a.b").request), "/apis/a.b/");
        assert_eq!(
            path(client.api_resources("a.b", "v1").request),
            "/apis/a.b/v1/"
        );
        assert_eq!(path(client.api_resources("", "v1").request), "/api/v1/");
        assert!(client.api_group("").request.is_err());
        assert!(client.api_resources("a", "../x").request.is_err());
    }
}
