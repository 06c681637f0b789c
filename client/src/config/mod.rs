//! Where the API server is and how to be let in.
//!
//! [`Config::try_default`] finds what the environment offers; the `with_…` methods change it or make one by hand.
//!
//! # Where a configuration comes from
//!
//! 1. The files of `KUBECONFIG`, a list as `PATH` is. They are merged as kubectl merges them: of the clusters, users
//!    and contexts of one name the first one counts, whole; so does the first `current-context`. A file that is not
//!    there is skipped. Relative paths start at the folder of the file that they stand in.
//! 2. Without `KUBECONFIG`, `~/.kube/config`.
//! 3. Without either, or when none of the files of `KUBECONFIG` is there, the service account of the pod that the
//!    program runs in.
//!
//! Unknown members are ignored. Errors name the file, the context and the field, and show no secret.
//!
//! # What is understood
//!
//! | in a kubeconfig | by hand | |
//! |---|---|---|
//! | `server` | [`Config::new`] | `http` or `https`, with a path if need be, IPv6 in brackets |
//! | `certificate-authority-data`, `certificate-authority` | [`with_certificate_authority`](Config::with_certificate_authority) | data before file; without either the operating system's authorities |
//! | `tls-server-name` | [`with_tls_server_name`](Config::with_tls_server_name) | asked for (SNI) and checked |
//! | `insecure-skip-tls-verify` | [`with_insecure_skip_tls_verify`](Config::with_insecure_skip_tls_verify) | refused together with an authority |
//! | `proxy-url` | [`with_proxy`](Config::with_proxy) | `http`, `https`, `socks5`; before the environment's |
//! | `disable-compression` | [`with_compression`](Config::with_compression) | |
//! | `client-certificate-data`, `client-certificate`, `client-key-data`, `client-key` | [`with_client_certificate`](Config::with_client_certificate) | data before file; PKCS#1, PKCS#8, SEC1 keys; chains |
//! | `token`, `tokenFile` | [`with_token`](Config::with_token), [`with_token_file`](Config::with_token_file) | file before token, which stands in when the file cannot be read |
//! | `username`, `password` | [`with_basic_auth`](Config::with_basic_auth) | refused together with a token |
//! | `exec` | [`with_exec`](Config::with_exec) | v1 and v1beta1; run only for users without any of the above, as kubectl does |
//! | `as`, `as-uid`, `as-groups`, `as-user-extra` | [`with_impersonation`](Config::with_impersonation) | |
//! | `namespace` | [`with_namespace`](Config::with_namespace) | |
//! | `auth-provider` | | refused: it was removed from Kubernetes |
//!
//! # What changes while the program runs
//!
//! Files of tokens, certificates, keys and authorities are read again for every request. When a certificate, key or
//! authority has changed, connections are made anew; one that does not read, as halfway through a rotation, is
//! passed over as long as the one before works. A 401 is answered by reading the files again, or running the plugin
//! again, and by one more try.
//!
//! # Proxies
//!
//! Without `proxy-url` the environment counts, by the rules that kubectl follows: `HTTPS_PROXY` (or `https_proxy`) for
//! `https` servers, `HTTP_PROXY` (or `http_proxy`) for `http` ones, and never for `localhost`, loopback addresses and
//! what `NO_PROXY` (or `no_proxy`) excludes: a list with commas of names (`example.com` with all below it,
//! `.example.com` only those), addresses, networks such as `10.0.0.0/8`, each but networks with a port if need be, or
//! `*`. It is read when the configuration is made. A SOCKS proxy looks up names itself.
//!
//! Two things do not go together with a proxy for HTTP: a secure server that is named by an IPv6 address, which is an
//! error, and asking for a `tls-server-name`, which is only checked then. SOCKS has neither limit; with a
//! `tls-server-name` the server's own name is looked up here, and not by the SOCKS proxy.

mod auth;
mod backoff;
mod by_hand;
mod error;
mod exec;
mod impersonation;
mod in_cluster;
mod kubeconfig;
mod material;
mod proxy;
mod requests;
mod retry;
mod secret;
mod source;
mod yaml;

pub use error::ConfigError;
pub use exec::{ExecPlugin, ExecVersion, InteractiveMode};
pub use impersonation::Impersonation;
pub use retry::RetryPolicy;
pub use secret::Secret;

pub(crate) use auth::{Auth, bearer};
pub(crate) use backoff::{Backoff, random_fraction};
pub(crate) use exec::{ExecCredential, SharedPlugin};
pub(crate) use material::{Material, Pem};
pub(crate) use proxy::{Proxy, ProxyKind};

use http::{HeaderMap, HeaderValue};
use requests::Requests;
use rustls::pki_types::ServerName;
use source::Source;
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
    /// As it was given, for plugins.
    server_text: String,
    namespace: String,
    tls: Tls,
    auth: Auth,
    /// The headers of impersonation.
    impersonation: HeaderMap,
    proxy: ProxySetting,
    requests: Requests,
}

/// How the two sides prove who they are.
#[derive(Clone, Default)]
struct Tls {
    certificate_authority: Option<Source>,
    /// The chain and its key.
    client_certificate: Option<(Source, Source)>,
    insecure: bool,
    server_name: Option<ServerName<'static>>,
}

