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

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(server: &str, variables: &[(&str, &str)]) -> Option<String> {
        let server = Url::parse(server).unwrap();
        let find = |name: &str| {
            let pair = variables.iter().find(|(n, _)| *n == name)?;
            Some(pair.1.to_owned())
        };
        let proxy = of_environment(&server, find).unwrap()?;
        Some(proxy.host().to_owned())
    }

    #[test]
    fn the_scheme_of_the_server_decides() {
        let both = [("HTTPS_PROXY", "http://s:1"), ("HTTP_PROXY", "http://p:1")];
        assert_eq!(proxy("https://a", &both).as_deref(), Some("s"));
        assert_eq!(proxy("http://a", &both).as_deref(), Some("p"));
        assert_eq!(proxy("http://a", &both[..1]), None);
        let lower = [("https_proxy", "l:1")];
        assert_eq!(proxy("https://a", &lower).as_deref(), Some("l"));
        let mixed = [("HTTPS_PROXY", ""), ("https_proxy", "l:1")];
        assert_eq!(proxy("https://a", &mixed).as_deref(), Some("l"));
        let upper = [("https_proxy", "l:1"), ("HTTPS_PROXY", "u:1")];
        assert_eq!(proxy("https://a", &upper).as_deref(), Some("u"));
    }

    #[test]
    fn this_host_is_reached_directly() {
        let all = [("HTTPS_PROXY", "http://s:1")];
        for server in [
            "https://localhost:6443",
            "https://127.0.0.1",
            "https://127.9.9.9:1",
            "https://[::1]:6443",
            "https://[::ffff:127.0.0.1]",
        ] {
            assert_eq!(proxy(server, &all), None, "{server}");
        }
        assert!(proxy("https://localhost.example", &all).is_some());
    }

    #[test]
    fn no_proxy_in_either_case() {
        for name in ["NO_PROXY", "no_proxy"] {
            let variables = [
                ("HTTPS_PROXY", "http://s:1"),
                (name, "10.0.0.0/8,example.com"),
            ];
            assert_eq!(proxy("https://10.1.2.3:6443", &variables), None);
            assert_eq!(proxy("https://api.example.com", &variables), None);
            assert!(proxy("https://11.1.2.3", &variables).is_some());
        }
    }

    #[test]
    fn a_web_servers_child_takes_no_proxy_from_visitors() {
        let server = Url::parse("http://a").unwrap();
        let error = of_environment(&server, |name| {
            let set = ["HTTP_PROXY", "REQUEST_METHOD"].contains(&name);
            set.then(|| "GET".to_owned())
        });
        assert!(error.unwrap_err().to_string().contains("HTTP_PROXY"));
    }

    #[test]
    fn errors_name_the_variable() {
        let server = Url::parse("https://a").unwrap();
        let error = of_environment(&server, |name| {
            (name == "https_proxy").then(|| "gopher://me:planted-secret@x".to_owned())
        })
        .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("https_proxy"), "{shown}");
        assert!(!shown.contains("planted"), "{shown}");
    }
}
