//! The server's address and the credentials.
//!
//! [`Config::try_default`] loads the configuration that kubectl would use, [`Config::builder`] a certain file, text,
//! context, cluster, user or service account. [`Config::new`] makes one for a server. The `with_…` methods change each.
//!
//! # Sources
//!
//! 1. The files listed in `KUBECONFIG`, merged as kubectl merges them: of several clusters, users or contexts with the
//!    same name the first one is used, and so is the first `current-context`. Missing files are skipped. Relative paths
//!    start at the folder of the file that contains them.
//! 2. Without `KUBECONFIG`, `~/.kube/config`.
//! 3. Without either, or if no file of `KUBECONFIG` exists, the service account of the pod that the program runs in.
//!
//! Unknown fields are ignored, and of a repeated key the last value is used, as in kubectl. Errors name the file, the
//! context and the field, and do not contain secrets. Faults that do not fail a request are warnings of `tracing` with
//! the target `k8s_flowcontrol::config`.
//!
//! # Supported fields
//!
//! | kubeconfig | method | |
//! |---|---|---|
//! | `server` | [`Config::new`] | `http` or `https`, optionally with a path; IPv6 in brackets; see below for servers without a scheme |
//! | `certificate-authority-data`, `certificate-authority` | [`with_certificate_authority`](Config::with_certificate_authority) | data takes precedence over the file; defaults to the operating system's authorities; see below for Go's rules |
//! | `tls-server-name` | [`with_tls_server_name`](Config::with_tls_server_name) | sent in the handshake (SNI) and verified; requests use HTTP/1.1 and name the server of the URL |
//! | `insecure-skip-tls-verify` | [`with_insecure_skip_tls_verify`](Config::with_insecure_skip_tls_verify) | an error together with an authority |
//! | `proxy-url` | [`with_proxy`](Config::with_proxy) | `http`, `https` or `socks5`; takes precedence over the environment |
//! | `disable-compression` | [`with_compression`](Config::with_compression) | |
//! | `client-certificate-data`, `client-certificate`, `client-key-data`, `client-key` | [`with_client_certificate`](Config::with_client_certificate) | data takes precedence over the file; PKCS#1, PKCS#8 and SEC1 keys; chains; a key without a certificate is ignored |
//! | `token`, `tokenFile` | [`with_token`](Config::with_token), [`with_token_file`](Config::with_token_file) | the file takes precedence; the token is used until the file has contained one |
//! | `username`, `password` | [`with_basic_auth`](Config::with_basic_auth) | an error together with a token |
//! | `exec` | [`with_exec`](Config::with_exec) | v1 and v1beta1; used only for users without other credentials, like kubectl |
//! | `as`, `as-uid`, `as-groups`, `as-user-extra` | [`with_impersonation`](Config::with_impersonation) | |
//! | `namespace` | [`with_namespace`](Config::with_namespace) | |
//! | `auth-provider` | | an error: Kubernetes 1.26 removed `gcp` and `azure`, and for `oidc` there are exec plugins such as kubelogin |
//!
//! A `server` without a scheme, such as `10.0.0.1:6443`, gets `https` if the cluster has an authority or skips the
//! verification, or the user has a client certificate. Otherwise it gets `http`. Without `server`, the server is that of
//! the variable `KUBERNETES_MASTER`, or `http://localhost:8080`.
//!
//! # Differences from kubectl
//!
//! | | here | kubectl |
//! |---|---|---|
//! | no current context, or it names a missing cluster or user | error | `http://localhost:8080`, or no credentials |
//! | `server` without a scheme | see above | `http` without credentials, even with an authority |
//! | a query, fragment, user name or password in `server` | error | the query and the fragment are ignored |
//! | a certificate, key or authority as data and as a file | data | error |
//! | a wrong field of an entry that is not used | ignored | error |
//! | impersonation with credentials on a server without TLS | error | the request is sent without the credentials |
//!
//! # Servers without TLS
//!
//! Like kubectl, the client does not send tokens or passwords to an `http` server and does not run plugins for it, even on
//! this host. The client reports that as a warning. Requests that need credentials fail: requests that impersonate a user
//! with credentials, and requests to which a hook or layer adds the header `Authorization`. An impersonated user without
//! credentials is sent, for instance to `kubectl proxy`.
//!
//! Certificate authorities follow Go's rules. Certificates of a bundle that cannot be read are skipped with a warning; a
//! bundle without any other is an error. A server's certificate that is itself in the bundle is accepted whether or not it
//! is an authority; its names, dates and purpose are verified.
//!
//! # Rotation
//!
//! Before every request, tokens, certificates, keys and authorities in files are read again if they have changed: if another
//! file is at the path, or if its length or a time differs. Since file systems round times, a file that changed in the last
//! two seconds is read in any case. A separate thread reads the files, so that a slow disk does not delay other tasks. A
//! file may have 4 MiB, and a kubeconfig 64 MiB. After a change of a certificate, key or authority, new connections are
//! made with it. While a file is missing, empty or incomplete, for instance halfway through a rotation, the last valid
//! token or certificate stays in use, with a warning. After a 401 the files are read again, or the exec plugin runs again,
//! and the request is sent once more.
//!
//! An exec plugin renews its credential in the background before the expiry, see [`ExecPlugin`].
//!
//! # Proxies
//!
//! Without `proxy-url` the environment decides, by kubectl's rules: `HTTPS_PROXY` (or `https_proxy`) is used for `https`
//! servers, `HTTP_PROXY` (or `http_proxy`) for `http` servers, and no proxy for `localhost`, loopback addresses and the
//! entries of `NO_PROXY` (or `no_proxy`). That is a comma-separated list of names (`example.com` includes its subdomains,
//! `.example.com` matches only them), addresses, networks such as `10.0.0.0/8`, or `*`. Names and addresses may have a
//! port. The variables are read when the configuration is made. A SOCKS proxy looks up names itself.
//!
//! An HTTP proxy has two limits: an `https` server with an IPv6 address is an error, and a `tls-server-name` is verified but
//! not sent. SOCKS has neither limit. With a `tls-server-name` the client looks up the server's name instead of the proxy.
//!
//! The certificate of an `https` proxy may be signed by the operating system's authorities or the configured one, the
//! server's only by the configured one. An `https` proxy with the server's own host is an error if there is a configured
//! authority or a `tls-server-name`, because the verification distinguishes the two by their
//! names.

