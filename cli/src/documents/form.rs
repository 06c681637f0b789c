//! The forms in which a text can be written.

use crate::source::{Source, without_mark};
use std::path::Path;

/// The form in which a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// YAML, one document or several.
    Yaml,
    /// JSON: one value, one value per line, or several values one after the other.
    Json,
    /// JSON with one value per line, as the extension says.
    JsonLines,
    /// YAML with the actions of a Go template.
    Template,
}

impl Form {
    /// The form of a file by its extension; none for an unknown extension.
    pub(crate) fn by_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "yaml" | "yml" => Some(Self::Yaml),
            "tpl" | "tmpl" | "gotmpl" => Some(Self::Template),
            _ => None,
        }
    }

    /// The form of a manifest: by its extension, or else by its first byte.
    pub(crate) fn of_manifest(source: &Source) -> Self {
        match Self::by_extension(Path::new(&source.name)) {
            Some(form @ (Self::Json | Self::JsonLines | Self::Yaml)) => form,
            _ if without_mark(&source.text)
                .trim_ascii_start()
                .starts_with(b"{") =>
            {
                Self::Json
            }
            _ => Self::Yaml,
        }
    }

    pub(crate) fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::JsonLines)
    }
}
