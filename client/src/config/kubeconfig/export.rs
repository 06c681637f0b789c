//! A configuration as a kubeconfig.

use crate::config::auth::source::Source;
use crate::config::{Auth, Config};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// The name of the context, the cluster and the user.
const NAME: &str = "k8s-flowcontrol";
const EXTRA: &str = "impersonate-extra-";

impl Config {
    /// The configuration as a kubeconfig with one context, for other programs and libraries.
    ///
    /// It contains secrets as plain text. Certificates, keys and tokens in files stay in their files, with absolute paths.
    /// It contains the effective proxy, even if that comes from the environment. A kubeconfig cannot express the user agent,
    /// time limits, retries, [`without_proxy`](Self::without_proxy), the time limit and renewal of an exec plugin, and a
    /// [token source](Self::has_token_source): then it has no token.
    ///
    /// ```
    /// use k8s_flowcontrol::config::{Config, Secret};
    ///
    /// let config = Config::new("https://10.0.0.1:6443")?.with_token(Secret::new("very-secret"));
    /// let kubeconfig = config.to_kubeconfig();
    /// assert_eq!(kubeconfig["clusters"][0]["cluster"]["server"], "https://10.0.0.1:6443");
    /// assert_eq!(kubeconfig["users"][0]["user"]["token"], "very-secret");
    /// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
    /// ```
    pub fn to_kubeconfig(&self) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": NAME,
            "contexts": [{
                "name": NAME,
                "context": {"cluster": NAME, "user": NAME, "namespace": self.namespace},
            }],
            "clusters": [{"name": NAME, "cluster": self.cluster()}],
            "users": [{"name": NAME, "user": self.user()}],
        })
    }

    fn cluster(&self) -> Value {
        let mut cluster = Map::new();
        set(&mut cluster, "server", self.server_text.as_str());
        if let Some(authority) = &self.tls.certificate_authority {
            let (data, file) = ("certificate-authority-data", "certificate-authority");
            set_source(&mut cluster, authority, data, file);
        }
        if self.tls.insecure {
            set(&mut cluster, "insecure-skip-tls-verify", true);
        }
        if let Some(name) = &self.tls.server_name {
            set(&mut cluster, "tls-server-name", name.to_str());
        }
        if let Ok(Some(proxy)) = self.proxy() {
            let url = proxy.with_credentials().expose();
            set(&mut cluster, "proxy-url", url);
        }
        if self.disables_compression() {
            set(&mut cluster, "disable-compression", true);
        }
        if let Auth::Exec(plugin) = &self.auth
            && let Some(extension) = plugin.to_cluster_extension()
        {
            set(&mut cluster, "extensions", json!([extension]));
        }
        cluster.into()
    }

    fn user(&self) -> Value {
        let mut user = Map::new();
        match &self.auth {
            // A kubeconfig cannot contain code.
            Auth::None | Auth::Own(_) => {}
            Auth::Token(token) => set(&mut user, "token", token.expose()),
            Auth::TokenFile(file) => {
                set(&mut user, "tokenFile", file.path());
                if let Some(token) = file.inline() {
                    set(&mut user, "token", token.expose());
                }
            }
            Auth::Basic(username, password) => {
                set(&mut user, "username", username.as_str());
                set(&mut user, "password", password.expose());
            }
            Auth::Exec(plugin) => set(&mut user, "exec", plugin.to_kubeconfig()),
        }
        if let Some((chain, key)) = &self.tls.client_certificate {
            let (data, file) = ("client-certificate-data", "client-certificate");
            set_source(&mut user, chain, data, file);
            set_source(&mut user, key, "client-key-data", "client-key");
        }
        self.set_impersonation(&mut user);
        user.into()
    }

    fn set_impersonation(&self, user: &mut Map<String, Value>) {
        let values = |name: &str| -> Vec<_> {
            let values = self.impersonation.get_all(name).iter();
            values
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
                .collect()
        };
        for (header, field) in [("impersonate-user", "as"), ("impersonate-uid", "as-uid")] {
            if let Some(value) = values(header).pop() {
                set(user, field, value);
            }
        }
        let groups = values("impersonate-group");
        if !groups.is_empty() {
            set(user, "as-groups", groups);
        }
        let mut extra = Map::new();
        for header in self.impersonation.keys() {
            if let Some(key) = header.as_str().strip_prefix(EXTRA) {
                let key = percent_decode_str(key).decode_utf8_lossy();
                extra.insert(key.into_owned(), values(header.as_str()).into());
            }
        }
        if !extra.is_empty() {
            set(user, "as-user-extra", extra);
        }
    }
}

fn set(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    fields.insert(name.to_owned(), value.into());
}

/// Sets the field `data` or `file`.
fn set_source(fields: &mut Map<String, Value>, source: &Source, data: &str, file: &str) {
    match source.path() {
        Some(path) => set(fields, file, path),
        None => set(fields, data, source.base64()),
    }
}