pub(crate) mod auth;
mod builder;
mod endpoint;
mod error;
mod in_cluster;
mod kubeconfig;
mod proxy;
mod requests;
mod retry;
mod server;

pub use auth::exec::{ExecPlugin, ExecVersion, InteractiveMode};
pub use auth::impersonation::Impersonation;
pub use auth::secret::Secret;
pub use auth::token_source::{BearerToken, TokenFuture, TokenSource};
pub use builder::ConfigBuilder;
pub use error::ConfigError;
pub(crate) use retry::RetryLimit;
pub use retry::RetryPolicy;

pub(crate) use auth::Auth;
pub(crate) use auth::certificates::{Certificates, Pem};
pub(crate) use auth::exec::{ExecCredential, Provider, SharedPlugin};
pub(crate) use auth::plain_http::check_tls;
pub(crate) use auth::secret::bearer;
pub(crate) use auth::token_file::TokenFile;
pub(crate) use proxy::{Proxy, ProxyKind};
pub(crate) use retry::{Backoff, random_fraction};

/// Reports a fault that does not fail a request, as a warning of `tracing`.
pub(crate) fn notice(fault: &impl fmt::Display) {
    tracing::warn!(target: "k8s_flowcontrol::config", "{fault}");
}

use auth::source::Source;
use http::{HeaderMap, HeaderValue};
use proxy::ProxySetting;
use requests::Requests;
use rustls::pki_types::ServerName;
use std::fmt;
use url::Url;

/// The server's address, its certificate authority, the credentials, and settings for requests.
///
/// Its `Debug` form does not show secrets. See the [module](self) for the sources and the supported fields.
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
    /// The original text, for plugins.
    server_text: String,
    namespace: String,
    tls: Tls,
    auth: Auth,
    /// The headers of impersonation.
    impersonation: HeaderMap,
    proxy: ProxySetting,
    requests: Requests,
}

