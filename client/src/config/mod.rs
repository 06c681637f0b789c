//! Where the API server is and how to be let in.
//!
//! [`Config::try_default`] finds what the environment offers; the `with_…` methods change it or make one by hand.

mod auth;
mod error;
mod in_cluster;
mod kubeconfig;
mod requests;
mod secret;
mod yaml;

pub use error::ConfigError;
pub use secret::Secret;

use auth::Auth;
use http::HeaderValue;
use requests::Requests;
use std::fmt;
use std::path::{Path, PathBuf};
use url::Url;

/// The server's address, how it proves itself, and the credentials. Cheap to clone but for certificates.
///
/// Its `Debug` form shows no secret.
///
/// ```
/// use k8s_flowcontrol::config::{Config, Secret};
///
/// let config = Config::new("https://10.0.0.1:6443")?.with_token(Secret::new("very-secret"));
/// assert!(!format!("{config:?}").contains("very-secret"));
/// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Config {
    server: Url,
    namespace: String,
    tls: Tls,
    auth: Auth,
    requests: Requests,
}

/// How the two sides prove who they are.
#[derive(Clone, Default)]
pub(crate) struct Tls {
    /// PEM.
    pub(crate) certificate_authority: Option<Vec<u8>>,
    /// Certificate chain and key, both PEM.
    pub(crate) client_certificate: Option<(Vec<u8>, Secret)>,
    pub(crate) insecure: bool,
}

impl Config {
    /// A server without credentials.
    ///
    /// # Errors
    /// When `server` is no `http` or `https` URL with a host, or has a user name or password in it.
    pub fn new(server: impl AsRef<str>) -> Result<Self, ConfigError> {
        Ok(Self {
            server: server_url(server.as_ref())?,
            namespace: "default".to_owned(),
            tls: Tls::default(),
            auth: Auth::None,
            requests: Requests::default(),
        })
    }

    /// What the environment names: the kubeconfig files of `KUBECONFIG`, else `~/.kube/config`, else the service
    /// account of the pod that the program runs in.
    ///
    /// # Errors
    /// When none of them is there, or one cannot be used.
    pub fn try_default() -> Result<Self, ConfigError> {
        if let Some(files) = kubeconfig::files_of_environment() {
            return kubeconfig::load(&files, None);
        }
        if in_cluster::is_inside() {
            return Self::in_cluster();
        }
        Err(ConfigError::new(
            "no configuration found: KUBECONFIG is not set, there is no ~/.kube/config, and the program runs in no \
             pod; set KUBECONFIG, or name a server with Client::from_url",
        ))
    }

    /// The current context of a kubeconfig file.
    ///
    /// # Errors
    /// When the file cannot be read or used; the error names the file, the context and the field.
    pub fn from_kubeconfig(file: impl AsRef<Path>) -> Result<Self, ConfigError> {
        kubeconfig::load(&[file.as_ref().to_owned()], None)
    }

    /// A named context of a kubeconfig file.
    ///
    /// # Errors
    /// As [`from_kubeconfig`](Self::from_kubeconfig), and when there is no such context.
    pub fn from_kubeconfig_context(
        file: impl AsRef<Path>,
        context: &str,
    ) -> Result<Self, ConfigError> {
        kubeconfig::load(&[file.as_ref().to_owned()], Some(context))
    }

    /// The current context of kubeconfig text; relative paths in it start at the working directory.
    ///
    /// # Errors
    /// As [`from_kubeconfig`](Self::from_kubeconfig).
    pub fn from_kubeconfig_text(text: &str) -> Result<Self, ConfigError> {
        kubeconfig::from_text(text)
    }

    /// The service account of the pod that the program runs in.
    ///
    /// # Errors
    /// When the program runs in no pod, or the files of the service account are missing.
    pub fn in_cluster() -> Result<Self, ConfigError> {
        in_cluster::load()
    }

    /// Sends this bearer token.
    #[must_use]
    pub fn with_token(mut self, token: Secret) -> Self {
        self.auth = Auth::Token(token);
        self
    }

