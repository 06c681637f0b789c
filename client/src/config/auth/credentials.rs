//! The setters for credentials, TLS and proxies.

use super::Auth;
use super::source::Source;
use super::token_source::{OwnTokens, TokenSource};
use crate::config::proxy::{Proxy, ProxySetting};
use crate::config::{Config, ConfigError, ExecPlugin, Impersonation, Secret, TokenFile};
use rustls::pki_types::ServerName;
use std::path::PathBuf;
use std::sync::Arc;

/// # Credentials
///
/// A token, a token file, a user name with a password, an exec plugin and a token source replace each other. A client certificate is used
/// in addition. They are sent over TLS only, see the [module](crate::config#servers-without-tls).
impl Config {
    /// Authenticates with a bearer token.
    #[must_use]
    pub fn with_token(mut self, token: Secret) -> Self {
        self.auth = Auth::Token(token);
        self
    }

    /// Authenticates with the bearer token in a file. The file is read again when it changes, because such tokens rotate.
    ///
    /// While the file is missing, empty or invalid, for instance halfway through a rotation, the last valid token stays in
    /// use. Requests fail if there never was one.
    #[must_use]
    pub fn with_token_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.auth = Auth::TokenFile(TokenFile::new(Source::file("token file", file), None));
        self
    }

    /// Authenticates with a user name and a password.
    #[must_use]
    pub fn with_basic_auth(mut self, username: impl Into<String>, password: Secret) -> Self {
        self.auth = Auth::Basic(username.into(), password);
        self
    }

    /// Authenticates with the token or client certificate of an exec credential plugin.
    #[must_use]
    pub fn with_exec(mut self, plugin: ExecPlugin) -> Self {
        self.auth = Auth::Exec(Arc::new(plugin));
        self
    }

    /// Authenticates with tokens that code of the program obtains, such as the library of a cloud.
    ///
    /// The [token source](crate::config::TokenSource) is called again before a token expires, and after the server rejected it.
    /// A kubeconfig cannot express it: [`to_kubeconfig`](Self::to_kubeconfig) leaves it out.
    ///
    /// ```
    /// use k8s_flowcontrol::config::{BearerToken, Config, Secret};
    /// use std::time::{Duration, SystemTime};
    ///
    /// let config = Config::new("https://10.0.0.1:6443")?.with_token_source(|| async {
    ///     let token = Secret::new("from the library of a cloud");
    ///     let expires = SystemTime::now() + Duration::from_secs(900);
    ///     Ok::<_, std::io::Error>(BearerToken::new(token).with_expiry(expires))
    /// });
    /// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn with_token_source(mut self, source: impl TokenSource) -> Self {
        self.auth = Auth::Own(OwnTokens::new(source));
        self
    }

    /// Whether the tokens come from a [token source](Self::with_token_source), which no kubeconfig and no other library has.
    pub fn has_token_source(&self) -> bool {
        matches!(self.auth, Auth::Own(_))
    }

    /// Authenticates with a client certificate: the chain and its key (PKCS#1, PKCS#8 or SEC1), both PEM.
    #[must_use]
    pub fn with_client_certificate(mut self, chain: impl Into<Vec<u8>>, key: Secret) -> Self {
        let key = key.expose().as_bytes().to_vec();
        self.tls.client_certificate = Some((
            Source::data("client certificate", chain.into()),
            Source::data("client key", key),
        ));
        self
    }

    /// Authenticates with a client certificate in files.
    ///
    /// The files are read again when they change. New connections then use the new certificate, and the old ones are
    /// closed.
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

    /// Impersonates another user.
    ///
    /// # Errors
    /// If the user name is empty, or a value is not valid in a header.
    pub fn with_impersonation(mut self, user: Impersonation) -> Result<Self, ConfigError> {
        self.impersonation = user.headers()?;
        Ok(self)
    }
}

/// # TLS and proxies
impl Config {
    /// Trusts only servers whose certificates are signed by these authorities (PEM), or are themselves in the list.
    ///
    /// Certificates that cannot be read are skipped with a warning of `tracing`, unless there is no other.
    /// Defaults to the operating system's authorities. Undoes
    /// [`with_insecure_skip_tls_verify`](Self::with_insecure_skip_tls_verify).
    #[must_use]
    pub fn with_certificate_authority(self, pem: impl Into<Vec<u8>>) -> Self {
        self.trusting(Source::data("certificate authority", pem.into()))
    }

    /// As [`with_certificate_authority`](Self::with_certificate_authority), from a file that is read again when it
    /// changes.
    #[must_use]
    pub fn with_certificate_authority_file(self, file: impl Into<PathBuf>) -> Self {
        self.trusting(Source::file("certificate authority", file))
    }

    /// Trusts any server. Anyone on the network path can then read and change all traffic, including credentials.
    ///
    /// Removes a certificate authority, like kubectl's option.
    #[must_use]
    pub fn with_insecure_skip_tls_verify(mut self, skip: bool) -> Self {
        self.tls.insecure = skip;
        if skip {
            self.tls.certificate_authority = None;
        }
        self
    }

    /// The name in the server's certificate, for a server behind a tunnel or addressed by IP. It is sent in the handshake
    /// (SNI) and verified. Defaults to the host of the URL.
    ///
    /// Requests still name the host of the URL. Therefore they use HTTP/1.1: the HTTP library sends the same name in the
    /// handshake and in HTTP/2 requests. Behind an HTTP proxy the name is verified, but not sent.
    ///
    /// # Errors
    /// If `name` is neither a DNS name nor an IP address.
    pub fn with_tls_server_name(mut self, name: impl Into<String>) -> Result<Self, ConfigError> {
        let name = name.into();
        let parsed = ServerName::try_from(name.clone()).map_err(|_| {
            let expected = "expected a DNS name or an IP address";
            ConfigError::new(format!("`{name}` is not a server name; {expected}"))
        })?;
        self.tls.server_name = Some(parsed);
        Ok(self)
    }

    /// Connects through a proxy: an `http://`, `https://` or `socks5://` URL, optionally with user name and password.
    ///
    /// Overrides `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the environment.
    ///
    /// # Errors
    /// If `url` is not such a URL. The error does not show it.
    pub fn with_proxy(mut self, url: impl AsRef<str>) -> Result<Self, ConfigError> {
        self.proxy = ProxySetting::Explicit(Some(Proxy::parse(url.as_ref())?));
        Ok(self)
    }

    /// Connects without a proxy, ignoring the environment.
    #[must_use]
    pub fn without_proxy(mut self) -> Self {
        self.proxy = ProxySetting::Explicit(None);
        self
    }

    /// The namespace of the configuration. The kinds of this group are cluster-scoped and do not use it.
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
