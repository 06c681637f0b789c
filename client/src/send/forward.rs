//! Requests of others, passed on.

use super::attempt::{url_of, with_headers};
use super::client::Client;
use super::options::Chain;
use super::progress::Progress;
use super::request_head;
use super::retry::RetryClass;
use super::session::Ready;
use crate::error::{Error, Reached, RequestLine};
use crate::request::http_request::is_dry_run;
use crate::transport::Body;
use bytes::Bytes;
use http::{HeaderName, header};

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
        let progress = Progress::default();
        let response = async {
            self.prepare_interactive_plugin().await?;
            let prepare = |ready: &Ready| self.forwarded(&request, ready);
            self.execute(&Chain::default(), &progress, prepare).await
        };
        response.await.map_err(|error| {
            let path = request.uri().path();
            let is_dry_run = is_dry_run(path, request.uri().query().unwrap_or_default());
            let is_write = !request.method().is_safe() && !is_dry_run;
            let effect = RetryClass::effect(&error, is_write, false);
            let attempts = u32::from(progress.reached() != Reached::Nothing);
            error
                .with_effect(effect)
                .with_attempts(attempts)
                .at(&RequestLine {
                    method: request.method().clone(),
                    path: path.to_owned(),
                })
        })
    }

    fn forwarded(
        &self,
        request: &http::Request<Bytes>,
        ready: &Ready,
    ) -> Result<http::Request<Bytes>, Error> {
        let config = self.session.config();
        let mut url = url_of(config.server(), request.uri().path());
        url.set_query(request.uri().query());
        let mut headers = request.headers().clone();
        for name in DROPPED {
            headers.remove(name);
        }
        let authorization = ready.authorization.as_ref();
        request_head::add_credentials(&mut headers, authorization, config.impersonation());
        with_headers(request.method(), &url, headers, request.body())
    }
}
