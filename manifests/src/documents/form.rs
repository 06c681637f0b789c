//! The forms in which a text can be written.

use crate::lines::without_mark;
use std::path::Path;

/// The form in which a text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// YAML, one document or several.
    #[default]
    Yaml,
    /// JSON: one value, one value per line, or several values one after the other.
    Json,
    /// JSON with one value per line.
    JsonLines,
    /// YAML with the actions of a Go template, as in a Helm chart.
    Template,
}

impl Form {
    /// The form of a file by its extension; none for an unknown extension.
    pub fn by_extension(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "yaml" | "yml" => Some(Self::Yaml),
            "tpl" | "tmpl" | "gotmpl" => Some(Self::Template),
            _ => None,
        }
    }

    /// The form of a manifest by its first byte: JSON or YAML.
    pub(crate) fn by_content(text: &[u8]) -> Self {
        if without_mark(text).trim_ascii_start().starts_with(b"{") {
            Self::Json
        } else {
            Self::Yaml
        }
    }

    pub(crate) fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::JsonLines)
    }
}
