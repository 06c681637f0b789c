//! Reading a schema.

use super::format::Format;
use super::node::{Additional, ListType, Node, Nodes, Pattern, Reference};
use super::rule::Rule;
use crate::error::SchemaError;
use crate::go;
use crate::size;
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Keywords that restrict values and that this library does not read. A CustomResourceDefinition has none of them.
const NOT_READ: [&str; 13] = [
    "additionalItems",
    "const",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Reads a schema with its definitions. The rules are not compiled yet.
pub(crate) fn read(schema: &Value) -> Result<(Node, Nodes), SchemaError> {
    check_depth(schema)?;
    let definitions = match schema.get("$defs") {
        Some(found) => named(found, "/$defs")?,
        None => BTreeMap::new(),
    };
    let mut root = node(schema, "")?;
    root.is_resource = true;
    check_references(&root, &definitions)?;
    Ok((root, definitions))
}

pub(crate) fn read_definitions(definitions: &Value) -> Result<Nodes, SchemaError> {
    check_depth(definitions)?;
    let definitions = named(definitions, "")?;
    check_references(&Node::default(), &definitions)?;
    Ok(definitions)
}

fn check_depth(schema: &Value) -> Result<(), SchemaError> {
    match size::is_within_limit(schema) {
        true => Ok(()),
        false => {
            let message = format!("must have at most {} levels", size::MAX_LEVELS);
            Err(SchemaError::new("", message))
        }
    }
}

fn named(definitions: &Value, place: &str) -> Result<Nodes, SchemaError> {
    let definitions = definitions
        .as_object()
        .ok_or_else(|| SchemaError::new(place, "must be an object"))?;
    let read = |(name, definition): (&String, &Value)| {
        let node = node(definition, &inside(place, name))?;
        Ok((name.clone(), node))
    };
    definitions.iter().map(read).collect()
}

fn node(schema: &Value, place: &str) -> Result<Node, SchemaError> {
    let words = match schema {
        Value::Object(words) => words,
        // Any value.
        Value::Bool(true) => return Ok(Node::default()),
        _ => return Err(SchemaError::new(place, "must be an object")),
    };
    let read = Words { words, place };
    if let Some(reference) = read.text("$ref")? {
        return Ok(Node {
            reference: Some(Reference {
                name: reference.trim_start_matches("#/$defs/").to_owned(),
                place: format!("{place}/$ref"),
            }),
            ..Node::default()
        });
    }
    let int_or_string = read.flag("x-kubernetes-int-or-string")?;
    let types = match words.get("type") {
        _ if int_or_string => vec!["integer".to_owned(), "string".to_owned()],
        Some(Value::Array(_)) => read.texts("type")?,
        _ => read.text("type")?.into_iter().map(str::to_owned).collect(),
    };
    let is_resource = read.flag("x-kubernetes-embedded-resource")?;
    let list_keys = read.texts("x-kubernetes-list-map-keys")?;
    let (maximum, exclusive_maximum) = read.bound("maximum", "exclusiveMaximum")?;
    let (minimum, exclusive_minimum) = read.bound("minimum", "exclusiveMinimum")?;
    let only = types.first().filter(|_| types.len() == 1);
    Ok(Node {
        reference: None,
        format: read
            .text("format")?
            .and_then(|name| Format::of(name, only.map(String::as_str))),
        format_name: read.text("format")?.unwrap_or_default().to_owned(),
        nullable: read.flag("nullable")? || types.iter().any(|name| name == "null"),
        types: types.into_iter().filter(|name| name != "null").collect(),
        default: words
            .get("default")
            .filter(|value| !value.is_null())
            .cloned(),
        allowed: read.list("enum")?.to_vec(),
        maximum,
        exclusive_maximum,
        minimum,
        exclusive_minimum,
        multiple_of: read.number("multipleOf")?,
        max_length: read.count("maxLength")?,
        min_length: read.count("minLength")?,
        pattern: read
            .text("pattern")?
            .filter(|text| !text.is_empty())
            .map(pattern),
        max_items: read.count("maxItems")?,
        min_items: read.count("minItems")?,
        unique_items: read.flag("uniqueItems")?,
        max_properties: read.count("maxProperties")?,
        min_properties: read.count("minProperties")?,
        required: read.texts("required")?,
        properties: read.nodes("properties")?,
        additional: match words.get("additionalProperties") {
            None | Some(Value::Bool(true) | Value::Null) => None,
            Some(Value::Bool(false)) => Some(Additional::Forbidden),
            Some(_) => read.inner("additionalProperties")?.map(Additional::Schema),
        },
        items: match words.get("items") {
            Some(Value::Bool(_) | Value::Array(_)) => None,
            _ => read.inner("items")?,
        },
        all_of: read.branches("allOf")?,
        any_of: read.branches("anyOf")?,
        one_of: read.branches("oneOf")?,
        not: read.inner("not")?,
        list_type: match read.text("x-kubernetes-list-type")? {
            None | Some("atomic") => ListType::Atomic,
            Some("set") => ListType::Set,
            Some("map") => ListType::Map(list_keys),
            Some(_) => {
                let place = format!("{place}/x-kubernetes-list-type");
                return Err(SchemaError::new(&place, "must be `atomic`, `set` or `map`"));
            }
        },
        int_or_string,
        preserving: read.flag("x-kubernetes-preserve-unknown-fields")?,
        is_resource,
        rules: read.rules()?,
        unread: NOT_READ
            .iter()
            .copied()
            .filter(|word| words.contains_key(*word))
            // A schema for each element, or no element at all.
            .chain(
                matches!(
                    words.get("items"),
                    Some(Value::Array(_) | Value::Bool(false))
                )
                .then_some("items"),
            )
            .map(str::to_owned)
            .collect(),
    })
}

/// The JSON pointer of a field.
fn inside(place: &str, name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1");
    format!("{place}/{name}")
}

fn pattern(text: &str) -> Pattern {
    Pattern {
        text: text.to_owned(),
        compiled: Regex::new(&go::pattern(text)).map_err(|error| {
            let error = error.to_string();
            let last = error.lines().last().unwrap_or_default();
            let last = last.trim_start_matches("error: ");
            format!("not a supported regular expression: {last}")
        }),
    }
}

struct Words<'a> {
    words: &'a Map<String, Value>,
    place: &'a str,
}