/// Which proxy there is.
#[derive(Clone)]
enum ProxySetting {
    /// What the environment said; a fault in it matters only if nothing else is set.
    Environment(Result<Option<Proxy>, ConfigError>),
    Explicit(Option<Proxy>),
}

impl Config {
    /// A server without credentials, reached through the proxy that the environment names, if any.
    ///
    /// # Errors
    /// When `server` is no `http` or `https` URL with a host, or has a user name or password in it.
    pub fn new(server: impl AsRef<str>) -> Result<Self, ConfigError> {
        let server_text = server.as_ref().to_owned();
        let server = server_url(&server_text)?;
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

    /// What the environment names: the kubeconfig files of `KUBECONFIG`, else `~/.kube/config`, else the service
    /// account of the pod that the program runs in.
    ///
    /// # Errors
    /// When none of them is there, or one cannot be used.
    pub fn try_default() -> Result<Self, ConfigError> {
        let files = kubeconfig::files_of_environment();
        let is_there = |files: &[PathBuf]| files.iter().any(|file| file.exists());
        match files {
            Some(files) if is_there(&files) || !in_cluster::is_inside() => {
                return kubeconfig::load(&files, None);
            }
            _ if in_cluster::is_inside() => return Self::in_cluster(),
            _ => {}
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
        kubeconfig::from_text(text, None)
    }

    /// A named context of kubeconfig text.
    ///
    /// # Errors
    /// As [`from_kubeconfig_context`](Self::from_kubeconfig_context).
    pub fn from_kubeconfig_text_context(text: &str, context: &str) -> Result<Self, ConfigError> {
        kubeconfig::from_text(text, Some(context))
    }

    /// A context of several kubeconfig files, merged as those of `KUBECONFIG` are; the current one unless named.
    ///
    /// # Errors
    /// As [`from_kubeconfig`](Self::from_kubeconfig), and when none of the files is there.
    pub fn from_kubeconfig_files(
        files: &[impl AsRef<Path>],
        context: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let files: Vec<_> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        kubeconfig::load(&files, context)
    }

    /// A named context of what the environment names: `KUBECONFIG`, else `~/.kube/config`.
    ///
    /// # Errors
    /// As [`try_default`](Self::try_default), and when there is no such context.
    pub fn try_default_context(context: &str) -> Result<Self, ConfigError> {
        let files = kubeconfig::files_of_environment().ok_or_else(|| {
            let missing = "KUBECONFIG is not set and there is no ~/.kube/config";
            ConfigError::new(format!("there is no context `{context}`: {missing}"))
        })?;
        kubeconfig::load(&files, Some(context))
    }

    /// The names of the contexts in kubeconfig files, merged as those of `KUBECONFIG` are, and the current one.
    ///
    /// `None` stands for the files that the environment names, as in [`try_default_context`](Self::try_default_context).
    /// Each name is a context for [`from_kubeconfig_files`](Self::from_kubeconfig_files).
    ///
    /// # Errors
    /// When there is no such file, or one cannot be read.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_flowcontrol::config::Config;
    ///
    /// # let file = std::env::temp_dir().join(format!("contexts-{}", std::process::id()));
    /// # std::fs::write(&file, "current-context: b\ncontexts: [{name: a}, {name: b}]")?;
    /// let (names, current) = Config::contexts(Some(&[&*file]))?;
    /// assert_eq!(names, ["a", "b"]);
    /// assert_eq!(current.as_deref(), Some("b"));
    /// # std::fs::remove_file(file)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn contexts(files: Option<&[&Path]>) -> Result<(Vec<String>, Option<String>), ConfigError> {
        let files = match files {
            Some(files) => files.iter().map(|file| (*file).to_owned()).collect(),
            None => kubeconfig::files_of_environment().ok_or_else(|| {
                ConfigError::new(
                    "there are no contexts: KUBECONFIG is not set and there is no ~/.kube/config",
                )
            })?,
        };
        kubeconfig::contexts(&files)
    }

    /// The service account of the pod that the program runs in.
    ///
    /// # Errors
    /// When the program runs in no pod, or the files of the service account are missing.
    pub fn in_cluster() -> Result<Self, ConfigError> {
        in_cluster::load()
    }

    /// The server's address.
    pub fn server_url(&self) -> &str {
        self.server.as_str()
    }

    /// The namespace that the configuration is for.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The proxy through which the server is reached, without its credentials.
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

    pub(crate) fn tls_server_name(&self) -> Option<&ServerName<'static>> {
        self.tls.server_name.as_ref()
    }

    pub(crate) fn proxy(&self) -> Result<Option<&Proxy>, ConfigError> {
        match &self.proxy {
            ProxySetting::Environment(Err(error)) => Err(error.clone()),
            ProxySetting::Environment(Ok(proxy)) | ProxySetting::Explicit(proxy) => {
                Ok(proxy.as_ref())
            }
        }
    }

    /// The proxy, if it was named in the configuration itself.
    fn explicit_proxy(&self) -> Option<&Proxy> {
        match &self.proxy {
            ProxySetting::Explicit(proxy) => proxy.as_ref(),
            ProxySetting::Environment(_) => None,
        }
    }

    /// The headers that say as whom the program acts.
    pub(crate) fn impersonation(&self) -> &HeaderMap {
        &self.impersonation
    }

    /// The `Authorization` header for the next request, but for what a plugin says.
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
