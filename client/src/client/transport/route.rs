//! Which way requests take, and under which names: proxies and `tls-server-name`.
//!
//! The HTTP library knows one name only, the host of the URL: it is connected to, asked for in the handshake (SNI) and
//! checked. Where the name that is to be checked is another one, that name is put into the URL and looked up as the host
//! ([`Resolver`](super::resolver::Resolver)). A proxy for HTTP is told the URL's host, so behind one the host has to stay in
//! the URL, and the other name is only checked.

use super::error::{ConnectError, TransportError};
use crate::client::error::Error;
use crate::client::tls::NameCheck;
use crate::config::{Config, ConfigError, Proxy, ProxyKind};
use http::HeaderValue;
use http::header::HOST;
use rustls::pki_types::ServerName;

/// Stands in the URL for a host that cannot stand there itself. Nobody has this name (RFC 6761).
const STAND_IN: &str = "kubernetes.invalid";

/// The way of the requests of one client.
pub(super) struct Route {
    proxy: Option<Proxy>,
    /// The host of the configuration, an IPv6 address without brackets.
    host: String,
    /// The authority of the configuration, for the header `Host`.
    authority: HeaderValue,
    /// What stands in the URL in the place of the host.
    alias: Option<String>,
    /// What is checked in the place of the URL's host.
    checked: Option<ServerName<'static>>,
}

impl Route {
    pub(super) fn of(config: &Config) -> Result<Self, Error> {
        let server = config.server();
        let bracketed = server.host_str().unwrap_or_default();
        let host = bracketed.trim_start_matches('[').trim_end_matches(']');
        let is_ipv6 = host != bracketed;
        let authority = match server.port() {
            Some(port) => format!("{bracketed}:{port}"),
            None => bracketed.to_owned(),
        };
        let proxy = config.proxy()?.cloned();
        let wanted = config.tls_server_name().cloned();
        let name_of = |text: &str| ServerName::try_from(text.to_owned()).map_err(Error::setup);
        let is_secure = server.scheme() == "https";
        let by_address = |name| (Some(STAND_IN.to_owned()), Some(name));
        let (alias, checked) = match (proxy.as_ref().map(|proxy| proxy.kind), wanted) {
            _ if !is_secure => (None, None),
            (Some(ProxyKind::Http | ProxyKind::Https), _) if is_ipv6 => {
                let message = format!(
                    "a secure server with an IPv6 address ({bracketed}) cannot be reached through an HTTP proxy; give it a name, or use a SOCKS5 proxy"
                );
                return Err(ConfigError::new(message).into());
            }
            (Some(ProxyKind::Http | ProxyKind::Https), checked) => (None, checked),
            (_, Some(ServerName::DnsName(name))) => (Some(name.as_ref().to_owned()), None),
            (_, Some(name)) => by_address(name),
            (Some(ProxyKind::Socks5), None) if is_ipv6 => by_address(name_of(host)?),
            (_, None) => (None, None),
        };
        Ok(Self {
            proxy,
            host: host.to_owned(),
            authority: HeaderValue::try_from(authority).map_err(Error::setup)?,
            alias,
            checked,
        })
    }

    /// What the certificates of the server and of a proxy are to be made out to.
    pub(super) fn name_check(&self) -> NameCheck<'_> {
        NameCheck {
            server: self.checked.as_ref(),
            asks_for_name: self.alias.as_deref() != Some(STAND_IN),
            proxy: self.proxy.as_ref(),
        }
    }

    /// The proxy, as the HTTP library takes it.
    pub(super) fn proxy(&self) -> Result<Option<reqwest::Proxy>, Error> {
        let Some(proxy) = &self.proxy else {
            return Ok(None);
        };
        // The library reads credentials out of the URL. A SOCKS proxy looks up names, as for Go, unless the name in the
        // URL is one that stands for another.
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
        // The library's error may show the URL, and with it a password.
        let made = reqwest::Proxy::all(url)
            .map_err(|_| ConfigError::new(format!("the proxy {} cannot be used", proxy.url())))?;
        Ok(Some(made))
    }

    /// The name that stands in the URL, and the host that it stands for.
    pub(super) fn alias(&self) -> Option<(&str, &str)> {
        Some((self.alias.as_deref()?, &self.host))
    }

    /// Sends a request this way.
    pub(super) fn direct(&self, request: &mut reqwest::Request) {
        if let Some(alias) = &self.alias {
            // It is a host name, so that a URL takes it.
            let _taken = request.url_mut().set_host(Some(alias));
            request.headers_mut().insert(HOST, self.authority.clone());
        }
    }

    /// The error of a request for which no answer began.
    pub(super) fn explain(&self, error: reqwest::Error) -> TransportError {
        let mut explained = TransportError::before_answer_began(error);
        if let Some(proxy) = self.proxy.as_ref().filter(|_| explained.connect) {
            explained.source = Box::new(ConnectError::new(
                format!("no way through the proxy {}", proxy.url()),
                explained.source,
            ));
        }
        explained
    }
}
