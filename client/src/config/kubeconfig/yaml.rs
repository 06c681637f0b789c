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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents() {
        let text = "a: '1'\nb: {c: [x, 'null', ~, \"y\\n\"]}\nd: &n\n  e: |\n    two\n    lines\nf: *n\n---\nother: 1\n";
        assert_eq!(
            read(text).unwrap(),
            json!({
                "a": "1", "b": {"c": ["x", "null", null, "y\n"]},
                "d": {"e": "two\nlines\n"}, "f": {"e": "two\nlines\n"},
            })
        );
        assert_eq!(read("{\"a\": [true, 1]}").unwrap(), json!({"a": [true, 1]}));
        assert_eq!(read("").unwrap(), Value::Null);
        let repeated = "b: 0\na: {one: 1}\na: {two: 2}";
        assert_eq!(read(repeated).unwrap(), json!({"b": 0, "a": {"two": 2}}));
    }

    #[test]
    fn faults_name_the_line() {
        for (text, expected) in [
            ("a:\n- b\n  c: d: e", "not valid YAML: line 3: "),
            ("a: [1", "not valid YAML: line 1: "),
            ("a: 1\nb: \u{1}", "not valid YAML: line 2: "),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
        let nested = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        assert!(read(&nested).is_err());
    }

    #[test]
    fn faults_show_no_content() {
        for text in [
            "password: *planted-secret",
            "token: !!int planted-secret",
            "token: &planted-secret [*planted-secret]",
        ] {
            let error = read(text).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("planted-secret"), "{text}: {shown}");
        }
        assert_eq!(without_quotations("did not find ':'"), "did not find ':'");
        assert_eq!(without_quotations("it's 'ab' `é` x"), "it'…'ab' `é` x");
    }
}
