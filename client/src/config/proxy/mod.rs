//! The proxy between the program and the server.

mod environment;
mod no_proxy;

pub(super) use environment::of_environment;

use super::{ConfigError, Secret};
use percent_encoding::percent_decode_str;
use std::fmt;
use url::Url;

/// The protocol of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyKind {
    /// CONNECT for `https` servers, complete requests for `http` servers.
    Http,
    /// Like `Http`, over TLS.
    Https,
    /// SOCKS 5; the proxy looks up names.
    Socks5,
}

/// The configured proxy.
#[derive(Clone)]
pub(super) enum ProxySetting {
    /// The environment's. An error in it is reported when the proxy is used.
    Environment(Result<Option<Proxy>, ConfigError>),
    Explicit(Option<Proxy>),
}

impl ProxySetting {
    pub(super) fn get(&self) -> Result<Option<&Proxy>, ConfigError> {
        match self {
            Self::Environment(Err(error)) => Err(error.clone()),
            Self::Environment(Ok(proxy)) | Self::Explicit(proxy) => Ok(proxy.as_ref()),
        }
    }

    /// The proxy, unless it is the environment's.
    pub(super) fn explicit(&self) -> Option<&Proxy> {
        match self {
            Self::Explicit(proxy) => proxy.as_ref(),
            Self::Environment(_) => None,
        }
    }
}

/// A proxy and its credentials.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Proxy {
    pub(crate) kind: ProxyKind,
    /// Without credentials and path.
    url: Url,
    pub(crate) credentials: Option<(String, Secret)>,
    /// The original text.
    text: Secret,
}

impl Proxy {
    /// Reads a proxy's URL. Errors do not quote it, because it may contain a password.
    pub(crate) fn parse(text: &str) -> Result<Self, ConfigError> {
        let expected = "expected http, https or socks5 and a host, such as http://10.0.0.1:3128";
        let mut url = Url::parse(text)
            .map_err(|error| ConfigError::new(format!("not a URL: {error}; {expected}")))?;
        let kind = match url.scheme() {
            "http" => ProxyKind::Http,
            "https" => ProxyKind::Https,
            // In Go, whose programs read the same kubeconfig files, the proxy looks up names with both.
            "socks5" | "socks5h" => ProxyKind::Socks5,
            scheme => {
                let found = format!("a proxy with the scheme `{scheme}` is not supported");
                return Err(ConfigError::new(format!("{found}; {expected}")));
            }
        };
        if url.host_str().is_none_or(str::is_empty) {
            return Err(ConfigError::new(format!("the host is missing; {expected}")));
        }
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let credentials = (!url.username().is_empty() || url.password().is_some()).then(|| {
            let password = decoded(url.password().unwrap_or_default());
            (decoded(url.username()), Secret::new(password))
        });
        // They fail only for URLs without a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_path("");
        url.set_query(None);
        url.set_fragment(None);
        Ok(Self {
            kind,
            url,
            credentials,
            text: Secret::new(text),
        })
    }

    /// The original URL, with credentials.
    pub(crate) fn with_credentials(&self) -> &Secret {
        &self.text
    }

    /// The URL without credentials.
    pub(crate) fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The host; an IPv6 address in brackets.
    pub(crate) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("url", &self.url.as_str())
            .field("credentials", &self.credentials.is_some())
            .finish()
    }
}
