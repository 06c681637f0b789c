//! Kubeconfigs. Own code, because they are merged as kubectl merges them: the first file that sets a value wins.

mod cluster;
mod document;
mod export;
mod user;
pub(crate) mod yaml;

use super::auth::cached_file::{MAX_KUBECONFIG, read_text};
use super::{Config, ConfigError, Secret};
use document::{Document, Fields};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{env, fmt};

/// A kubeconfig, which may contain secrets.
#[derive(Clone)]
pub(crate) enum Kubeconfig {
    File(PathBuf),
    /// A file that `KUBECONFIG` names.
    OfEnvironment(PathBuf),
    Text(Secret),
    /// A parsed one, or why it cannot be read.
    Value(Result<Value, ConfigError>),
}

/// The names of the entries to use. They replace the kubeconfig's own selection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) context: Option<String>,
    pub(crate) cluster: Option<String>,
    pub(crate) user: Option<String>,
}

impl Kubeconfig {
    pub(crate) fn of_value(value: &impl Serialize) -> Self {
        // The error may quote a value.
        let value = serde_json::to_value(value);
        Self::Value(
            value.map_err(|_| {
                ConfigError::new("kubeconfig value: it cannot be represented as JSON")
            }),
        )
    }

    pub(crate) fn exists(&self) -> bool {
        match self {
            Self::File(file) | Self::OfEnvironment(file) => file.exists(),
            Self::Text(_) | Self::Value(_) => true,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::OfEnvironment(_) => "kubeconfig (from KUBECONFIG)",
            _ => "kubeconfig",
        }
    }

    fn read(&self) -> Result<Document, ConfigError> {
        let here = || env::current_dir().unwrap_or_default();
        match self {
            Self::File(file) | Self::OfEnvironment(file) => {
                let text = read_text(file, MAX_KUBECONFIG)
                    .map_err(|error| ConfigError::unreadable(self.kind(), file, &error))?;
                let folder = file.parent().map(Path::to_owned).unwrap_or_default();
                // The working directory may change before a file is read again.
                let folder = std::path::absolute(&folder).unwrap_or(folder);
                Document::read(format!("kubeconfig {}", file.display()), folder, &text)
            }
            Self::Text(text) => Document::read("kubeconfig text".to_owned(), here(), text.expose()),
            Self::Value(value) => {
                Document::new("kubeconfig value".to_owned(), here(), value.clone()?)
            }
        }
    }
}

impl fmt::Debug for Kubeconfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) | Self::OfEnvironment(file) => file.fmt(f),
            Self::Text(_) => f.write_str("[text]"),
            Self::Value(_) => f.write_str("[value]"),
        }
    }
}

impl Selection {
    /// The kind and name of the first selected entry.
    pub(crate) fn first(&self) -> Option<(&'static str, &str)> {
        let Self {
            context,
            cluster,
            user,
        } = self;
        [("context", context), ("cluster", cluster), ("user", user)]
            .into_iter()
            .find_map(|(kind, name)| Some((kind, name.as_deref()?)))
    }
}

/// The files of `KUBECONFIG`, else `~/.kube/config` if it exists.
pub(crate) fn of_environment() -> Option<Vec<Kubeconfig>> {
    if let Some(list) = env::var_os("KUBECONFIG").filter(|list| !list.is_empty()) {
        return Some(
            env::split_paths(&list)
                .filter(|path| !path.as_os_str().is_empty())
                .map(Kubeconfig::OfEnvironment)
                .collect(),
        );
    }
    let home = env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
    let file = Path::new(&home).join(".kube").join("config");
    file.exists().then(|| vec![Kubeconfig::File(file)])
}

/// Loads the selected entries. Defaults to the current context.
pub(crate) fn load(sources: &[Kubeconfig], selection: &Selection) -> Result<Config, ConfigError> {
    resolve(&read(sources)?, selection)
}

