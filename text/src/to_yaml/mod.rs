//! Writes YAML in the layout of go-yaml. Own code, because the layout is part of a server's responses.

mod emitter;
mod keys;
mod plain;

use emitter::Emitter;
use serde_json::Value;

/// Writes a value as a YAML document, like a Kubernetes API server and kubectl: keys in go-yaml's order, long lines folded,
/// text of several lines as a block, and quotes around strings that YAML 1.1 would read as another type.
///
/// [`parse_yaml`](crate::parse_yaml) reads the same value from it. The text ends with a line break and has no `---`.
///
/// ```
/// use k8s_flowcontrol_text::to_yaml;
/// use serde_json::json;
///
/// let object = json!({"metadata": {"name": "batch", "labels": {"on": "yes"}}, "spec": {"rules": [{"subjects": []}]}});
/// let expected = r#"metadata:
///   labels:
///     "on": "yes"
///   name: batch
/// spec:
///   rules:
///   - subjects: []
/// "#;
/// assert_eq!(to_yaml(&object), expected);
/// ```
pub fn to_yaml(value: &Value) -> String {
    let mut emitter = Emitter::default();
    emitter.document(value);
    emitter.finish()
}

#[cfg(test)]
mod tests {
    use super::to_yaml;
    use serde_json::json;

    #[test]
    fn it_reads_like_the_servers() {
        let value = json!({
            "b": {"list": [{"y": 1, "x": "yes"}, [1, [2]], [], {}], "empty": "", "none": null},
            "a10": "2024-01-31T12:00:00Z",
            "a9": "a: b",
            "k:{\"type\":\"x\"}": true,
            "text": "one\ntwo\n",
            "chomped": "one\ntwo",
            "quoted": "it's #1 # not",
            "tab": "a\tb",
        });
        let expected = "a9: 'a: b'\n\
             a10: \"2024-01-31T12:00:00Z\"\n\
             b:\n\
             \x20 empty: \"\"\n\
             \x20 list:\n\
             \x20 - x: \"yes\"\n\
             \x20   \"y\": 1\n\
             \x20 - - 1\n\
             \x20   - - 2\n\
             \x20 - []\n\
             \x20 - {}\n\
             \x20 none: null\n\
             chomped: |-\n\
             \x20 one\n\
             \x20 two\n\
             k:{\"type\":\"x\"}: true\n\
             quoted: 'it''s #1 # not'\n\
             tab: \"a\\tb\"\n\
             text: |\n\
             \x20 one\n\
             \x20 two\n";
        assert_eq!(to_yaml(&value), expected);
    }

    #[test]
    fn long_text_is_folded_at_spaces() {
        let text = "word ".repeat(20) + "end";
        let folded = to_yaml(&json!({"a": text}));
        let lines: Vec<_> = folded.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0].len() > 80 && lines[1].starts_with("  word"),
            "{folded}"
        );
    }
}
