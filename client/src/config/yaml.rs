//! Just enough YAML for kubeconfig files: maps, lists, and scalars that are kept as text.

use super::ConfigError;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// How many values a file may have, aliases counted each time.
const MAX_VALUES: usize = 100_000;
/// How deep they may be nested.
const MAX_DEPTH: usize = 64;

/// Reads the first document. Every scalar is a string, but for the plain spellings of `null`.
pub(super) fn read(text: &str) -> Result<Value, ConfigError> {
    let mut loader = Loader {
        anchors: HashMap::new(),
        open: Vec::new(),
        values: 0,
        root: Value::Null,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| ConfigError::new(format!("no YAML: {error}")))?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        loader.take(event).map_err(|message| {
            ConfigError::new(format!("{message} (line {})", span.start.line()))
        })?;
    }
    Ok(loader.root)
}

struct Loader {
    anchors: HashMap<usize, (Value, usize)>,
    open: Vec<Open>,
    values: usize,
    root: Value,
}

struct Open {
    collection: Collection,
    anchor: usize,
    /// How many values there were before it.
    values_before: usize,
}

enum Collection {
    List(Vec<Value>),
    /// With the key whose value is yet to come.
    Map(Map<String, Value>, Option<String>),
}

impl Loader {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let is_null = style == ScalarStyle::Plain
                    && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                let value = if is_null {
                    Value::Null
                } else {
                    Value::String(text.into_owned())
                };
                self.count(1)?;
                self.complete(value, anchor, 1)
            }
            Event::Alias(anchor) => {
                let (value, size) = self
                    .anchors
                    .get(&anchor)
                    .cloned()
                    .ok_or("an alias to itself")?;
                self.count(size)?;
                self.complete(value, 0, size)
            }
            Event::SequenceStart(anchor, _) => self.begin(Collection::List(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => self.begin(Collection::Map(Map::new(), None), anchor),
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop().ok_or("an end without a beginning")?;
                let value = match open.collection {
                    Collection::List(list) => Value::Array(list),
                    Collection::Map(map, _) => Value::Object(map),
                };
                self.complete(value, open.anchor, self.values - open.values_before)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, collection: Collection, anchor: usize) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("values nested deeper than {MAX_DEPTH}"));
        }
        let values_before = self.values;
        self.count(1)?;
        self.open.push(Open {
            collection,
            anchor,
            values_before,
        });
        Ok(())
    }

    fn count(&mut self, values: usize) -> Result<(), String> {
        self.values += values;
        if self.values > MAX_VALUES {
            Err(format!("more than {MAX_VALUES} values"))
        } else {
            Ok(())
        }
    }

    fn complete(&mut self, value: Value, anchor: usize, size: usize) -> Result<(), String> {
        if anchor != 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut().map(|open| &mut open.collection) {
            None => self.root = value,
            Some(Collection::List(list)) => list.push(value),
            Some(Collection::Map(map, key)) => match (key.take(), value) {
                (Some(name), value) => {
                    if map.contains_key(&name) {
                        return Err(format!("`{name}` twice"));
                    }
                    map.insert(name, value);
                }
                (None, Value::String(name)) => *key = Some(name),
                (None, _) => return Err("a key that is no text".to_owned()),
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents() {
        let text = "a: 1\nb: {c: [x, 'null', ~, \"y\\n\"]}\nd: &n\n  e: |\n    two\n    lines\nf: *n\n---\nother: 1\n";
        assert_eq!(
            read(text).unwrap(),
            json!({
                "a": "1", "b": {"c": ["x", "null", null, "y\n"]},
                "d": {"e": "two\nlines\n"}, "f": {"e": "two\nlines\n"},
            })
        );
        assert_eq!(read("{\"a\": [true]}").unwrap(), json!({"a": ["true"]}));
        assert_eq!(read("").unwrap(), Value::Null);
    }

    #[test]
    fn faults() {
        for (text, expected) in [
            ("a: 1\na: 2", "`a` twice (line 2)"),
            ("a: [1", "no YAML"),
            ("a: *b", "no YAML"),
            ("? [a]\n: b", "a key that is no text"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(read(&"[".repeat(100)).is_err());
    }

    #[test]
    fn aliases_do_not_explode() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let alias = format!("*a{}", level - 1);
            text += &format!(
                "a{level}: &a{level} [{}]\n",
                [alias.as_str(); 10].join(", ")
            );
        }
        assert!(
            read(&text)
                .unwrap_err()
                .to_string()
                .contains("more than 100000 values")
        );
    }
}
