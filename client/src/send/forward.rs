//! Requests of others, passed on.

use super::attempt::without_credentials;
use super::client::Client;
use super::request_head;
use super::retry::RetryClass;
use super::session::Ready;
use crate::error::{Effect, Error, RequestLine};
use crate::request::http_request::is_dry_run;
use crate::transport::Body;
use bytes::Bytes;
use http::{HeaderName, StatusCode, header};
use url::Url;

/// The headers that concern one connection, and the credentials of the sender.
const DROPPED: [HeaderName; 9] = [
    header::AUTHORIZATION,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

impl Client {
    /// Passes a request of another client on to the server, once, with the credentials of this client, for a proxy.
    ///
    /// Of the URI only the path and the query count. The method, the body and all other headers are sent as they are; credentials and headers
    /// of the connection are replaced. The response of any code is returned as the server sent it, compressed or not, when it begins. Retries,
    /// time limits, hooks and layers do not apply.
    ///
    /// ```no_run
    /// use bytes::Bytes;
    /// use k8s_flowcontrol::client::http::Request;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let request = Request::get("/api/v1/pods?limit=5").body(Bytes::new())?;
    /// let response = client.forward(request).await?;
    /// println!("{}", response.status());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The request does not get a response, or the client's credentials cannot be read.
    pub async fn forward(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Body>, Error> {
        let response = self.forward_with_credentials(&request).await;
        response.map_err(|error| {
            error.at(&RequestLine {
                method: request.method().clone(),
                path: request.uri().path().to_owned(),
            })
        })
    }

    async fn forward_with_credentials(
        &self,
        request: &http::Request<Bytes>,
    ) -> Result<http::Response<Body>, Error> {
        self.prepare_interactive_plugin().await?;
        let ready = self.session.ready().await?;
        let response = self.forward_once(request, &ready).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        match self.session.after_unauthorized(&ready).await {
            Ok(Some(renewed)) => self.forward_once(request, &renewed).await,
            Ok(None) => Ok(response),
            Err(error) => Err(without_credentials(error, response).with_attempts(1)),
        }
    }

    async fn forward_once(
        &self,
        request: &http::Request<Bytes>,
        ready: &Ready,
    ) -> Result<http::Response<Body>, Error> {
        let config = self.session.config();
        let url = forwarded_url(config.server(), request.uri());
        let mut sent = http::Request::builder()
            .method(request.method())
            .uri(url.as_str())
            .body(request.body().clone())
            .map_err(|error| Error::argument(format!("the request cannot be built: {error}")))?;
        let mut headers = request.headers().clone();
        for name in DROPPED {
            headers.remove(name);
        }
        let authorization = ready.authorization.as_ref();
        request_head::add_credentials(&mut headers, authorization, config.impersonation());
        *sent.headers_mut() = headers;
        let response = ready.transport.send(sent).await;
        response.map_err(|error| {
            let error = error.into_request_error(config).with_attempts(1);
            let uri = request.uri();
            let is_write = !request.method().is_safe()
                && !is_dry_run(uri.path(), uri.query().unwrap_or_default());
            match is_write && RetryClass::may_have_taken_effect(&error) {
                true => error.with_effect(Effect::Possible),
                false => error,
            }
        })
    }
}

fn forwarded_url(server: &Url, uri: &http::Uri) -> Url {
    let mut url = server.clone();
    let path = format!("{}{}", server.path().trim_end_matches('/'), uri.path());
    url.set_path(&path);
    url.set_query(uri.query());
    url
}
