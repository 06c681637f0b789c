//! The service account of a pod.

use super::{Config, ConfigError};
use std::env;
use std::path::Path;

const FOLDER: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const HOST: &str = "KUBERNETES_SERVICE_HOST";
const PORT: &str = "KUBERNETES_SERVICE_PORT";

/// Whether the program seems to run in a pod with a service account.
pub(super) fn is_inside() -> bool {
    env::var_os(HOST).is_some() && Path::new(FOLDER).join("token").exists()
}

pub(super) fn load() -> Result<Config, ConfigError> {
    let variable = |name: &str| {
        env::var(name)
            .map_err(|_| ConfigError::new(format!("the program runs in no pod: {name} is not set")))
    };
    let folder = Path::new(FOLDER);
    let read = |name: &str| {
        let file = folder.join(name);
        std::fs::read(&file)
            .map_err(|error| ConfigError::unreadable("the service account's file", &file, error))
    };
    let mut config = Config::new(address(&variable(HOST)?, &variable(PORT)?))?
        .with_certificate_authority(read("ca.crt")?)
        .with_token_file(folder.join("token"));
    if let Ok(namespace) = std::fs::read_to_string(folder.join("namespace")) {
        config = config.with_namespace(namespace.trim());
    }
    Ok(config)
}

fn address(host: &str, port: &str) -> String {
    if host.contains(':') {
        format!("https://[{host}]:{port}")
    } else {
        format!("https://{host}:{port}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(address("10.0.0.1", "443"), "https://10.0.0.1:443");
        assert_eq!(address("fd00::1", "443"), "https://[fd00::1]:443");
    }
}
