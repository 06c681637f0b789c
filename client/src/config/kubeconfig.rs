//! Kubeconfig files: several are merged as kubectl merges them, the first that says something wins.

use super::{Config, ConfigError, Secret, yaml};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};

/// The files that `KUBECONFIG` names, else `~/.kube/config` if it is there.
pub(super) fn files_of_environment() -> Option<Vec<PathBuf>> {
    if let Some(list) = env::var_os("KUBECONFIG").filter(|list| !list.is_empty()) {
        return Some(
            env::split_paths(&list)
                .filter(|path| !path.as_os_str().is_empty())
                .collect(),
        );
    }
    let home = env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
    let file = Path::new(&home).join(".kube").join("config");
    file.exists().then(|| vec![file])
}

/// Loads a context, the current one unless named. A missing file is skipped as long as there is another.
pub(super) fn load(files: &[PathBuf], context: Option<&str>) -> Result<Config, ConfigError> {
    let mut documents = Vec::new();
    for file in files {
        let text = match std::fs::read_to_string(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && files.len() > 1 => {
                continue;
            }
            text => text.map_err(|error| ConfigError::unreadable("kubeconfig", file, error))?,
        };
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        documents.push(Document::read(
            format!("kubeconfig {}", file.display()),
            folder,
            &text,
        )?);
    }
    if documents.is_empty() {
        let names: Vec<_> = files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        return Err(ConfigError::new(format!(
            "none of the kubeconfig files is there: {}",
            names.join(", ")
        )));
    }
    resolve(&documents, context)
}

pub(super) fn from_text(text: &str) -> Result<Config, ConfigError> {
    resolve(
        &[Document::read(
            "kubeconfig text".to_owned(),
            PathBuf::new(),
            text,
        )?],
        None,
    )
}

/// One file.
struct Document {
    /// For error messages.
    name: String,
    /// Where relative paths start.
    folder: PathBuf,
    root: Value,
}

impl Document {
    fn read(name: String, folder: PathBuf, text: &str) -> Result<Self, ConfigError> {
        let root = yaml::read(text).map_err(|error| error.within(&name))?;
        if !root.is_object() && !root.is_null() {
            return Err(
                ConfigError::new("expected a map with clusters, users and contexts").within(&name),
            );
        }
        Ok(Self { name, folder, root })
    }

    /// The entry called `name` of a list such as `clusters`, with its inner map, such as `cluster`.
    fn entry<'a>(&'a self, list: &str, inner: &'static str, name: &str) -> Option<Fields<'a>> {
        let entries = self.root.get(list)?.as_array()?;
        let entry = entries
            .iter()
            .find(|entry| entry.get("name").and_then(Value::as_str) == Some(name))?;
        Some(Fields {
            document: self,
            values: entry.get(inner)?,
            place: format!("{inner} `{name}`"),
        })
    }
}

/// The members of a cluster, user or context.
struct Fields<'a> {
    document: &'a Document,
    values: &'a Value,
    place: String,
}

impl Fields<'_> {
    /// A text that is not empty.
    fn text(&self, field: &str) -> Result<Option<&str>, ConfigError> {
        match self.values.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.error(field, "expected text")),
        }
    }

    fn flag(&self, field: &str) -> Result<bool, ConfigError> {
        match self.text(field)? {
            None | Some("false" | "False" | "FALSE" | "no" | "off") => Ok(false),
            Some("true" | "True" | "TRUE" | "yes" | "on") => Ok(true),
            Some(_) => Err(self.error(field, "expected true or false")),
        }
    }

    /// A path, from the folder of the file.
    fn path(&self, field: &str) -> Result<Option<PathBuf>, ConfigError> {
        Ok(self
            .text(field)?
            .map(|path| self.document.folder.join(path)))
    }

    /// The decoded member `data`, else the content of the file that `file` names.
    fn data_or_file(&self, data: &str, file: &str) -> Result<Option<Vec<u8>>, ConfigError> {
        if let Some(text) = self.text(data)? {
            let text: String = text.split_whitespace().collect();
            return BASE64_STANDARD
                .decode(text)
                .map(Some)
                .map_err(|_| self.error(data, "expected base64"));
        }
        let Some(path) = self.path(file)? else {
            return Ok(None);
        };
        let content = std::fs::read(&path);
        content.map(Some).map_err(|error| {
            ConfigError::unreadable("the file", &path, error).within(&self.at(file))
        })
    }

    /// Fields that must not be there.
    fn refuse(&self, fields: &[&str], hint: &str) -> Result<(), ConfigError> {
        let found = fields.iter().find(|field| {
            self.values
                .get(**field)
                .is_some_and(|value| !value.is_null())
        });
        found.map_or(Ok(()), |field| Err(self.error(field, hint)))
    }

    fn error(&self, field: &str, message: &str) -> ConfigError {
        ConfigError::new(message).within(&self.at(field))
    }

    fn at(&self, field: &str) -> String {
        format!("{}: {}: {field}", self.document.name, self.place)
    }
}

