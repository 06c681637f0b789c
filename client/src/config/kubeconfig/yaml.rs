//! Kubeconfig text to a JSON value. Errors name the line and do not quote the file.

use crate::config::ConfigError;
use k8s_flowcontrol_text::{self as text, Position};
use serde_json::Value;

/// Reads the first document by the rules of the Kubernetes YAML reader. Like kubectl, of a repeated key it uses the last
/// value.
pub(crate) fn read(text: &str) -> Result<Value, ConfigError> {
    let yaml = text::parse_yaml(text.as_bytes()).map_err(|error| {
        let message = without_quotations(error.message());
        let message = message.strip_prefix("yaml: ").unwrap_or(&message);
        ConfigError::new(if message.starts_with("line ") {
            format!("not valid YAML: {message}")
        } else {
            let line = Position::of(text.as_bytes(), error.offset()).line;
            format!("not valid YAML: line {line}: {message}")
        })
    })?;
    text::to_value(yaml.tree.root()).map_err(ConfigError::new)
}

/// Removes quoted text from a message: YAML reads a password that begins with `*` as an alias, and quotes it.
///
/// Single characters stay, such as the `':'` in "did not find ':'".
fn without_quotations(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find(['\'', '"', '`']) {
        let (before, quoted) = rest.split_at(open);
        let quote = &quoted[..1];
        let Some(length) = quoted[1..].find(quote) else {
            break;
        };
        let (content, after) = (&quoted[1..=length], &quoted[length + 2..]);
        let content = if content.chars().count() > 1 {
            "…"
        } else {
            content
        };
        shown += &format!("{before}{quote}{content}{quote}");
        rest = after;
    }
    shown + rest
}