impl<'a> Words<'a> {
    /// The value of a keyword, read by `read`; `null` is an absence.
    fn get<T>(
        &self,
        word: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, SchemaError> {
        match self.words.get(word) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match read(value) {
                Some(value) => Ok(Some(value)),
                None => {
                    let place = format!("{}/{word}", self.place);
                    Err(SchemaError::new(&place, format!("must be {expected}")))
                }
            },
        }
    }

    fn text(&self, word: &str) -> Result<Option<&'a str>, SchemaError> {
        self.get(word, "a string", Value::as_str)
    }

    fn flag(&self, word: &str) -> Result<bool, SchemaError> {
        Ok(self.get(word, "a boolean", Value::as_bool)? == Some(true))
    }

    fn number(&self, word: &str) -> Result<Option<f64>, SchemaError> {
        self.get(word, "a number", Value::as_f64)
    }

    fn count(&self, word: &str) -> Result<Option<u64>, SchemaError> {
        self.get(word, "an integer that is not negative", Value::as_u64)
    }

    /// A bound, and whether it is itself excluded: a flag beside it, or another bound in newer drafts.
    fn bound(&self, word: &str, exclusive: &str) -> Result<(Option<f64>, bool), SchemaError> {
        match self.words.get(exclusive) {
            Some(Value::Number(bound)) => Ok((bound.as_f64(), true)),
            _ => Ok((self.number(word)?, self.flag(exclusive)?)),
        }
    }

    fn list(&self, word: &str) -> Result<&'a [Value], SchemaError> {
        let list = |value: &'a Value| value.as_array().map(Vec::as_slice);
        Ok(self.get(word, "a list", list)?.unwrap_or_default())
    }

    fn texts(&self, word: &str) -> Result<Vec<String>, SchemaError> {
        let text = |(index, value): (usize, &Value)| match value.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => {
                let place = format!("{}/{word}/{index}", self.place);
                Err(SchemaError::new(&place, "must be a string"))
            }
        };
        self.list(word)?.iter().enumerate().map(text).collect()
    }

    fn inner(&self, word: &str) -> Result<Option<Box<Node>>, SchemaError> {
        match self.words.get(word) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let place = format!("{}/{word}", self.place);
                Ok(Some(Box::new(node(value, &place)?)))
            }
        }
    }

    fn branches(&self, word: &str) -> Result<Vec<Node>, SchemaError> {
        let read = |(index, branch)| node(branch, &format!("{}/{word}/{index}", self.place));
        self.list(word)?.iter().enumerate().map(read).collect()
    }

    fn nodes(&self, word: &str) -> Result<Nodes, SchemaError> {
        let fields = self.get(word, "an object", Value::as_object)?;
        let read = |(name, schema): (&String, &Value)| {
            let place = inside(&format!("{}/{word}", self.place), name);
            Ok((name.clone(), node(schema, &place)?))
        };
        fields.into_iter().flatten().map(read).collect()
    }

    fn rules(&self) -> Result<Vec<Rule>, SchemaError> {
        let word = "x-kubernetes-validations";
        let read = |(index, rule): (usize, &Value)| {
            let place = format!("{}/{word}/{index}", self.place);
            let words = rule
                .as_object()
                .ok_or_else(|| SchemaError::new(&place, "must be an object"))?;
            let words = Words {
                words,
                place: &place,
            };
            let text = |word| Ok(words.text(word)?.unwrap_or_default().to_owned());
            Ok(Rule::new(
                text("rule")?,
                text("message")?,
                text("messageExpression")?,
                text("reason")?,
                text("fieldPath")?,
                words.flag("optionalOldSelf")?,
            ))
        };
        self.list(word)?.iter().enumerate().map(read).collect()
    }
}