/// The names of all contexts, without duplicates, and the current one.
pub(crate) fn contexts(
    sources: &[Kubeconfig],
) -> Result<(Vec<String>, Option<String>), ConfigError> {
    let documents = read(sources)?;
    let mut names = Vec::new();
    for name in names_in(&documents, "contexts") {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok((names, current_context(&documents)?.map(str::to_owned)))
}

/// Reads the sources. Missing files are skipped if there are several sources.
fn read(sources: &[Kubeconfig]) -> Result<Vec<Document>, ConfigError> {
    let mut documents = Vec::new();
    for source in sources {
        match source.read() {
            Err(error) if error.is_missing_file() && sources.len() > 1 => {}
            document => documents.push(document?),
        }
    }
    if documents.is_empty() {
        let files = sources.iter().filter_map(|source| match source {
            Kubeconfig::File(file) => Some(file.display().to_string()),
            Kubeconfig::OfEnvironment(file) => {
                Some(format!("{} (from KUBECONFIG)", file.display()))
            }
            Kubeconfig::Text(_) | Kubeconfig::Value(_) => None,
        });
        let files = files.collect::<Vec<_>>().join(", ");
        return Err(ConfigError::new(match sources {
            [] => "KUBECONFIG has separators only, and names no file".to_owned(),
            _ => format!("none of the kubeconfig files exists: {files}"),
        }));
    }
    Ok(documents)
}

fn resolve(documents: &[Document], selection: &Selection) -> Result<Config, ConfigError> {
    let all: Vec<_> = documents.iter().map(|file| file.name.as_str()).collect();
    let all = all.join(", ");
    let name = match &selection.context {
        Some(name) => Some(name.as_str()),
        None => current_context(documents)?,
    };
    // `context` is the context that refers to the entry.
    let find = |list: &str, inner: &'static str, entry: &str, context: Option<&str>| {
        for document in documents {
            if let Some(fields) = document.entry(list, inner, entry, context)? {
                return Ok(fields);
            }
        }
        let hint = match context {
            Some(context) => format!("; the context `{context}` refers to it"),
            None => match list_of_names(documents, list) {
                names if names.is_empty() => format!("; there are no {list}"),
                names => format!("; the {list} are {names}"),
            },
        };
        Err(ConfigError::new(format!("the {inner} `{entry}` does not exist{hint}")).within(&all))
    };
    let context: Option<Fields<'_>> = match name {
        Some(name) => Some(find("contexts", "context", name, None)?),
        None if selection.cluster.is_some() => None,
        None => {
            let message = "current-context is not set; set it, or choose a context";
            return Err(ConfigError::new(message).within(&all));
        }
    };
    let in_context = |field: &str| match &context {
        Some(context) => context.text(field),
        None => Ok(None),
    };
    let cluster = match (&selection.cluster, in_context("cluster")?, &context) {
        (Some(cluster), _, _) => find("clusters", "cluster", cluster, None)?,
        (None, Some(cluster), _) => find("clusters", "cluster", cluster, name)?,
        (None, None, Some(context)) => return Err(context.error("cluster", "is missing")),
        (None, None, None) => return Err(ConfigError::new("cluster: is missing").within(&all)),
    };
    let user = match (&selection.user, in_context("user")?) {
        (Some(user), _) => Some(find("users", "user", user, None)?),
        (None, Some(user)) => Some(find("users", "user", user, name)?),
        (None, None) => None,
    };
    let has_certificate = user.as_ref().map(user::has_certificate).transpose()?;
    let mut config = cluster::config(&cluster, has_certificate.unwrap_or(false))?;
    if let Some(namespace) = in_context("namespace")? {
        config = config.with_namespace(namespace);
    }
    match user {
        Some(user) => user::apply(config, &user, &cluster),
        None => Ok(config),
    }
}

fn current_context(documents: &[Document]) -> Result<Option<&str>, ConfigError> {
    for document in documents {
        match document.root.get("current-context") {
            None | Some(Value::Null) => {}
            Some(Value::String(name)) if name.is_empty() => {}
            Some(Value::String(name)) => return Ok(Some(name)),
            Some(_) => {
                let message = "current-context: expected text; put it in quotes";
                return Err(ConfigError::new(message).within(&document.name));
            }
        }
    }
    Ok(None)
}

fn names_in<'a>(documents: &'a [Document], list: &'a str) -> impl Iterator<Item = String> + 'a {
    documents
        .iter()
        .filter_map(move |document| document.root.get(list)?.as_array())
        .flatten()
        .filter_map(|entry| document::text_of(entry, "name"))
}

fn list_of_names(documents: &[Document], list: &str) -> String {
    let names: Vec<_> = names_in(documents, list)
        .map(|name| format!("`{name}`"))
        .collect();
    names.join(", ")
}
