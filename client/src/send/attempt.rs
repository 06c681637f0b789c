//! One attempt at a request: URL, headers and credentials.

use super::client::Client;
use super::layer::Next;
use super::progress::Progress;
use super::request_head;
use super::request_head::RequestHead;
use super::session::Ready;
use crate::error::Error;
use crate::request::http_request::{HttpRequest, Verb};
use crate::response::head::Head;
use crate::transport::Body;
use http::StatusCode;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use url::Url;

impl Client {
    /// Runs an interactive plugin, if it is due. That time does not count towards the request's timeout.
    pub(crate) async fn prepare_interactive_plugin(&self) -> Result<(), Error> {
        self.session.prepare_interactive_plugin().await
    }

    /// Sends a request. After a 401 it is sent once more if there are new credentials.
    pub(crate) async fn execute(
        &self,
        request: &HttpRequest,
        number: u32,
        progress: &Progress,
    ) -> Result<http::Response<Body>, Error> {
        let ready = self.session.ready().await?;
        progress.sent();
        let response = self.attempt(request, number, &ready).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        progress.answered(response.status());
        let renewed = match self.session.after_unauthorized(&ready).await {
            Ok(renewed) => renewed,
            Err(error) => return Err(without_credentials(error, response)),
        };
        match renewed {
            Some(renewed) => {
                progress.sent();
                self.attempt(request, number, &renewed).await
            }
            None => Ok(response),
        }
    }

    async fn attempt(
        &self,
        request: &HttpRequest,
        number: u32,
        ready: &Ready,
    ) -> Result<http::Response<Body>, Error> {
        let config = self.session.config();
        let mut sent = http::Request::builder()
            .method(&request.method)
            .uri(request_url(config.server(), request).as_str())
            .body(request.body.clone())
            .map_err(|error| Error::argument(format!("the request cannot be built: {error}")))?;
        *sent.headers_mut() = self.headers(request, number, ready)?;
        let response = match self.options.layers.as_slice() {
            [] => ready.transport.send(sent).await,
            _ => {
                let layers = self.options.layers.clone();
                Next::new(layers, ready.transport.clone()).run(sent).await
            }
        };
        response.map_err(|error| error.into_request_error(config))
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

/// The error of a request that the server rejected, since there are no other credentials.
pub(crate) fn without_credentials(error: Error, rejection: http::Response<Body>) -> Error {
    let (rejection, _) = rejection.into_parts();
    error.with_head(Head::read(rejection.status, rejection.headers))
}

/// The URL of the request: the server's URL, the request's path below it, and the encoded query.
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