fn resolve(documents: &[Document], context: Option<&str>) -> Result<Config, ConfigError> {
    let current = || {
        let mut names = documents
            .iter()
            .filter_map(|document| document.root.get("current-context")?.as_str());
        names.find(|name| !name.is_empty())
    };
    let all = documents
        .iter()
        .map(|document| document.name.as_str())
        .collect::<Vec<_>>()
        .join(", ");
    let Some(name) = context.or_else(current) else {
        return Err(
            ConfigError::new("current-context is not set; set it or name a context").within(&all),
        );
    };
    let find = |list: &str, inner: &'static str, name: &str, why: &str| {
        documents
            .iter()
            .find_map(|document| document.entry(list, inner, name))
            .ok_or_else(|| {
                ConfigError::new(format!("there is no {inner} `{name}`{why}")).within(&all)
            })
    };
    let context = find("contexts", "context", name, "")?;
    let why = format!(", which context `{name}` names");
    let Some(cluster) = context.text("cluster")? else {
        return Err(context.error("cluster", "is missing"));
    };
    let mut config = with_cluster(&find("clusters", "cluster", cluster, &why)?)?;
    if let Some(namespace) = context.text("namespace")? {
        config = config.with_namespace(namespace);
    }
    match context.text("user")? {
        Some(user) => with_user(config, &find("users", "user", user, &why)?),
        None => Ok(config),
    }
}

fn with_cluster(cluster: &Fields<'_>) -> Result<Config, ConfigError> {
    let Some(server) = cluster.text("server")? else {
        return Err(cluster.error("server", "is missing"));
    };
    let config = Config::new(server).map_err(|error| error.within(&cluster.at("server")))?;
    cluster.refuse(&["proxy-url", "tls-server-name"], "is not supported yet")?;
    let insecure = cluster.flag("insecure-skip-tls-verify")?;
    let authority = cluster.data_or_file("certificate-authority-data", "certificate-authority")?;
    if insecure && authority.is_some() {
        let hint = "goes not with a certificate authority; remove one of the two";
        return Err(cluster.error("insecure-skip-tls-verify", hint));
    }
    let config = config.with_insecure_skip_tls_verify(insecure);
    Ok(match authority {
        Some(pem) => config.with_certificate_authority(pem),
        None => config,
    })
}

