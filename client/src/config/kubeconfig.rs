//! Kubeconfig files: several are merged as kubectl merges them, the first that says something wins.

mod document;

use super::{Config, ConfigError, Secret};
use document::{Document, Fields};
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
mod tests;
