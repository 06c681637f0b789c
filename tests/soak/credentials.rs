//! The token and the certificates, in files as real clients have them, and their rotation.

use super::plan::Rotation;
use crate::config::support::{Authority, Folder};
use k8s_flowcontrol::config::Config;
use std::fs;
use std::sync::Arc;
use tokio::time::sleep;
use tokio_rustls::rustls::ServerConfig;

const TOKEN: &str = "token";
const AUTHORITY: &str = "ca.crt";
const KUBECONFIG: &str = "kubeconfig";

/// The files of the clients, and the secrets behind them.
pub(crate) struct Credentials {
    folder: Folder,
    authority: Authority,
    token: u32,
}

impl Credentials {
    pub(crate) fn new() -> Self {
        let (folder, authority) = (Folder::new(), Authority::new("authority"));
        folder.write(AUTHORITY, &authority.pem);
        folder.write(TOKEN, secret(0));
        Self {
            folder,
            authority,
            token: 0,
        }
    }

    /// A configuration by a kubeconfig that names the files.
    pub(crate) fn by_kubeconfig(&self, url: &str) -> Config {
        let text = format!(
            "{{current-context: soak,
              clusters: [{{name: soak, cluster: {{server: '{url}', certificate-authority: {AUTHORITY}}}}}],
              users: [{{name: soak, user: {{tokenFile: {TOKEN}}}}}],
              contexts: [{{name: soak, context: {{cluster: soak, user: soak}}}}]}}"
        );
        let file = self.folder.write(KUBECONFIG, text);
        Config::builder().file(file).build().unwrap()
    }

    /// A configuration as in a pod, with the files of its service account.
    pub(crate) fn by_files(&self, url: &str) -> Config {
        let config = Config::new(url).unwrap().without_proxy();
        config
            .with_token_file(self.folder.path(TOKEN))
            .with_certificate_authority_file(self.folder.path(AUTHORITY))
    }

    /// The token file of a server that accepts the current token.
    pub(crate) fn tokens(&self) -> String {
        entry(self.token)
    }

    /// Two TLS configurations with a new certificate: for HTTP/1.1 and for HTTP/2.
    pub(crate) fn tls(&self) -> [Arc<ServerConfig>; 2] {
        let config = self.authority.sign(&["127.0.0.1"]).server(None);
        ["http/1.1", "h2"].map(|protocol| {
            let mut config = ServerConfig::clone(&config);
            config.alpn_protocols = vec![protocol.into()];
            Arc::new(config)
        })
    }

    /// Replaces the token, with `set` for the server.
    pub(crate) async fn rotate_token(&mut self, rotation: Rotation, set: impl Fn(String)) {
        let old = self.token;
        self.token += 1;
        let new = self.token;
        match rotation {
            Rotation::Overlapping => {
                set(format!("{}{}", entry(old), entry(new)));
                self.folder.write(TOKEN, secret(new));
            }
            Rotation::FileLate(late) => {
                set(entry(new));
                sleep(late).await;
                // Without a rename: first the file is empty.
                fs::write(self.folder.path(TOKEN), "").unwrap();
                sleep(late / 10).await;
                fs::write(self.folder.path(TOKEN), secret(new)).unwrap();
            }
            Rotation::ServerLate(late) => {
                self.folder.write(TOKEN, secret(new));
                sleep(late).await;
            }
        }
        set(entry(new));
    }

    /// Replaces the authority, with `set` for the server.
    pub(crate) async fn rotate_authority(
        &mut self,
        rotation: Rotation,
        set: impl Fn([Arc<ServerConfig>; 2]),
    ) {
        let old = std::mem::replace(&mut self.authority, Authority::new("authority"));
        let new = &self.authority.pem;
        match rotation {
            Rotation::Overlapping => {
                self.folder.write(AUTHORITY, format!("{}{new}", old.pem));
                set(self.tls());
            }
            Rotation::FileLate(late) => {
                set(self.tls());
                sleep(late).await;
                // Without a rename: first the file ends in the middle.
                fs::write(self.folder.path(AUTHORITY), &new[..new.len() / 2]).unwrap();
                sleep(late / 10).await;
            }
            Rotation::ServerLate(late) => {
                self.folder.write(AUTHORITY, new);
                sleep(late).await;
                set(self.tls());
            }
        }
        self.folder.write(AUTHORITY, new);
    }
}

fn secret(number: u32) -> String {
    format!("token-{number}\n")
}

fn entry(number: u32) -> String {
    format!("token-{number},soak,soak,\"system:masters\"\n")
}
