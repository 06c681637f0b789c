//! The input of a plugin: the variable `KUBERNETES_EXEC_INFO`.

use super::{ExecPlugin, ExecVersion};
use crate::config::{Config, ConfigError};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

impl ExecVersion {
    /// The value of `apiVersion`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "client.authentication.k8s.io/v1",
            Self::V1Beta1 => "client.authentication.k8s.io/v1beta1",
        }
    }
}

/// The request to the plugin, as JSON.
pub(crate) fn request(
    plugin: &ExecPlugin,
    config: &Config,
    interactive: bool,
) -> Result<String, ConfigError> {
    let mut spec = Map::new();
    spec.insert("interactive".to_owned(), interactive.into());
    if plugin.provide_cluster_info {
        spec.insert("cluster".to_owned(), cluster(plugin, config)?);
    }
    let request = json!({
        "apiVersion": plugin.version.as_str(),
        "kind": "ExecCredential",
        "spec": spec,
    });
    Ok(request.to_string())
}

/// The cluster, without unset fields.
fn cluster(plugin: &ExecPlugin, config: &Config) -> Result<Value, ConfigError> {
    let mut cluster = Map::new();
    let mut set = |name: &str, value: Value| cluster.insert(name.to_owned(), value);
    set("server", config.server_text.clone().into());
    if let Some(name) = config.tls_server_name() {
        set("tls-server-name", name.to_str().into());
    }
    if config.skips_tls_verify() {
        set("insecure-skip-tls-verify", true.into());
    }
    if let Some(authority) = config.certificates(None)?.authority {
        let data = BASE64_STANDARD.encode(&authority.bytes);
        set("certificate-authority-data", data.into());
    }
    if let Some(proxy) = config.proxy.explicit() {
        set("proxy-url", proxy.with_credentials().expose().into());
    }
    if config.disables_compression() {
        set("disable-compression", true.into());
    }
    if let Some(config) = &plugin.cluster_config {
        set("config", config.clone());
    }
    Ok(cluster.into())
}
