//! Kubeconfig files. Own code, because they are merged as kubectl merges them: the first file that sets a value wins.

mod cluster;
mod document;
mod user;

use super::{Config, ConfigError, notice};
use document::{Document, Fields};
use std::env;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files of `KUBECONFIG`, else `~/.kube/config` if it exists.
pub(super) fn default_files() -> Option<Vec<PathBuf>> {
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

/// Loads a context. Defaults to the current one.
pub(super) fn load(files: &[PathBuf], context: Option<&str>) -> Result<Config, ConfigError> {
    resolve(&read(files)?, context)
}

/// The names of all contexts, without duplicates, and the current one.
pub(super) fn contexts(files: &[PathBuf]) -> Result<(Vec<String>, Option<String>), ConfigError> {
    let documents = read(files)?;
    let mut names = Vec::new();
    for name in names_of_contexts(&documents) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok((names, current_context(&documents)?.map(str::to_owned)))
}

/// Reads the files. Missing ones are skipped if there are several.
fn read(files: &[PathBuf]) -> Result<Vec<Document>, ConfigError> {
    let mut documents = Vec::new();
    for file in files {
        let text = match std::fs::read_to_string(file) {
            Err(error) if error.kind() == ErrorKind::NotFound && files.len() > 1 => continue,
            text => text.map_err(|error| ConfigError::unreadable("kubeconfig", file, error))?,
        };
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        // The working directory may change before a file is read again.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        let name = format!("kubeconfig {}", file.display());
        documents.push(Document::read(name, folder, &text)?);
    }
    if documents.is_empty() {
        let names: Vec<_> = files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        return Err(ConfigError::new(format!(
            "none of the kubeconfig files exists: {}",
            names.join(", ")
        )));
    }
    Ok(documents)
}

pub(super) fn from_text(text: &str, context: Option<&str>) -> Result<Config, ConfigError> {
    let folder = env::current_dir().unwrap_or_default();
    let document = Document::read("kubeconfig text".to_owned(), folder, text)?;
    resolve(&[document], context)
}

fn resolve(documents: &[Document], context: Option<&str>) -> Result<Config, ConfigError> {
    let all: Vec<_> = documents.iter().map(|file| file.name.as_str()).collect();
    let all = all.join(", ");
    let name = match context {
        Some(name) => name,
        None => current_context(documents)?.ok_or_else(|| {
            ConfigError::new("current-context is not set; set it, or choose a context").within(&all)
        })?,
    };
    let find = |list: &str, inner: &'static str, entry: &str, context: Option<&str>| {
        for document in documents {
            if let Some(fields) = document.entry(list, inner, entry, context)? {
                return Ok(fields);
            }
        }
        let hint = match context {
            Some(context) => format!("; the context `{context}` refers to it"),
            None => format!("; the contexts are {}", list_of_contexts(documents)),
        };
        Err(ConfigError::new(format!("the {inner} `{entry}` does not exist{hint}")).within(&all))
    };
    let context: Fields<'_> = find("contexts", "context", name, None)?;
    let Some(cluster) = context.text("cluster")? else {
        return Err(context.error("cluster", "is missing"));
    };
    let cluster = find("clusters", "cluster", cluster, Some(name))?;
    let user = match context.text("user")? {
        Some(user) => Some(find("users", "user", user, Some(name))?),
        None => None,
    };
    let has_certificate = user.as_ref().map(user::has_certificate).transpose()?;
    let (mut config, is_assumed) = cluster::config(&cluster, has_certificate.unwrap_or(false))?;
    if let Some(namespace) = context.text("namespace")? {
        config = config.with_namespace(namespace);
    }
    match user {
        // Like kubectl, sends no credentials without TLS unless the scheme `http` is explicit.
        Some(user) if is_assumed => {
            let message = format!(
                "the scheme defaults to http, so the credentials of {} are not sent; add `https://` to the server",
                user.path()
            );
            notice(&cluster.error("server", &message));
            Ok(config)
        }
        Some(user) => user::apply(config, &user, &cluster),
        None => Ok(config),
    }
}

fn current_context(documents: &[Document]) -> Result<Option<&str>, ConfigError> {
    for document in documents {
        match document.root.get("current-context") {
            None | Some(serde_json::Value::Null) => {}
            Some(serde_json::Value::String(name)) if name.is_empty() => {}
            Some(serde_json::Value::String(name)) => return Ok(Some(name)),
            Some(_) => {
                let message = "current-context: expected text; put it in quotes";
                return Err(ConfigError::new(message).within(&document.name));
            }
        }
    }
    Ok(None)
}

fn names_of_contexts(documents: &[Document]) -> impl Iterator<Item = String> {
    documents
        .iter()
        .filter_map(|document| document.root.get("contexts")?.as_array())
        .flatten()
        .filter_map(|context| document::text_of(context, "name"))
}

fn list_of_contexts(documents: &[Document]) -> String {
    let names: Vec<_> = names_of_contexts(documents)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests;
