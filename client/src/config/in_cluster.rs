//! The service account of a pod.

use super::auth::source::Source;
use super::{Auth, Config, ConfigError, TokenFile};
use std::env;
use std::path::Path;

const FOLDER: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const HOST: &str = "KUBERNETES_SERVICE_HOST";
const PORT: &str = "KUBERNETES_SERVICE_PORT";

/// Whether the program runs in a pod with a service account.
pub(super) fn is_inside() -> bool {
    env::var_os(HOST).is_some() && Path::new(FOLDER).join("token").exists()
}

pub(super) fn load() -> Result<Config, ConfigError> {
    let variable = |name: &str| {
        env::var(name).map_err(|_| {
            ConfigError::new(format!(
                "the program does not run in a pod: {name} is not set"
            ))
        })
    };
    let (host, port) = (variable(HOST)?, variable(PORT)?);
    let folder = Path::new(FOLDER);
    let file = |name: &str| Source::file("service account", folder.join(name));
    let (authority, token) = (file("ca.crt"), file("token"));
    authority.read()?;
    token.read()?;
    let server = match host.contains(':') {
        true => format!("https://[{host}]:{port}"),
        false => format!("https://{host}:{port}"),
    };
    let mut config = Config::new(server).map_err(|error| error.within(HOST))?;
    config.tls.certificate_authority = Some(authority);
    config.auth = Auth::TokenFile(TokenFile::new(token, None));
    let namespace = file("namespace").read().ok();
    if let Some(Ok(namespace)) = namespace.as_deref().map(std::str::from_utf8) {
        config = config.with_namespace(namespace.trim());
    }
    Ok(config)
}