    /// Sends the bearer token of a file, read again for every request since such tokens rotate.
    #[must_use]
    pub fn with_token_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.auth = Auth::TokenFile(file.into());
        self
    }

    /// Sends a user name and a password.
    #[must_use]
    pub fn with_basic_auth(mut self, username: impl Into<String>, password: Secret) -> Self {
        self.auth = Auth::Basic(username.into(), password);
        self
    }

    /// Trusts servers whose certificates these certificates (PEM) vouch for, and no others.
    ///
    /// Without it the operating system's certificates count.
    #[must_use]
    pub fn with_certificate_authority(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.tls.certificate_authority = Some(pem.into());
        self
    }

    /// Presents a client certificate: the chain and its key, both PEM.
    #[must_use]
    pub fn with_client_certificate(mut self, chain: impl Into<Vec<u8>>, key: Secret) -> Self {
        self.tls.client_certificate = Some((chain.into(), key));
        self
    }

    /// Trusts any server, which lets anyone on the way read and change everything, credentials included.
    #[must_use]
    pub fn with_insecure_skip_tls_verify(mut self, skip: bool) -> Self {
        self.tls.insecure = skip;
        self
    }

    /// The namespace that the configuration is for; the kinds of this group have none.
    #[must_use]
    pub fn with_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// The server's address.
    pub fn server_url(&self) -> &str {
        self.server.as_str()
    }

    /// The namespace that the configuration is for.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    pub(crate) fn server(&self) -> &Url {
        &self.server
    }

    pub(crate) fn tls(&self) -> &Tls {
        &self.tls
    }

    /// The `Authorization` header for the next request.
    pub(crate) fn authorization(&self) -> Result<Option<HeaderValue>, ConfigError> {
        self.auth.header()
    }
}

/// Reads a server's address. An address with credentials in it is refused: it would end up in logs.
fn server_url(text: &str) -> Result<Url, ConfigError> {
    let expected = "expected a URL such as https://10.0.0.1:6443";
    let url = Url::parse(text)
        .map_err(|error| ConfigError::new(format!("the server is no URL: {error}; {expected}")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ConfigError::new(
            "the server's URL has a user name or password in it; put it into the credentials",
        ));
    }
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(ConfigError::new(format!(
            "the server is `{url}`; {expected}"
        )));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(ConfigError::new(format!(
            "the server's URL has a query or fragment; {expected}"
        )));
    }
    Ok(url)
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("server", &self.server.as_str())
            .field("namespace", &self.namespace)
            .field(
                "certificate_authority",
                &self.tls.certificate_authority.is_some(),
            )
            .field("client_certificate", &self.tls.client_certificate.is_some())
            .field("insecure_skip_tls_verify", &self.tls.insecure)
            .field("auth", &self.auth)
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers() {
        assert!(Config::new("http://127.0.0.1:8080").is_ok());
        assert!(Config::new("https://[::1]:6443/prefix/").is_ok());
        for bad in [
            "",
            "127.0.0.1:8080",
            "ftp://a",
            "unix:/x",
            "http://a?b",
            "http://a#b",
        ] {
            assert!(Config::new(bad).is_err(), "{bad}");
        }
        let error = Config::new("http://me:planted-secret@host").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("planted-secret"));
    }

    #[test]
    fn no_secret_is_shown() {
        let base = Config::new("https://host").unwrap();
        let planted = || Secret::new("planted-secret");
        for config in [
            base.clone().with_token(planted()),
            base.clone().with_basic_auth("me", planted()),
            base.clone().with_client_certificate("chain", planted()),
        ] {
            let shown = format!("{config:?} {config:#?} {:?}", config.authorization());
            assert!(!shown.contains("planted-secret"), "{shown}");
        }
        let error = base
            .with_token(Secret::new("planted-secret\n\u{1}x"))
            .authorization()
            .unwrap_err();
        assert!(!format!("{error} {error:?}").contains("planted-secret"));
    }
}