/// The certificates of both sides.
#[derive(Clone, Default)]
struct Tls {
    certificate_authority: Option<Source>,
    /// The chain and its key.
    client_certificate: Option<(Source, Source)>,
    insecure: bool,
    server_name: Option<ServerName<'static>>,
}

impl Config {
    /// A configuration for a server, without credentials, with the environment's proxy.
    ///
    /// # Errors
    /// If `server` is not an `http` or `https` URL with a host, or contains a user name or password.
    pub fn new(server: impl AsRef<str>) -> Result<Self, ConfigError> {
        let server_text = server.as_ref().to_owned();
        let server = server::parse(&server_text)?;
        let proxy = proxy::of_environment(&server, |name| std::env::var(name).ok());
        Ok(Self {
            server,
            server_text,
            namespace: "default".to_owned(),
            tls: Tls::default(),
            auth: Auth::None,
            impersonation: HeaderMap::new(),
            proxy: ProxySetting::Environment(proxy),
            requests: Requests::default(),
        })
    }

    /// The same configuration for a server with another address.
    fn at_server(self, server: &str) -> Result<Self, ConfigError> {
        let Self {
            server,
            server_text,
            proxy,
            ..
        } = Self::new(server)?;
        let proxy = match self.proxy {
            ProxySetting::Environment(_) => proxy,
            explicit => explicit,
        };
        Ok(Self {
            server,
            server_text,
            proxy,
            ..self
        })
    }

    /// The server's address.
    pub fn server_url(&self) -> &str {
        self.server.as_str()
    }

    /// The namespace of the context. Defaults to `default`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The URL of the proxy, without its credentials; `None` without a proxy.
    pub fn proxy_url(&self) -> Option<&str> {
        self.proxy().ok().flatten().map(Proxy::url)
    }

    pub(crate) fn server(&self) -> &Url {
        &self.server
    }

    pub(crate) fn auth(&self) -> &Auth {
        &self.auth
    }

    pub(crate) fn skips_tls_verify(&self) -> bool {
        self.tls.insecure
    }

    /// Whether only the configured authorities are trusted.
    pub(crate) fn pins_authority(&self) -> bool {
        self.tls.certificate_authority.is_some()
    }

    pub(crate) fn tls_server_name(&self) -> Option<&ServerName<'static>> {
        self.tls.server_name.as_ref()
    }

    pub(crate) fn proxy(&self) -> Result<Option<&Proxy>, ConfigError> {
        self.proxy.get()
    }

    /// Whether credentials or certificates are in files.
    pub(crate) fn has_files(&self) -> bool {
        let Tls {
            certificate_authority,
            client_certificate,
            ..
        } = &self.tls;
        let client = client_certificate
            .iter()
            .flat_map(|(chain, key)| [chain, key]);
        matches!(self.auth, Auth::TokenFile(_))
            || client.chain(certificate_authority).any(Source::is_file)
    }

    /// The impersonation headers.
    pub(crate) fn impersonation(&self) -> &HeaderMap {
        &self.impersonation
    }

    /// The header with the token of the token file, if there is one. Waits for the disk.
    pub(crate) fn read_token_file(&self) -> Option<Result<HeaderValue, ConfigError>> {
        match &self.auth {
            Auth::TokenFile(file) => Some(file.read()),
            _ => None,
        }
    }

    /// The `Authorization` header for the next request, unless it comes from a plugin.
    pub(crate) fn authorization(
        &self,
        token_file: Option<Result<HeaderValue, ConfigError>>,
    ) -> Result<Option<HeaderValue>, ConfigError> {
        match (&self.auth, token_file) {
            (Auth::TokenFile(file), Some(read)) => file.header(read).map(Some),
            (auth, _) => auth.header(),
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let impersonated = self.impersonation.get("impersonate-user");
        f.debug_struct("Config")
            .field("server", &self.server.as_str())
            .field("namespace", &self.namespace)
            .field("certificate_authority", &self.tls.certificate_authority)
            .field("client_certificate", &self.tls.client_certificate)
            .field("insecure_skip_tls_verify", &self.tls.insecure)
            .field("tls_server_name", &self.tls.server_name)
            .field("auth", &self.auth)
            .field("impersonation", &impersonated)
            .field("proxy", &self.proxy())
            .field("requests", &self.requests)
            .finish()
    }
}
