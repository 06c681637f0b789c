//! One kubeconfig file. Its entries are read field by field, so that an error can name the field.

use super::yaml;
use crate::config::ConfigError;
use crate::config::auth::source::Source;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// A kubeconfig file.
pub(super) struct Document {
    /// For error messages.
    pub(super) name: String,
    /// The folder at which relative paths start.
    folder: PathBuf,
    pub(super) root: Value,
}

impl Document {
    pub(super) fn read(name: String, folder: PathBuf, text: &str) -> Result<Self, ConfigError> {
        let root = yaml::read(text).map_err(|error| error.within(&name))?;
        Self::new(name, folder, root)
    }

    pub(super) fn new(name: String, folder: PathBuf, root: Value) -> Result<Self, ConfigError> {
        let error = |message: &str| Err(ConfigError::new(message).within(&name));
        if !root.is_object() && !root.is_null() {
            return error("expected a map with clusters, users and contexts");
        }
        // Like kubectl, which also accepts an absent kind.
        if !matches!(root["kind"].as_str(), None | Some("" | "Config")) {
            return error("it is another kind of object: expected `kind: Config`");
        }
        Ok(Self { name, folder, root })
    }

    /// The entry called `name` of a list such as `clusters`, with its inner map, such as `cluster`.
    ///
    /// `context` is the context that refers to it, for errors.
    pub(super) fn entry<'a>(
        &'a self,
        list: &str,
        inner: &'static str,
        name: &str,
        context: Option<&str>,
    ) -> Result<Option<Fields<'a>>, ConfigError> {
        let error = |message: String| Err(ConfigError::new(message).within(&self.name));
        let entries = match self.root.get(list) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(entries)) => entries,
            Some(_) => return error(format!("{list}: expected a list")),
        };
        let mut found = entries
            .iter()
            .filter(|entry| text_of(entry, "name").is_some_and(|entry| entry == name));
        let Some(entry) = found.next() else {
            return Ok(None);
        };
        if found.next().is_some() {
            return error(format!("{list}: `{name}` occurs twice"));
        }
        let path = match context {
            Some(context) => format!("{}: context `{context}`: {inner} `{name}`", self.name),
            None => format!("{}: {inner} `{name}`", self.name),
        };
        match entry.get(inner) {
            None | Some(Value::Null) => Ok(Some(Fields::new(self, None, path))),
            Some(Value::Object(values)) => Ok(Some(Fields::new(self, Some(values), path))),
            Some(_) => Err(ConfigError::new("expected a map").within(&path)),
        }
    }
}

/// A field that is text.
pub(super) fn text_of(values: &Value, field: &str) -> Option<String> {
    values.get(field)?.as_str().map(str::to_owned)
}

/// The fields of a cluster, user or context, or of a map in one.
pub(super) struct Fields<'a> {
    document: &'a Document,
    values: Option<&'a Map<String, Value>>,
    /// The file, the context and the entry, for errors.
    path: String,
}

impl<'a> Fields<'a> {
    fn new(document: &'a Document, values: Option<&'a Map<String, Value>>, path: String) -> Self {
        Self {
            document,
            values,
            path,
        }
    }

    fn get(&self, field: &str) -> Option<&'a Value> {
        let value = self.values?.get(field)?;
        (!value.is_null()).then_some(value)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.values
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_none_or(Map::is_empty)
    }

    /// Text; `None` if it is empty.
    pub(super) fn text(&self, field: &str) -> Result<Option<&'a str>, ConfigError> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(Value::Number(_) | Value::Bool(_)) => {
                Err(self.error(field, "expected text; put it in quotes"))
            }
            Some(_) => Err(self.error(field, "expected text")),
        }
    }

    /// A boolean. Defaults to `false`.
    pub(super) fn flag(&self, field: &str) -> Result<bool, ConfigError> {
        match self.get(field) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.error(field, "expected true or false, without quotes")),
        }
    }

    pub(super) fn list(&self, field: &str) -> Result<&'a [Value], ConfigError> {
        match self.get(field) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(self.error(field, "expected a list")),
        }
    }

    pub(super) fn texts(&self, field: &str) -> Result<Vec<String>, ConfigError> {
        let text = |value: &Value| {
            let text = value.as_str().map(str::to_owned);
            text.ok_or_else(|| self.error(field, "expected a list of texts; put each in quotes"))
        };
        self.list(field)?.iter().map(text).collect()
    }

    /// A nested map.
    pub(super) fn fields(&self, field: &str) -> Result<Option<Self>, ConfigError> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::Object(values)) => {
                let path = self.at(field);
                Ok(Some(Self::new(self.document, Some(values), path)))
            }
            Some(_) => Err(self.error(field, "expected a map")),
        }
    }

    /// A path relative to the folder of the kubeconfig file.
    pub(super) fn in_folder(&self, path: impl AsRef<Path>) -> PathBuf {
        self.document.folder.join(path)
    }

    /// The file named by a field.
    pub(super) fn file(&self, field: &str) -> Result<Option<Source>, ConfigError> {
        let path = self.text(field)?;
        Ok(path.map(|path| Source::file(self.at(field), self.in_folder(path))))
    }

    /// The decoded field `data`, else the file named by the field `file`, which must be readable.
    pub(super) fn source(&self, data: &str, file: &str) -> Result<Option<Source>, ConfigError> {
        if let Some(text) = self.text(data)? {
            let text: String = text.split_whitespace().collect();
            let decoded = BASE64_STANDARD.decode(text);
            let bytes = decoded.map_err(|_| self.error(data, "expected base64"))?;
            return Ok(Some(Source::data(self.at(data), bytes)));
        }
        let source = self.file(file)?;
        source.as_ref().map(Source::read).transpose()?;
        Ok(source)
    }

    pub(super) fn error(&self, field: &str, message: &str) -> ConfigError {
        ConfigError::new(message).within(&self.at(field))
    }

    pub(super) fn at(&self, field: &str) -> String {
        format!("{}: {field}", self.path)
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }
}