fn with_user(mut config: Config, user: &Fields<'_>) -> Result<Config, ConfigError> {
    user.refuse(
        &["exec", "as", "as-uid", "as-groups", "as-user-extra"],
        "is not supported yet",
    )?;
    user.refuse(
        &["auth-provider"],
        "was removed from Kubernetes; use an exec plugin or a token",
    )?;
    let chain = user.data_or_file("client-certificate-data", "client-certificate")?;
    let key = user.data_or_file("client-key-data", "client-key")?;
    match (chain, key) {
        (Some(chain), Some(key)) => {
            let key = String::from_utf8(key).map_err(|_| user.error("client-key", "is no PEM"))?;
            config = config.with_client_certificate(chain, Secret::new(key));
        }
        (None, None) => {}
        (Some(_), None) => return Err(user.error("client-key", "is missing")),
        (None, Some(_)) => return Err(user.error("client-certificate", "is missing")),
    }
    // The file wins over the text, as with kubectl.
    if let Some(file) = user.path("tokenFile")? {
        config = config.with_token_file(file);
    } else if let Some(token) = user.text("token")? {
        config = config.with_token(Secret::new(token));
    } else if let Some(username) = user.text("username")? {
        let password = user.text("password")?.unwrap_or_default();
        config = config.with_basic_auth(username, Secret::new(password));
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
apiVersion: v1
kind: Config
current-context: here
contexts:
- name: here
  context: {cluster: c, user: u, namespace: team}
- name: broken
  context: {cluster: missing}
clusters:
- name: c
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: Y2VydGlmaWNhdGU=
users:
- name: u
  user:
    token: planted-secret
";

    fn change(from: &str, to: &str) -> Result<Config, ConfigError> {
        assert!(TEXT.contains(from));
        from_text(&TEXT.replace(from, to))
    }

    #[test]
    fn a_whole_one() {
        let config = from_text(TEXT).unwrap();
        assert_eq!(config.server_url(), "https://127.0.0.1:6443/");
        assert_eq!(config.namespace(), "team");
        assert_eq!(
            config.tls().certificate_authority.as_deref(),
            Some(&b"certificate"[..])
        );
        assert_eq!(
            config.authorization().unwrap().unwrap(),
            "Bearer planted-secret"
        );
        assert!(!format!("{config:?}").contains("planted-secret"));
    }

    #[test]
    fn json_is_yaml() {
        let json = serde_json::to_string_pretty(&yaml::read(TEXT).unwrap()).unwrap();
        assert_eq!(from_text(&json).unwrap().namespace(), "team");
    }

    #[test]
    fn faults_name_the_field() {
        for (from, to, expected) in [
            ("current-context: here", "", "current-context is not set"),
            (
                "current-context: here",
                "current-context: x",
                "there is no context `x`",
            ),
            (
                "current-context: here",
                "current-context: broken",
                "no cluster `missing`, which context `broken` names",
            ),
            (
                "user: u,",
                "user: v,",
                "no user `v`, which context `here` names",
            ),
            ("cluster: c,", "", "context `here`: cluster: is missing"),
            (
                "server: https://127.0.0.1:6443",
                "server: nowhere",
                "cluster `c`: server: the server is no URL",
            ),
            (
                "Y2VydGlmaWNhdGU=",
                "a%b",
                "cluster `c`: certificate-authority-data: expected base64",
            ),
            (
                "token: planted-secret",
                "token: [planted-secret]",
                "user `u`: token: expected text",
            ),
            (
                "token: planted-secret",
                "exec: {command: x}",
                "user `u`: exec: is not supported yet",
            ),
            (
                "token: planted-secret",
                "client-key-data: YQ==",
                "user `u`: client-certificate: is missing",
            ),
        ] {
            let error = change(from, to).unwrap_err();
            assert!(error.to_string().contains(expected), "{expected}: {error}");
            assert!(!format!("{error} {error:?}").contains("planted-secret"));
        }
    }

    #[test]
    fn plain_http_and_no_user() {
        let config = change("user: u,", "").unwrap();
        assert!(config.authorization().unwrap().is_none());
        assert!(change("https://127.0.0.1:6443", "http://127.0.0.1:1").is_ok());
    }

    #[test]
    fn several_files_and_relative_paths() {
        let folder =
            env::temp_dir().join(format!("k8s-flowcontrol-kubeconfig-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        let (first, second) = (folder.join("first"), folder.join("sub").join("second"));
        std::fs::write(
            &first,
            "current-context: here\nusers:\n- name: u\n  user: {tokenFile: token}\n",
        )
        .unwrap();
        std::fs::write(folder.join("token"), " from-a-file\n").unwrap();
        std::fs::write(&second, TEXT).unwrap();
        let config = load(&[folder.join("missing"), first, second], None).unwrap();
        assert_eq!(config.namespace(), "team");
        assert_eq!(
            config.authorization().unwrap().unwrap(),
            "Bearer from-a-file"
        );
        let missing = load(&[folder.join("missing")], None).unwrap_err();
        assert!(missing.to_string().contains("missing"), "{missing}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
