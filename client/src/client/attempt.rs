//! One attempt at a request: URL, headers and credentials.

use super::connection::Client;
use super::error::Error;
use super::request::{HttpRequest, Verb};
use super::session::Ready;
use super::transport::Body;
use http::StatusCode;
use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use url::Url;

impl Client {
    /// Runs an interactive plugin, if it is due. That time does not count towards the request's timeout.
    pub(super) async fn prepare_interactive_plugin(&self) -> Result<(), Error> {
        self.session.prepare_interactive_plugin().await
    }

    /// Sends a request. After a 401 it is sent once more if there are new credentials.
    pub(super) async fn execute(
        &self,
        request: &HttpRequest,
    ) -> Result<http::Response<Body>, Error> {
        let ready = self.session.ready().await?;
        let response = self.attempt(request, &ready).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        match self.session.after_unauthorized(&ready).await? {
            Some(renewed) => self.attempt(request, &renewed).await,
            None => Ok(response),
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
        // Compression would delay the events of a watch.
        if config.compression() && request.verb != Verb::Watch {
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
        let response = ready.transport.send(request).await;
        response.map_err(|error| error.into_request_error(config))
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::path::Target;

    #[test]
    fn urls() {
        let mut request = HttpRequest::new(Verb::Get, Target::outside_resources("/apis/a%3Fb"));
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
