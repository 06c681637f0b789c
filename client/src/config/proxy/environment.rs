//! The environment's proxy. Own code, because kubectl follows the rules of Go's `httpproxy`.
//!
//! - `HTTPS_PROXY` is for `https` servers, `HTTP_PROXY` for `http` servers. The upper case form takes precedence over the
//!   lower case form. An empty variable is ignored.
//! - The scheme defaults to `http://`.
//! - `localhost`, loopback addresses and the entries of [`NoProxy`] are reached directly.
//! - If `REQUEST_METHOD` is set, the program runs as a CGI script, and a visitor can set `HTTP_PROXY` by a header. Using it
//!   is then an error.

use super::no_proxy::NoProxy;
use super::{ConfigError, Proxy};
use std::net::IpAddr;
use url::{Host, Url};

/// The proxy for a server; `None` if the server is reached directly. `variable` looks up an environment variable.
pub(crate) fn of_environment(
    server: &Url,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Proxy>, ConfigError> {
    let first = |names: [&'static str; 2]| {
        names.into_iter().find_map(|name| {
            let value = variable(name).filter(|value| !value.is_empty())?;
            Some((name, value))
        })
    };
    let secure = server.scheme() == "https";
    let names = if secure {
        ["HTTPS_PROXY", "https_proxy"]
    } else {
        ["HTTP_PROXY", "http_proxy"]
    };
    let Some((name, text)) = first(names) else {
        return Ok(None);
    };
    let (host, address) = match server.host() {
        Some(Host::Domain(name)) => (name.to_owned(), None),
        Some(Host::Ipv4(address)) => (address.to_string(), Some(IpAddr::V4(address))),
        Some(Host::Ipv6(address)) => (address.to_string(), Some(IpAddr::V6(address))),
        None => return Ok(None),
    };
    let address = address.map(|address| address.to_canonical());
    if !secure && variable("REQUEST_METHOD").is_some_and(|method| !method.is_empty()) {
        let message =
            "not allowed while REQUEST_METHOD is set, because a visitor of a CGI script can set it";
        return Err(ConfigError::new(message).within(name));
    }
    if host == "localhost" || address.is_some_and(|address| address.is_loopback()) {
        return Ok(None);
    }
    let port = server.port_or_known_default().unwrap_or_default();
    let excluded = first(["NO_PROXY", "no_proxy"])
        .is_some_and(|(_, list)| NoProxy::parse(&list).excludes(&host, address, port));
    if excluded {
        return Ok(None);
    }
    let text = if text.contains("://") {
        text
    } else {
        format!("http://{text}")
    };
    Proxy::parse(&text)
        .map(Some)
        .map_err(|error| error.within(name))
}
