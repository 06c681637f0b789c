//! Reading any path of the server as bytes.

use super::call::{Call, builder};
use crate::error::Error;
use crate::request::http_request::{HttpRequest, Verb};
use crate::request::path::Target;
use crate::response::decode::Decoder;
use crate::send::client::Client;
use http::HeaderValue;

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
            call: Call::resume(self, request(path)),
        }
    }
}

fn request(path: &str) -> Result<HttpRequest, Error> {
    let odd = |c: char| !c.is_ascii_graphic() || c == '#';
    if !path.starts_with('/') || path.contains(odd) {
        return Err(Error::argument(format!(
            "the path `{}` is not valid; expected ASCII text that begins with `/`, without blanks and `#` (percent-encode them)",
            path.escape_debug()
        )));
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut request = HttpRequest::new(Verb::Get, Target::outside_resources(path));
    request.encoded_query = query.to_owned();
    request.accept = ANY;
    Ok(request)
}

builder! {
    /// Reads a path of the server, made by [`Client::get_raw`].
    RawRequest {} => Vec<u8>, |this| this.call.send(Decoder::bytes()).await
}

impl RawRequest {
    /// The accepted media types, as in the header `Accept`. Defaults to JSON, then anything.
    pub fn accept(mut self, media_types: &str) -> Self {
        self.call = self.call.try_change(|request| {
            request.accept = HeaderValue::from_str(media_types).map_err(|_| {
                let shown = media_types.escape_debug();
                Error::argument(format!("`{shown}` is no valid value of the header Accept"))
            })?;
            Ok(())
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::request;

    #[test]
    fn paths_are_sent_unchanged() {
        let request = request("/livez/a%20b?verbose&exclude=etcd").unwrap();
        assert_eq!(request.path, "/livez/a%20b");
        assert_eq!(request.encoded_query, "verbose&exclude=etcd");
    }

    #[test]
    fn invalid_paths() {
        for path in ["", "livez", "/a b", "/a#b", "/é", "/a\nb", "http://other/"] {
            assert!(request(path).is_err(), "{path}");
        }
    }
}
