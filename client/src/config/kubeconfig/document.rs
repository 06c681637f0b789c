//! One kubeconfig file, and its entries read field by field so that an error can name the field.

use crate::config::{ConfigError, yaml};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::path::PathBuf;

/// One file.
pub(super) struct Document {
    /// For error messages.
    pub(super) name: String,
    /// Where relative paths start.
    folder: PathBuf,
    pub(super) root: Value,
}

impl Document {
    pub(super) fn read(name: String, folder: PathBuf, text: &str) -> Result<Self, ConfigError> {
        let root = yaml::read(text).map_err(|error| error.within(&name))?;
        if !root.is_object() && !root.is_null() {
            return Err(
                ConfigError::new("expected a map with clusters, users and contexts").within(&name),
            );
        }
        Ok(Self { name, folder, root })
    }

    /// The entry called `name` of a list such as `clusters`, with its inner map, such as `cluster`.
    pub(super) fn entry<'a>(
        &'a self,
        list: &str,
        inner: &'static str,
        name: &str,
    ) -> Option<Fields<'a>> {
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
pub(super) struct Fields<'a> {
    document: &'a Document,
    values: &'a Value,
    place: String,
}

impl Fields<'_> {
    /// A text that is not empty.
    pub(super) fn text(&self, field: &str) -> Result<Option<&str>, ConfigError> {
        match self.values.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(Value::Number(_) | Value::Bool(_)) => {
                Err(self.error(field, "expected text; put it in quotes"))
            }
            Some(_) => Err(self.error(field, "expected text")),
        }
    }

    /// `true` or `false`, which absence means too.
    pub(super) fn flag(&self, field: &str) -> Result<bool, ConfigError> {
        match self.values.get(field) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.error(field, "expected true or false, without quotes")),
        }
    }

    /// A path, from the folder of the file.
    pub(super) fn path(&self, field: &str) -> Result<Option<PathBuf>, ConfigError> {
        Ok(self
            .text(field)?
            .map(|path| self.document.folder.join(path)))
    }

    /// The decoded member `data`, else the content of the file that `file` names.
    pub(super) fn data_or_file(
        &self,
        data: &str,
        file: &str,
    ) -> Result<Option<Vec<u8>>, ConfigError> {
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
    pub(super) fn refuse(&self, fields: &[&str], hint: &str) -> Result<(), ConfigError> {
        let found = fields.iter().find(|field| {
            self.values
                .get(**field)
                .is_some_and(|value| !value.is_null())
        });
        found.map_or(Ok(()), |field| Err(self.error(field, hint)))
    }

    pub(super) fn error(&self, field: &str, message: &str) -> ConfigError {
        ConfigError::new(message).within(&self.at(field))
    }

    pub(super) fn at(&self, field: &str) -> String {
        format!("{}: {}: {field}", self.document.name, self.place)
    }
}
