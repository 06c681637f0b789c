//! Reading any path of the server, as it is.

use super::BoxFuture;
use super::connection::Client;
use super::error::Error;
use super::request::HttpRequest;
use super::response::{Decoded, Decoder, Response};
use crate::config::RetryPolicy;
use http::{HeaderValue, Method};
use std::time::Duration;

/// JSON where there is a choice, and what comes where there is none.
const ACCEPT: HeaderValue = HeaderValue::from_static("application/json, */*");

impl Client {
    /// Reads a path of the server that no verb is for, such as `/metrics`, `/livez?verbose` or
    /// `/debug/api_priority_and_fairness/dump_requests`; what comes is given as it is.
    ///
    /// `path` begins with `/` and may have a query; both are sent as they are.
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
            client: self.clone(),
            request: request(path),
        }
    }
}

fn request(path: &str) -> Result<HttpRequest, Error> {
    let odd = |c: char| !c.is_ascii_graphic() || c == '#';
    if !path.starts_with('/') || path.contains(odd) {
        return Err(Error::argument(format!(
            "the path `{}` cannot be asked for; expected one that begins with `/` and has neither blanks, `#` nor characters beyond ASCII (percent-encode them)",
            path.escape_debug()
        )));
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut request = HttpRequest::new(Method::GET, path.to_owned());
    request.encoded_query = query.to_owned();
    request.accept = ACCEPT;
    Ok(request)
}

/// Reads a path of the server, made by [`Client::get_raw`].
#[derive(Debug)]
#[must_use = "a request does nothing until it is awaited or sent"]
pub struct RawRequest {
    client: Client,
    request: Result<HttpRequest, Error>,
}

impl RawRequest {
    /// The media types that are welcome, as in the header `Accept`; JSON and anything else if not said.
    pub fn accept(mut self, media_types: &str) -> Self {
        self.request = self.request.and_then(|mut request| {
            request.accept = HeaderValue::from_str(media_types).map_err(|_| {
                Error::argument(format!(
                    "`{}` is no value of the header Accept",
                    media_types.escape_debug()
                ))
            })?;
            Ok(request)
        });
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

    /// When and how often the request is sent again, in the place of
    /// [the client's policy](Client::with_retry_policy).
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        if let Ok(request) = &mut self.request {
            request.retry = Some(policy);
        }
        self
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
impl IntoFuture for RawRequest {
    type Output = Result<Vec<u8>, Error>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.send().await.map(Response::into_inner) })
    }
}

#[cfg(test)]
mod tests {
    use super::request;

    #[test]
    fn paths_are_sent_as_they_are() {
        let request = request("/livez/a%20b?verbose&exclude=etcd").unwrap();
        assert_eq!(request.path, "/livez/a%20b");
        assert_eq!(request.encoded_query, "verbose&exclude=etcd");
    }

    #[test]
    fn what_is_no_path() {
        for path in ["", "livez", "/a b", "/a#b", "/é", "/a\nb", "http://other/"] {
            assert!(request(path).is_err(), "{path}");
        }
    }
}
