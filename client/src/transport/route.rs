//! Proxies and `tls-server-name`.
//!
//! The HTTP library has a single name, the host of the URL. It connects to that host, sends it in the handshake (SNI) and
//! verifies it. For another `tls-server-name`, that name replaces the host in the URL, and
//! [`Resolver`](super::route::Resolver) resolves it to the addresses of the host. Requests then use HTTP/1.1, whose
//! header `Host` names the server: in HTTP/2 the library sends the URL's host as `:authority`, and RFC 9113 (section 8.3.1)
//! forbids that it differs from `Host`.
//!
//! An HTTP proxy receives the URL's host, so behind such a proxy the host stays in the URL, and the other name is only
//! verified.

use super::error::{ConnectError, TransportError};
use super::tls::NameCheck;
use crate::config::{Config, ConfigError, Proxy, ProxyKind};
use crate::error::Error;
use http::HeaderValue;
use http::header::HOST;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::pki_types::ServerName;
use std::io;

/// Replaces an IP address in the URL. This name never exists in DNS (RFC 6761).
const STAND_IN: &str = "kubernetes.invalid";

/// The proxy and the names for the requests of one client.
pub(crate) struct Route {
    proxy: Option<Proxy>,
    /// The host of the configuration, an IPv6 address without brackets.
    host: String,
    /// The authority of the configuration, for the header `Host`.
    authority: HeaderValue,
    /// Replaces the host in the URL.
    alias: Option<String>,
    /// Verified instead of the URL's host.
    checked: Option<ServerName<'static>>,
    /// The name in the certificate of an `https` proxy.
    proxy_name: Option<ServerName<'static>>,
}

impl Route {
    pub(crate) fn of(config: &Config) -> Result<Self, Error> {
        let server = config.server();
        let bracketed = server.host_str().unwrap_or_default();
        let host = bracketed.trim_matches(['[', ']']);
        let is_ipv6 = host != bracketed;
        let authority = match server.port() {
            Some(port) => format!("{bracketed}:{port}"),
            None => bracketed.to_owned(),
        };
        let proxy = config.proxy()?.cloned();
        let wanted = config.tls_server_name().cloned();
        let name_of = |text: &str| ServerName::try_from(text.to_owned()).map_err(Error::setup);
        let is_secure = server.scheme() == "https";
        let with_stand_in = |name| (Some(STAND_IN.to_owned()), Some(name));
        let (alias, checked) = match (proxy.as_ref().map(|proxy| proxy.kind), wanted) {
            _ if !is_secure => (None, None),
            (Some(ProxyKind::Http | ProxyKind::Https), _) if is_ipv6 => {
                let message = format!(
                    "an https server with an IPv6 address ({bracketed}) cannot be reached through an HTTP proxy; give it a host name, or use a SOCKS5 proxy"
                );
                return Err(ConfigError::new(message).into());
            }
            (Some(ProxyKind::Http | ProxyKind::Https), checked) => (None, checked),
            (_, Some(ServerName::DnsName(name))) => (Some(name.as_ref().to_owned()), None),
            (_, Some(name)) => with_stand_in(name),
            (Some(ProxyKind::Socks5), None) if is_ipv6 => with_stand_in(name_of(host)?),
            (_, None) => (None, None),
        };
        let proxy_name = match &proxy {
            Some(proxy) if proxy.kind == ProxyKind::Https => {
                Some(name_of(proxy.host().trim_matches(['[', ']']))?)
            }
            _ => None,
        };
        // The verifier distinguishes the two connections by their names.
        let expects_more = config.pins_authority() || checked.is_some();
        if expects_more && is_secure && proxy_name == Some(name_of(host)?) {
            let message = format!(
                "the https proxy and the server have the same host ({bracketed}), so that the server's certificate authority \
                 and `tls-server-name` cannot be enforced; give one of them another host name, or use an http:// proxy"
            );
            return Err(ConfigError::new(message).into());
        }
        Ok(Self {
            proxy,
            host: host.to_owned(),
            authority: HeaderValue::try_from(authority).map_err(Error::setup)?,
            alias,
            checked,
            proxy_name,
        })
    }

    /// The expected names in the certificates of the server and of a proxy.
    pub(crate) fn name_check(&self) -> NameCheck<'_> {
        NameCheck {
            server: self.checked.as_ref(),
            sends_name: self.alias.as_deref() != Some(STAND_IN),
            http2: cfg!(feature = "http2") && self.alias.is_none(),
            proxy: self.proxy_name.as_ref(),
        }
    }

    /// The proxy for the HTTP library.
    pub(crate) fn proxy(&self) -> Result<Option<reqwest::Proxy>, Error> {
        let Some(proxy) = &self.proxy else {
            return Ok(None);
        };
        if cfg!(not(feature = "socks")) && proxy.kind == ProxyKind::Socks5 {
            let message = format!(
                "the proxy {} is a SOCKS proxy, which this program does not support; enable the feature `socks` of k8s-flowcontrol",
                proxy.url()
            );
            return Err(ConfigError::new(message).into());
        }
        // The library takes the credentials from the URL. A SOCKS proxy looks up names, like in Go, unless the name in the
        // URL is an alias.
        let mut url = proxy.with_credentials().expose().to_owned();
        if let Some((_, rest)) = url
            .split_once("://")
            .filter(|_| proxy.kind == ProxyKind::Socks5)
        {
            let scheme = if self.alias.is_some() {
                "socks5"
            } else {
                "socks5h"
            };
            url = format!("{scheme}://{rest}");
        }
        // The library's error may contain the URL with its password.
        let made = reqwest::Proxy::all(url)
            .map_err(|_| ConfigError::new(format!("the proxy {} cannot be used", proxy.url())))?;
        Ok(Some(made))
    }

    /// The alias in the URL, and its host.
    pub(crate) fn alias(&self) -> Option<(&str, &str)> {
        Some((self.alias.as_deref()?, &self.host))
    }

    /// Replaces the host of a request by the alias.
    pub(crate) fn set_alias(&self, request: &mut reqwest::Request) {
        if let Some(alias) = &self.alias {
            // A host name is valid in a URL.
            let _valid = request.url_mut().set_host(Some(alias));
            request.headers_mut().insert(HOST, self.authority.clone());
        }
    }

    /// The error of a request without a response.
    pub(crate) fn explain(&self, error: reqwest::Error) -> TransportError {
        let mut explained = TransportError::new(error);
        if let Some(proxy) = self.proxy.as_ref().filter(|_| explained.is.connect) {
            explained.source = Box::new(ConnectError::new(
                format!("connecting through the proxy {} failed", proxy.url()),
                explained.source,
            ));
        }
        explained
    }
}

/// The system's name resolution, except that `alias` resolves to the addresses of `host`.
pub(crate) struct Resolver {
    alias: String,
    host: String,
}

impl Resolver {
    pub(crate) fn new(alias: &str, host: &str) -> Self {
        Self {
            alias: alias.to_owned(),
            host: host.to_owned(),
        }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = match name.as_str().eq_ignore_ascii_case(&self.alias) {
            true => self.host.clone(),
            false => name.as_str().to_owned(),
        };
        Box::pin(async move {
            // The port comes from the URL.
            let found = tokio::net::lookup_host((host.as_str(), 0)).await;
            let addresses: Vec<_> = found?.collect();
            if addresses.is_empty() {
                return Err(io::Error::other(format!("`{host}` has no address")).into());
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}
