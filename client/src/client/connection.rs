//! The thin part: what talks to the server.

use super::BoxFuture;
use super::api::Api;
use super::error::Error;
use super::negotiated::{Negotiable, Negotiated};
use super::options::Options;
use super::request::HttpRequest;
use super::session::{Ready, Session};
use super::transport::Body;
use crate::config::Config;
use crate::{Resource, api::v1};
use http::StatusCode;
use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use std::fmt;
use std::sync::Arc;
use url::Url;

/// A connection to an API server; cheap to clone, and its clones share their connections.
///
/// Its `Debug` form shows the server, never a credential.
///
/// ```no_run
/// use k8s_flowcontrol::{Client, api::v1beta3};
///
/// # async fn example() -> Result<(), k8s_flowcontrol::Error> {
/// let client = Client::try_default().await?;
/// let levels = client.priority_level_configurations(); // v1
/// let older = client.api::<v1beta3::PriorityLevelConfiguration>(); // any version, the same verbs
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    session: Arc<Session>,
    pub(super) options: Options,
}

impl Client {
    /// A client for the server that the environment names: the kubeconfig files of `KUBECONFIG`, else
    /// `~/.kube/config`, else the service account of the pod that the program runs in.
    ///
    /// # Errors
    /// When none of them is there, or one cannot be used; the error names the file, the context and the field.
    pub async fn try_default() -> Result<Self, Error> {
        Self::new(Config::try_default()?)
    }

    /// A client for a server that asks for no credentials, such as `http://127.0.0.1:8080`.
    ///
    /// # Errors
    /// When `url` is no `http` or `https` URL, or a secure connection cannot be set up.
    pub fn from_url(url: impl AsRef<str>) -> Result<Self, Error> {
        Self::new(Config::new(url)?)
    }

    /// A client for a configuration; connects when it is first used.
    ///
    /// # Errors
    /// When the certificates of the configuration do not read, or the program has no TLS provider: enable the
    /// feature `ring`, or install one with rustls' `CryptoProvider::install_default` first.
    pub fn new(config: Config) -> Result<Self, Error> {
        Ok(Self {
            session: Arc::new(Session::new(config)?),
            options: Options::default(),
        })
    }

    /// The priority levels, in v1.
    pub fn priority_level_configurations(&self) -> Api<v1::PriorityLevelConfiguration> {
        self.api()
    }

    /// The flow schemas, in v1.
    pub fn flow_schemas(&self) -> Api<v1::FlowSchema> {
        self.api()
    }

    /// Any kind in its type's version; of a kind with namespaces, the objects of all of them.
    pub fn api<K: Resource>(&self) -> Api<K> {
        Api::new(self.clone(), None)
    }

    /// A kind's objects in one namespace.
    pub fn namespaced_api<K: Resource>(&self, namespace: &str) -> Api<K> {
        Api::new(self.clone(), Some(namespace.to_owned()))
    }

    /// A kind's objects in whatever version the server serves: the type's own one if it can be had, else the
    /// newest.
    ///
    /// # Errors
    /// When the server does not answer, or serves no version that this crate knows.
    pub fn negotiated<K: Negotiable>(&self) -> BoxFuture<Result<Negotiated<K>, Error>> {
        let client = self.clone();
        Box::pin(async move { Negotiated::find(&client).await })
    }

    /// The configuration that the client was made from.
    pub fn config(&self) -> &Config {
        self.session.config()
    }

    /// Lets a plugin ask a person, if it must; that is not the time of the request.
    pub(super) async fn ask_person(&self) -> Result<(), Error> {
        self.session.ask_person().await
    }

    /// Sends a request; when the credentials are not accepted, once more with fresh ones if there are any.
    pub(super) async fn execute(
        &self,
        request: &HttpRequest,
    ) -> Result<http::Response<Body>, Error> {
        let ready = self.session.ready().await?;
        let answer = self.attempt(request, &ready).await?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return Ok(answer);
        }
        match self.session.after_unauthorized(&ready).await? {
            Some(renewed) => self.attempt(request, &renewed).await,
            None => Ok(answer),
        }
    }

    async fn attempt(
        &self,
        request: &HttpRequest,
        ready: &Ready,
    ) -> Result<http::Response<Body>, Error> {
        let config = self.session.config();
        let mut builder = http::Request::builder()
            .method(&request.method)
            .uri(request_url(config.server(), request).as_str())
            .header(ACCEPT, &request.accept)
            .header(USER_AGENT, config.user_agent());
        if let Some(value) = &ready.authorization {
            builder = builder.header(AUTHORIZATION, value);
        }
        // A watch is read line by line as it arrives; servers do not compress it either.
        if config.compression() && request.get("watch").is_none() {
            builder = builder.header(ACCEPT_ENCODING, "gzip");
        }
        if let Some(headers) = builder.headers_mut() {
            headers.extend(config.impersonation().clone());
        }
        if let Some(content_type) = request.content_type {
            builder = builder.header(CONTENT_TYPE, content_type);
        }
        let request = builder
            .body(request.body.clone())
            .map_err(|error| Error::argument(format!("the request cannot be built: {error}")))?;
        let answer = ready.transport.send(request).await;
        answer.map_err(|error| error.before_answer(config))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("config", self.config())
            .finish_non_exhaustive()
    }
}

/// The request's path below the server's own, with the query encoded.
fn request_url(server: &Url, request: &HttpRequest) -> Url {
    let mut url = server.clone();
    let path = format!("{}{}", server.path().trim_end_matches('/'), request.path);
    url.set_path(&path);
    if !request.encoded_query.is_empty() {
        url.set_query(Some(&request.encoded_query));
    } else if !request.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.query);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Method;

    #[test]
    fn urls() {
        let mut request = HttpRequest::new(Method::GET, "/apis/a%3Fb".into());
        let plain = Url::parse("http://127.0.0.1:1").unwrap();
        assert_eq!(
            request_url(&plain, &request).as_str(),
            "http://127.0.0.1:1/apis/a%3Fb"
        );
        request.set("labelSelector", "a=b,c in (d&e)");
        let nested = Url::parse("https://host/k8s/cluster/").unwrap();
        assert_eq!(
            request_url(&nested, &request).as_str(),
            "https://host/k8s/cluster/apis/a%3Fb?labelSelector=a%3Db%2Cc+in+%28d%26e%29"
        );
    }
}
