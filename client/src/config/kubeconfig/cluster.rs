//! A cluster of a kubeconfig: the server, its authority, the proxy.

use super::document::Fields;
use crate::config::{Config, ConfigError};

/// A configuration for the cluster, without credentials.
pub(super) fn config(cluster: &Fields<'_>) -> Result<Config, ConfigError> {
    let Some(server) = cluster.text("server")? else {
        return Err(cluster.error("server", "is missing"));
    };
    let mut config = Config::new(server).map_err(|error| error.within(&cluster.at("server")))?;
    let insecure = cluster.flag("insecure-skip-tls-verify")?;
    let authority = cluster.source("certificate-authority-data", "certificate-authority")?;
    if insecure && authority.is_some() {
        let hint = "cannot be combined with a certificate authority; remove one of the two";
        return Err(cluster.error("insecure-skip-tls-verify", hint));
    }
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
    let compression = !cluster.flag("disable-compression")?;
    Ok(config.with_compression(compression))
}
