//! One attempt at a request: URL, headers and credentials.

use super::client::Client;
use super::layer::{Layer, Next};
use super::options::Chain;
use super::progress::Progress;
use super::request_head;
use super::request_head::RequestHead;
use super::session::Ready;
use crate::error::Error;
use crate::request::http_request::{HttpRequest, Verb};
use crate::response::head::Head;
use crate::transport::Body;
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use http::{Method, StatusCode};
use url::Url;

impl Client {
    /// Runs an interactive plugin, if it is due. That time does not count towards the request's timeout.
    pub(crate) async fn prepare_interactive_plugin(&self) -> Result<(), Error> {
        self.session.prepare_interactive_plugin().await
    }

    /// Sends a request with the current credentials. After a 401 it is sent once more if there are new ones.
    pub(super) async fn execute(
        &self,
        layers: &Chain<Layer>,
        progress: &Progress,
        prepare: impl Fn(&Ready) -> Result<http::Request<Bytes>, Error> + Send + Sync,
    ) -> Result<http::Response<Body>, Error> {
        let ready = self.session.ready().await?;
        progress.sent();
        let response = self.attempt(layers, prepare(&ready)?, &ready).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        progress.answered(response.status());
        match self.session.after_unauthorized(&ready).await {
            Ok(None) => Ok(response),
            Ok(Some(renewed)) => {
                progress.sent();
                self.attempt(layers, prepare(&renewed)?, &renewed).await
            }
            Err(error) => {
                let (rejection, _) = response.into_parts();
                Err(error.with_head(Head::read(rejection.status, rejection.headers)))
            }
        }
    }

    async fn attempt(
        &self,
        layers: &Chain<Layer>,
        request: http::Request<Bytes>,
        ready: &Ready,
    ) -> Result<http::Response<Body>, Error> {
        let next = Next::new(layers.clone(), ready.transport.clone());
        let response = next.run(request).await;
        response.map_err(|error| error.into_request_error(self.session.config()))
    }

    /// The request of an attempt.
    pub(super) fn prepare(
        &self,
        request: &HttpRequest,
        number: u32,
        ready: &Ready,
    ) -> Result<http::Request<Bytes>, Error> {
        let mut url = url_of(self.config().server(), &request.path);
        if !request.encoded_query.is_empty() {
            url.set_query(Some(&request.encoded_query));
        } else if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        let headers = self.headers(request, number, ready)?;
        with_headers(&request.method, &url, headers, &request.body)
    }

    /// The headers: the defaults, the client's own, the changes of the hooks, the credentials.
    fn headers(
        &self,
        request: &HttpRequest,
        number: u32,
        ready: &Ready,
    ) -> Result<HeaderMap, Error> {
        let config = self.session.config();
        let agent = HeaderValue::try_from(config.user_agent()).map_err(Error::setup)?;
        let mut headers = (*self.options.headers).clone();
        headers.insert(ACCEPT, request.accept.clone());
        headers.insert(USER_AGENT, agent);
        // Compression would delay the events of a watch and the lines of a log. Without the header reqwest sends its own, if
        // any crate in the build has enabled the feature for it.
        let is_whole = request.verb != Verb::Watch && !request.is_streamed;
        let encoding = match config.compression() && is_whole {
            true => "gzip",
            false => "identity",
        };
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(encoding));
        if let Some(content_type) = &request.content_type {
            headers.insert(CONTENT_TYPE, content_type.clone());
        }
        for hook in self.options.before_request.as_slice() {
            hook(&mut RequestHead::new(request, number, &mut headers));
        }
        let authorization = ready.authorization.as_ref();
        request_head::add_credentials(&mut headers, authorization, config.impersonation());
        Ok(headers)
    }
}

/// The URL of a path below that of the server, without a query.
pub(super) fn url_of(server: &Url, path: &str) -> Url {
    let mut url = server.clone();
    url.set_path(&format!("{}{path}", server.path().trim_end_matches('/')));
    url
}

pub(super) fn with_headers(
    method: &Method,
    url: &Url,
    headers: HeaderMap,
    body: &Bytes,
) -> Result<http::Request<Bytes>, Error> {
    let request = http::Request::builder().method(method).uri(url.as_str());
    let mut request = request
        .body(body.clone())
        .map_err(|error| Error::argument(format!("the request cannot be built: {error}")))?;
    *request.headers_mut() = headers;
    Ok(request)
}