/// Fails if a reference leads nowhere, or in a circle without a value between.
fn check_references(root: &Node, definitions: &Nodes) -> Result<(), SchemaError> {
    let mut open = vec![root];
    open.extend(definitions.values());
    while let Some(node) = open.pop() {
        let mut steps = 0;
        let mut target = node;
        while let Some(Reference { name, place }) = &target.reference {
            target = definitions.get(name).ok_or_else(|| {
                let message = format!("there is no definition `{name}` in `$defs`");
                SchemaError::new(place, message)
            })?;
            steps += 1;
            if steps > definitions.len() {
                let message = format!("the definition `{name}` refers to itself");
                return Err(SchemaError::new(place, message));
            }
        }
        open.extend(node.children().into_iter().map(|(_, node)| node));
    }
    check_circles(definitions)
}

/// Fails if the check of a value by a definition would lead to the same value by the same definition: through references and branches.
fn check_circles(definitions: &Nodes) -> Result<(), SchemaError> {
    // The definitions that each one applies to its own value, without those that lead to no circle.
    let mut open: BTreeMap<&str, BTreeMap<&str, &str>> = definitions
        .iter()
        .map(|(name, node)| (name.as_str(), applied(node)))
        .collect();
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, applied) in &open {
        for other in applied.keys() {
            users.entry(other).or_default().push(name);
        }
    }
    let ends = open.iter().filter(|(_, applied)| applied.is_empty());
    let mut ends: Vec<&str> = ends.map(|(name, _)| *name).collect();
    while let Some(end) = ends.pop() {
        open.remove(end);
        for user in users.get(end).into_iter().flatten() {
            if let Some(applied) = open.get_mut(user)
                && applied.remove(end).is_some()
                && applied.is_empty()
            {
                ends.push(user);
            }
        }
    }
    // From a definition that leads to a circle into it.
    let mut next = open.keys().next().map(|name| (*name, ""));
    let mut passed = BTreeSet::new();
    while let Some((name, place)) = next {
        if !passed.insert(name) {
            let message = format!("the definition `{name}` refers to itself");
            return Err(SchemaError::new(place, message));
        }
        let applied = open.get(name).and_then(BTreeMap::first_key_value);
        next = applied.map(|(name, place)| (*name, *place));
    }
    Ok(())
}

/// The definitions that a schema applies to its own value, with the place of a reference to each.
fn applied(node: &Node) -> BTreeMap<&str, &str> {
    let (mut open, mut found) = (vec![node], BTreeMap::new());
    while let Some(node) = open.pop() {
        if let Some(Reference { name, place }) = &node.reference {
            found.insert(name.as_str(), place.as_str());
        }
        open.extend(node.all_of.iter().chain(&node.any_of).chain(&node.one_of));
        open.extend(node.not.as_deref());
    }
    found
}
