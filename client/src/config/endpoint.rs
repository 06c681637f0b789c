//! The same cluster, reached at the address of a single API server.

use super::{Config, ConfigError};
use rustls::pki_types::ServerName;
use url::{Host, Url};

impl Config {
    /// Connects to one API server of the same cluster, such as an endpoint of the service `kubernetes`, instead of the
    /// cluster's address.
    ///
    /// The credentials stay, and credential plugins see the cluster's address. The certificate must have the same name as
    /// before: the `tls-server-name`, or else the host of the cluster's address. An explicit proxy stays; the proxy of the
    /// environment is that for the new address.
    ///
    /// ```
    /// use k8s_flowcontrol::config::Config;
    ///
    /// let cluster = Config::new("https://cluster.example.com:6443")?;
    /// let one = cluster.clone().with_endpoint("https://10.0.0.1:6443")?;
    /// assert_eq!(one.server_url(), "https://10.0.0.1:6443/");
    ///
    /// // Credentials are not sent in clear text.
    /// assert!(cluster.with_endpoint("http://10.0.0.1:8080").is_err());
    /// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// If `url` is invalid, or if another server could receive the credentials: certificates are not verified, only one
    /// address uses TLS, or neither uses it and the new address is not a loopback address.
    pub fn with_endpoint(self, url: impl AsRef<str>) -> Result<Self, ConfigError> {
        let uses_tls = self.server.scheme() == "https";
        if uses_tls && self.tls.insecure {
            return Err(ConfigError::new(
                "the certificates of other API servers cannot be verified: insecure-skip-tls-verify is set",
            ));
        }
        let name = match (&self.tls.server_name, self.server.host_str()) {
            (Some(name), _) => Some(name.clone()),
            (None, Some(host)) if uses_tls => {
                ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).ok()
            }
            _ => None,
        };
        let cluster = self.server_text.clone();
        let mut config = self.at_server(url.as_ref())?;
        let problem = match (uses_tls, config.server.scheme() == "https") {
            (true, false) => Some("has no TLS, but the cluster's address has"),
            (false, true) => {
                Some("has TLS, but the cluster's address has no certificate to compare with")
            }
            (false, false) if !is_loopback(&config.server) => {
                Some("has no TLS, so that it cannot be verified")
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let message = format!("`{}` {problem}", config.server);
            return Err(ConfigError::new(message));
        }
        config.tls.server_name = name;
        config.server_text = cluster;
        Ok(config)
    }
}

fn is_loopback(server: &Url) -> bool {
    match server.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}
