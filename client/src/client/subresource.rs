//! Subresources other than the status: what a kind's documents offer below an object.

use super::request::{HttpRequest, segment};
use super::response::{Decoded, Decoder, Response};
use super::{Api, BoxFuture, Client, Error};
use crate::Resource;
use http::{HeaderValue, Method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

impl<K: Resource> Api<K> {
    /// Reads a subresource of an object, such as `scale` or `log`.
    ///
    /// The answer is read as the type that [`read_as`](SubresourceRequest::read_as) names, or taken as
    /// bytes. Which subresources a kind has says [`Resource::schema`], and the document's operations what
    /// they take and answer. One that goes on, such as `proxy/a/b`, is a path of segments.
    ///
    /// ```no_run
    /// # use k8s_flowcontrol::{Error, Resource, client::Api};
    /// # async fn example<Deployment: Resource>(deployments: Api<Deployment>) -> Result<(), Error> {
    /// let scale: serde_json::Value = deployments.get_subresource("web", "scale").read_as().await?;
    /// let log = deployments.get_subresource("web", "log").query("tailLines", "10").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_subresource(&self, name: &str, subresource: &str) -> SubresourceRequest {
        self.subresource(Method::GET, name, subresource)
    }

    /// Creates a subresource of an object, such as `eviction`, `binding` or `token`: the body is a kind of its
    /// own.
    pub fn create_subresource<B: Serialize + ?Sized>(
        &self,
        name: &str,
        subresource: &str,
        body: &B,
    ) -> SubresourceRequest {
        self.subresource(Method::POST, name, subresource).body(body)
    }

    /// Replaces a subresource of an object, such as `scale` or `approval`.
    pub fn replace_subresource<B: Serialize + ?Sized>(
        &self,
        name: &str,
        subresource: &str,
        body: &B,
    ) -> SubresourceRequest {
        self.subresource(Method::PUT, name, subresource).body(body)
    }

    fn subresource(&self, method: Method, name: &str, subresource: &str) -> SubresourceRequest {
        let path = self.path(name, None).and_then(|mut path| {
            for part in subresource.split('/') {
                path.push('/');
                path.push_str(&segment("the subresource", part)?);
            }
            Ok(path)
        });
        SubresourceRequest {
            client: self.client().clone(),
            request: path.map(|path| {
                let mut request = HttpRequest::new(method, path);
                request.accept = HeaderValue::from_static("application/json, */*");
                request
            }),
        }
    }
}

/// A request about a subresource, made by [`Api::get_subresource`] and its neighbours.
#[derive(Debug)]
#[must_use = "a request does nothing until it is awaited or sent"]
pub struct SubresourceRequest {
    client: Client,
    request: Result<HttpRequest, Error>,
}

impl SubresourceRequest {
    /// Sets a query parameter, such as `container` of a log.
    pub fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Ok(request) = &mut self.request {
            request.set(name, value);
        }
        self
    }

    /// How long the request may take, retries and the pauses between them included; `None` for no limit.
    ///
    /// Not said, [`Config::with_timeout`](crate::config::Config::with_timeout) counts, which is 90 s.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        if let Ok(request) = &mut self.request {
            request.timeout = Some(timeout.into());
        }
        self
    }

    fn body<B: Serialize + ?Sized>(mut self, body: &B) -> Self {
        self.request = self.request.and_then(|request| {
            let body = serde_json::to_vec(body)
                .map_err(|error| Error::argument(format!("the body cannot be written: {error}")))?;
            Ok(request.body("application/json", body))
        });
        self
    }

    /// Sends the request and reads the answer as a `T`, such as a generated `Scale`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn read_as<T: DeserializeOwned + Send + 'static>(self) -> Result<T, Error> {
        let decoder = Decoder {
            what: std::any::type_name::<T>().to_owned(),
            decode: |body: &[u8]| serde_json::from_slice::<T>(body).map(Decoded::from),
        };
        let answer = self.client.send(self.request?, decoder).await;
        answer.map(Response::into_inner)
    }

    /// Sends the request; the body comes with the answer's status code, warnings and other headers.
    ///
    /// # Errors
    /// See [`Error`]: an answer other than 2xx is one.
    pub async fn send(self) -> Result<Response<Vec<u8>>, Error> {
        let decoder = Decoder {
            what: "bytes".to_owned(),
            decode: |body: &[u8]| Ok(Decoded::from(body.to_vec())),
        };
        self.client.send(self.request?, decoder).await
    }
}

/// Sends the request and gives the body alone.
impl IntoFuture for SubresourceRequest {
    type Output = Result<Vec<u8>, Error>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.send().await.map(Response::into_inner) })
    }
}

#[cfg(test)]
#[cfg(feature = "ring")]
mod tests {
    use super::*;
    use crate::api::v1::FlowSchema;

    #[test]
    fn paths_and_bodies() {
        let client = Client::from_url("http://127.0.0.1:1").unwrap();
        let api = client.api::<FlowSchema>();
        let request = api.get_subresource("a b", "proxy/x/y z").query("q", "1");
        let request = request.request.unwrap();
        assert_eq!(
            request.path,
            "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/a%20b/proxy/x/y%20z"
        );
        assert_eq!(request.get("q"), Some("1"));
        let request = api.create_subresource("a", "token", &serde_json::json!({"a": 1}));
        let request = request.request.unwrap();
        assert_eq!(request.method, Method::POST);
        assert_eq!(request.content_type, Some("application/json"));
        assert_eq!(&request.body[..], br#"{"a":1}"#);
        for odd in ["", "a//b", "..", "scale/../x"] {
            assert!(api.get_subresource("a", odd).request.is_err(), "{odd}");
        }
    }
}
