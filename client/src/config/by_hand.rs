//! A configuration put together or changed by the program.

use super::auth::Auth;
use super::proxy::Proxy;
use super::source::Source;
use super::{Config, ConfigError, ExecPlugin, Impersonation, ProxySetting, Secret};
use rustls::pki_types::ServerName;
use std::path::PathBuf;
use std::sync::Arc;

/// The credentials of one kind go in the place of those set before: a token, a token file, a user name with a
/// password, a plugin. A client certificate is sent beside them.
impl Config {
    /// Sends this bearer token.
    #[must_use]
    pub fn with_token(mut self, token: Secret) -> Self {
        self.auth = Auth::Token(token);
        self
    }

    /// Sends the bearer token of a file, read again for every request since such tokens rotate.
    #[must_use]
    pub fn with_token_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.auth = Auth::TokenFile(Source::file("token file", file), None);
        self
    }

    /// Sends a user name and a password.
    #[must_use]
    pub fn with_basic_auth(mut self, username: impl Into<String>, password: Secret) -> Self {
        self.auth = Auth::Basic(username.into(), password);
        self
    }

    /// Asks a plugin for a token or a client certificate.
    #[must_use]
    pub fn with_exec(mut self, plugin: ExecPlugin) -> Self {
        self.auth = Auth::Exec(Arc::new(plugin));
        self
    }

    /// Acts as somebody else.
    ///
    /// # Errors
    /// When the user is empty, or something cannot be sent in a header.
    pub fn with_impersonation(mut self, somebody: Impersonation) -> Result<Self, ConfigError> {
        self.impersonation = somebody.headers()?;
        Ok(self)
    }

    /// Trusts servers whose certificates these certificates (PEM) vouch for, and no others.
    ///
    /// Without it the operating system's certificates count. Takes back
    /// [`with_insecure_skip_tls_verify`](Self::with_insecure_skip_tls_verify).
    #[must_use]
    pub fn with_certificate_authority(self, pem: impl Into<Vec<u8>>) -> Self {
        self.trusting(Source::data("certificate authority", pem.into()))
    }

    /// The same from a file, which is read again when it changes.
    #[must_use]
    pub fn with_certificate_authority_file(self, file: impl Into<PathBuf>) -> Self {
        self.trusting(Source::file("certificate authority", file))
    }

    /// Presents a client certificate: the chain and its key (PKCS#1, PKCS#8 or SEC1), both PEM.
    #[must_use]
    pub fn with_client_certificate(mut self, chain: impl Into<Vec<u8>>, key: Secret) -> Self {
        let key = key.expose().as_bytes().to_vec();
        self.tls.client_certificate = Some((
            Source::data("client certificate", chain.into()),
            Source::data("client key", key),
        ));
        self
    }

    /// The same from files, which are read again when they change. New connections are made with the new
    /// certificate; the old ones are given up.
    #[must_use]
    pub fn with_client_certificate_files(
        mut self,
        chain: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Self {
        self.tls.client_certificate = Some((
            Source::file("client certificate", chain),
            Source::file("client key", key),
        ));
        self
    }

    /// Trusts any server, which lets anyone on the way read and change everything, credentials included. Takes
    /// back a certificate authority, as kubectl's option does.
    #[must_use]
    pub fn with_insecure_skip_tls_verify(mut self, skip: bool) -> Self {
        self.tls.insecure = skip;
        if skip {
            self.tls.certificate_authority = None;
        }
        self
    }

    /// Expects the server's certificate to be for this name, and asks for it in the handshake (SNI); the URL's host
    /// unless said otherwise. For a server that is reached through a tunnel or by an address.
    ///
    /// # Errors
    /// When it is neither a DNS name nor an IP address.
    pub fn with_tls_server_name(mut self, name: impl Into<String>) -> Result<Self, ConfigError> {
        let name = name.into();
        let expected = "expected a DNS name or an IP address";
        let parsed = ServerName::try_from(name.clone());
        let parsed = parsed
            .map_err(|_| ConfigError::new(format!("`{name}` is no server name; {expected}")))?;
        self.tls.server_name = Some(parsed);
        Ok(self)
    }

    /// Reaches the server through a proxy: `http://`, `https://` or `socks5://`, with a user name and password in the
    /// URL if it asks for them. The environment's `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` do not count then.
    ///
    /// # Errors
    /// When it is no such URL. The error does not show it.
    pub fn with_proxy(mut self, url: impl AsRef<str>) -> Result<Self, ConfigError> {
        self.proxy = ProxySetting::Explicit(Some(Proxy::parse(url.as_ref())?));
        Ok(self)
    }

    /// Reaches the server without a proxy, whatever the environment says.
    #[must_use]
    pub fn without_proxy(mut self) -> Self {
        self.proxy = ProxySetting::Explicit(None);
        self
    }

    /// The namespace that the configuration is for; the kinds of this group have none.
    #[must_use]
    pub fn with_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    fn trusting(mut self, authority: Source) -> Self {
        self.tls.certificate_authority = Some(authority);
        self.tls.insecure = false;
        self
    }
}
