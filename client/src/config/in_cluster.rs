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
    from_folder(Path::new(FOLDER), &variable(HOST)?, &variable(PORT)?)
}

fn from_folder(folder: &Path, host: &str, port: &str) -> Result<Config, ConfigError> {
    let file = |name: &str| Source::file("service account", folder.join(name));
    let (authority, token) = (file("ca.crt"), file("token"));
    authority.read()?;
    token.read()?;
    let server = address(host, port);
    let mut config = Config::new(server).map_err(|error| error.within(HOST))?;
    config.tls.certificate_authority = Some(authority);
    config.auth = Auth::TokenFile(TokenFile::new(token, None));
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
    use std::fs;

    #[test]
    fn addresses() {
        assert_eq!(address("10.0.0.1", "443"), "https://10.0.0.1:443");
        assert_eq!(address("fd00::1", "443"), "https://[fd00::1]:443");
    }

    #[test]
    fn the_files_of_a_pod_and_their_rotation() {
        let folder = env::temp_dir().join(format!("k8s-flowcontrol-pod-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let load = || from_folder(&folder, "fd00::1", "443");
        assert!(load().unwrap_err().to_string().contains("ca.crt"));
        for (name, content) in [
            ("ca.crt", "one"),
            ("token", "first\n"),
            ("namespace", "team\n"),
        ] {
            fs::write(folder.join(name), content).unwrap();
        }
        let config = load().unwrap();
        assert_eq!(config.server_url(), "https://[fd00::1]/");
        assert_eq!(config.namespace(), "team");
        let now = || {
            let header = config
                .authorization(config.read_token_file())
                .unwrap()
                .unwrap();
            let authority = config.certificates(None).unwrap().authority.unwrap();
            (
                header.to_str().unwrap().to_owned(),
                authority.bytes.to_vec(),
            )
        };
        assert_eq!(now(), ("Bearer first".to_owned(), b"one".to_vec()));
        fs::write(folder.join("token"), "second").unwrap();
        fs::write(folder.join("ca.crt"), "two").unwrap();
        assert_eq!(now(), ("Bearer second".to_owned(), b"two".to_vec()));
        fs::remove_dir_all(&folder).unwrap();
    }
}
