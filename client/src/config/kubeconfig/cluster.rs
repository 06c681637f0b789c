//! A cluster of a kubeconfig: the server, its authority, the proxy.

use super::document::Fields;
use crate::config::{Config, ConfigError, server};

/// A configuration for the cluster, without credentials. `has_certificate` is whether the user has a client certificate.
pub(super) fn config(cluster: &Fields<'_>, has_certificate: bool) -> Result<Config, ConfigError> {
    let insecure = cluster.flag("insecure-skip-tls-verify")?;
    let authority = cluster.source("certificate-authority-data", "certificate-authority")?;
    if insecure && authority.is_some() {
        let hint = "cannot be combined with a certificate authority; remove one of the two";
        return Err(cluster.error("insecure-skip-tls-verify", hint));
    }
    let uses_tls = insecure || authority.is_some() || has_certificate;
    let in_field = |error: ConfigError| error.within(&cluster.at("server"));
    let server = match cluster.text("server")? {
        Some(server) => server::with_scheme(server, uses_tls).map_err(in_field)?,
        None => server::of_kubectl(),
    };
    let mut config = Config::new(server).map_err(in_field)?;
    config.tls.insecure = insecure;
    config.tls.certificate_authority = authority;
    if let Some(name) = cluster.text("tls-server-name")? {
        let named = config.with_tls_server_name(name);
        config = named.map_err(|error| error.within(&cluster.at("tls-server-name")))?;
    }
    if let Some(url) = cluster.text("proxy-url")? {
        let proxied = config.with_proxy(url);
        config = proxied.map_err(|error| error.within(&cluster.at("proxy-url")))?;
    }
    if cluster.flag("disable-compression")? {
        config = config.with_compression(false);
    }
    Ok(config)
}
