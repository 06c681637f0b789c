//! Requests to any path of the server, as bytes.

use super::call::{Call, builder};
use crate::error::Error;
use crate::request::http_request::{HttpRequest, Verb};
use crate::request::path::Target;
use crate::response::decode::{Decoder, Response};
use crate::send::client::Client;
use crate::stream::ByteStream;
use bytes::Bytes;
use http::{HeaderValue, Method};

/// JSON if the server offers it, else anything.
pub(crate) const ANY: HeaderValue = HeaderValue::from_static("application/json, */*");

impl Client {
    /// Reads a path outside of the API resources, such as `/metrics`, `/livez?verbose` or
    /// `/debug/api_priority_and_fairness/dump_requests`, and returns the body.
    ///
    /// `path` begins with `/` and may contain a query. Both must be percent-encoded.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let table = client.get_raw("/debug/api_priority_and_fairness/dump_priority_levels").await?;
    /// print!("{}", String::from_utf8(table)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_raw(&self, path: &str) -> RawRequest {
        RawRequest {
            call: Call::resume(self, request(&Method::GET, path)),
        }
    }

    /// Sends a request of any method to any path, and returns the body of the response.
    ///
    /// `path` is as for [`get_raw`](Self::get_raw). A request other than `GET`, `HEAD` and `OPTIONS` is a write for the
    /// [retry policy](crate::client::RetryPolicy), unless it is a dry run (`dryRun=All` in the query) of a collection, an
    /// object or its status.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::client::http::Method;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let review = r#"{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}"#;
    /// let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    /// let response = client.raw(Method::POST, path).body("application/json", review).send().await?;
    /// println!("{} {} bytes", response.code(), response.value().len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn raw(&self, method: Method, path: &str) -> RawRequest {
        RawRequest {
            call: Call::resume(self, request(&method, path)),
        }
    }
}

fn request(method: &Method, path: &str) -> Result<HttpRequest, Error> {
    let odd = |c: char| !c.is_ascii_graphic() || c == '#';
    if !path.starts_with('/') || path.contains(odd) {
        return Err(Error::argument(format!(
            "the path `{}` is not valid; expected ASCII text that begins with `/`, without blanks and `#` (percent-encode them)",
            path.escape_debug()
        )));
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let verb = verb(method)?;
    let mut request = HttpRequest::new(verb, Target::outside_resources(path));
    request.method = method.clone();
    request.encoded_query = query.to_owned();
    request.accept = ANY;
    Ok(request)
}

/// The verb of the method, as API servers name it outside of resources.
fn verb(method: &Method) -> Result<Verb, Error> {
    Ok(match method.as_str() {
        "GET" => Verb::Get,
        "PATCH" => Verb::Patch,
        "DELETE" => Verb::Delete,
        "POST" => Verb::Raw("post"),
        "PUT" => Verb::Raw("put"),
        "HEAD" => Verb::Raw("head"),
        "OPTIONS" => Verb::Raw("options"),
        other => {
            return Err(Error::argument(format!(
                "the method `{other}` is not supported; expected GET, HEAD, OPTIONS, POST, PUT, PATCH or DELETE"
            )));
        }
    })
}

builder! {
    /// A request to any path, made by [`Client::get_raw`] and [`Client::raw`]. `.await` returns the body.
    RawRequest {} => Vec<u8>, |this| this.call.send(Decoder::bytes()).await
}

impl RawRequest {
    /// The body of the request and its media type, such as `application/json`. Defaults to none.
    pub fn body(mut self, media_type: &str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        self.call = self.call.try_change(|request| {
            let invalid = |_| {
                let shown = media_type.escape_debug();
                Error::argument(format!("`{shown}` is not a media type"))
            };
            request.content_type = Some(HeaderValue::from_str(media_type).map_err(invalid)?);
            request.body = body;
            Ok(())
        });
        self
    }

    /// Sends the request and returns the body, of any length, as a stream as soon as the response begins.
    ///
    /// The [`timeout`](Self::timeout) ends there, too. The server is asked not to compress the body.
    ///
    /// # Errors
    /// The same as for [`send`](Self::send).
    pub async fn stream(mut self) -> Result<Response<ByteStream>, Error> {
        self.call.change(|request| request.is_streamed = true);
        let call = self.call.checked()?;
        let (line, head, body) = call.client.open_stream(call.request).await?;
        Ok(Response::new(ByteStream::new(line, body), head))
    }

    /// The accepted media types, as in the header `Accept`. Defaults to JSON, then anything.
    pub fn accept(mut self, media_types: &str) -> Self {
        self.call = self.call.try_change(|request| {
            request.accept = HeaderValue::from_str(media_types).map_err(|_| {
                let shown = media_types.escape_debug();
                Error::argument(format!(
                    "`{shown}` is not a valid value of the header Accept"
                ))
            })?;
            Ok(())
        });
        self
    }
}
