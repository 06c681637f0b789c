//! JSONPath templates as kubectl has them: `{.items[*].metadata.name}{"\n"}`.
//!
//! Text outside of braces is copied. Inside there is a path, a quoted text, or `range PATH` and `end`. Missing fields print
//! nothing.

mod evaluate;
mod parse;

use serde_json::Value;
use std::str::FromStr;

/// A template.
#[derive(Clone, Debug)]
pub(crate) struct JsonPath(Vec<Node>);

/// A part of a template.
#[derive(Clone, Debug)]
enum Node {
    Text(String),
    Path(Path),
    /// The parts are printed for each value of the path.
    Range(Path, Vec<Node>),
}

/// A path, from the root or from the current value.
#[derive(Clone, Debug)]
struct Path {
    is_absolute: bool,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// The fields with these names.
    Fields(Vec<String>),
    /// All fields or elements.
    All,
    /// The value and everything below it.
    Descendants,
    /// The elements at these places.
    Elements(Vec<Slice>),
    /// The elements with a property.
    Filter(Operand, Option<(Operator, Operand)>),
}

/// A slice of a list; negative numbers count from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slice {
    At(i64),
    Range {
        start: Option<i64>,
        end: Option<i64>,
        step: i64,
    },
}

#[derive(Clone, Debug)]
enum Operand {
    Path(Path),
    Literal(Value),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl FromStr for JsonPath {
    type Err = String;

    fn from_str(template: &str) -> Result<Self, String> {
        let nodes = parse::parse(template)
            .map_err(|message| format!("invalid JSONPath template: {message}"))?;
        Ok(Self(nodes))
    }
}

impl JsonPath {
    /// The text of the template for a value.
    pub(crate) fn apply(&self, root: &Value) -> String {
        let mut text = String::new();
        evaluate::print(&self.0, root, root, &mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn templates_print_what_kubectl_prints() {
        let root = json!({"kind": "List", "items": [
            {"metadata": {"name": "a", "labels": {"app.io/team": "x"}}, "spec": {"shares": 5, "verbs": ["get", "list"]}},
            {"metadata": {"name": "b"}, "spec": {"shares": 30, "on": true}},
        ]});
        for (template, expected) in [
            ("{.kind}", "List"),
            ("kind {.kind}!", "kind List!"),
            ("{.items[*].metadata.name}", "a b"),
            ("{.items..name}", "a b"),
            ("{.items[0].spec}", r#"{"shares":5,"verbs":["get","list"]}"#),
            ("{.items[-1:].metadata['name']}", "b"),
            (
                "{.items[0]['metadata','spec']}",
                r#"{"labels":{"app.io/team":"x"},"name":"a"} {"shares":5,"verbs":["get","list"]}"#,
            ),
            ("{.items[0,1].spec.shares}", "5 30"),
            ("{.items[0:2].spec.shares}", "5 30"),
            (r"{.items[0].metadata.labels.app\.io/team}", "x"),
            ("{.items[?(@.spec.shares>5)].metadata.name}", "b"),
            ("{.items[?(@.metadata.name==\"a\")].spec.verbs[1]}", "list"),
            ("{.items[?(@.spec.on)].metadata.name}", "b"),
            ("{.items[?(@.spec.on==true)].metadata.name}", "b"),
            (
                "{range .items[*]}{.metadata.name}{'\\t'}{.spec.shares}{\"\\n\"}{end}",
                "a\t5\nb\t30\n",
            ),
            ("{range $.items[*]}{@.spec.verbs[*]};{end}", "get list;;"),
            ("{.missing}{.items[7].metadata}", ""),
        ] {
            let path: JsonPath = template.parse().unwrap();
            assert_eq!(path.apply(&root), expected, "{template}");
        }
    }

    #[test]
    fn broken_templates_are_errors() {
        for template in [
            "{.items",
            "{.items[}",
            "{range .items}",
            "{end}",
            "{items}",
            "{.a[?(@.b]}",
            "{'a}",
            "{.a[1:2:0]}",
            "{.a[x]}",
        ] {
            let error = template.parse::<JsonPath>().unwrap_err();
            assert!(error.starts_with("invalid JSONPath template: "), "{error}");
        }
    }
}
