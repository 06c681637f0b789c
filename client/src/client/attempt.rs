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
        let answer = ready.transport.send(request).await;
        answer.map_err(|error| error.before_answer(config))
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
