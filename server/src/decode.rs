//! JSON text into trees of a known type, with the problems that a Go server would see.
//!
//! Unknown and repeated members are reported in the order of the text; a member that comes again adds to
//! the first when both are objects and replaces it otherwise.

mod node;

pub(crate) use node::{Node, parse};

use k8s_flowcontrol::schema::{Shape, TypeSchema};
use serde_json::{Map, Value};

/// The server stops counting there.
const MOST_PROBLEMS: usize = 100;

/// Types of the shared schemas; in Go they are of version v1 in every group.
const META_TYPES: &[&str] = &[
    "ObjectMeta",
    "OwnerReference",
    "ManagedFieldsEntry",
    "ListMeta",
];

/// An object of a type, and what strict validation has against its text.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) tree: Value,
    pub(crate) problems: Vec<String>,
}

/// Reads `node` as `schema`, a type of `version`.
///
/// # Errors
/// The first value of a wrong type, as Go words it.
pub(crate) fn decode(node: &Node, schema: &TypeSchema, version: &str) -> Result<Decoded, String> {
    let mut decoder = Decoder {
        version,
        problems: Vec::new(),
        error: None,
    };
    let mut tree = Map::new();
    if let Node::Object(members) = node {
        decoder.members(members, schema, &mut tree, &Place::default());
    }
    match decoder.error {
        Some(error) => Err(error),
        None => Ok(Decoded {
            tree: Value::Object(tree),
            problems: decoder.problems,
        }),
    }
}

/// What Go calls the type of a JSON value.
pub(crate) fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Where in the text a value stands.
#[derive(Clone, Debug, Default)]
struct Place {
    /// With positions in lists, for strict problems.
    path: String,
    /// Without, for type errors.
    go_path: String,
    /// The struct around it.
    owner: String,
}

impl Place {
    fn member(&self, name: &str, owner: &str) -> Self {
        let join = |path: &str| {
            if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            }
        };
        Self {
            path: join(&self.path),
            go_path: join(&self.go_path),
            owner: owner.into(),
        }
    }

    fn element(&self, index: usize) -> Self {
        Self {
            path: format!("{}[{index}]", self.path),
            ..self.clone()
        }
    }

    fn key(&self, key: &str) -> Self {
        Self {
            path: format!("{}.{key}", self.path),
            ..self.clone()
        }
    }
}

struct Decoder<'a> {
    version: &'a str,
    problems: Vec<String>,
    error: Option<String>,
}

impl Decoder<'_> {
    fn members(
        &mut self,
        members: &[(String, Node)],
        schema: &TypeSchema,
        into: &mut Map<String, Value>,
        place: &Place,
    ) {
        for (at, (name, node)) in members.iter().enumerate() {
            let place = place.member(name, schema.name);
            let earlier = members[..at]
                .iter()
                .filter(|(earlier, _)| earlier == name)
                .count();
            match (schema.field(name), earlier) {
                (_, 1) => self.problem(format!("duplicate field {:?}", place.path)),
                (None, 0) if !is_type_meta(&place.path) => {
                    self.problem(format!("unknown field {:?}", place.path));
                }
                _ => {}
            }
            if let Some(field) = schema.field(name) {
                let value = into.entry(name.clone()).or_insert(Value::Null);
                self.value(node, &field.shape, value, &place);
            }
        }
        into.retain(|_, value| !value.is_null());
    }

    fn value(&mut self, node: &Node, shape: &Shape, into: &mut Value, place: &Place) {
        match (shape, node) {
            (_, Node::Null) => {}
            (Shape::Object(schema), Node::Object(members)) => {
                if !into.is_object() {
                    *into = Value::Object(Map::new());
                }
                if let Value::Object(into) = into {
                    self.members(members, schema, into, place);
                }
            }
            (Shape::Map { value: shape, .. }, Node::Object(entries)) => {
                if !into.is_object() {
                    *into = Value::Object(Map::new());
                }
                let Value::Object(into) = into else { return };
                for (at, (key, node)) in entries.iter().enumerate() {
                    let place = place.key(key);
                    if entries[..at]
                        .iter()
                        .filter(|(earlier, _)| earlier == key)
                        .count()
                        == 1
                    {
                        self.problem(format!("duplicate field {:?}", place.path));
                    }
                    let mut value = Value::Null;
                    self.value(node, shape, &mut value, &place);
                    if value.is_null() {
                        value = crate::wire::zero(shape);
                    }
                    into.insert(key.clone(), value);
                }
            }
            (Shape::List { element, .. }, Node::Array(nodes)) => {
                let mut elements = match std::mem::take(into) {
                    Value::Array(elements) => elements,
                    _ => Vec::new(),
                };
                elements.resize(nodes.len(), Value::Null);
                for (index, (node, element_into)) in nodes.iter().zip(&mut elements).enumerate() {
                    self.value(node, element, element_into, &place.element(index));
                    if element_into.is_null() {
                        *element_into = crate::wire::zero(element);
                    }
                }
                *into = Value::Array(elements);
            }
            (Shape::String, Node::String(text)) => *into = text.as_str().into(),
            (Shape::Time | Shape::MicroTime, Node::String(text)) => self.time(text, into),
            (Shape::Boolean, Node::Bool(value)) => *into = (*value).into(),
            (Shape::Int32, Node::Number(number))
                if number
                    .as_i64()
                    .is_some_and(|number| i32::try_from(number).is_ok()) =>
            {
                *into = number.clone().into();
            }
            (Shape::Int64, Node::Number(number)) if number.as_i64().is_some() => {
                *into = number.clone().into();
            }
            (Shape::Number, Node::Number(number)) => *into = number.clone().into(),
            (Shape::Any, node) => *into = node.to_value(),
            (Shape::IntOrString | Shape::Quantity, Node::Number(_) | Node::String(_)) => {
                *into = node.to_value()
            }
            _ => self.mismatch(node, shape, place),
        }
    }

    fn time(&mut self, text: &str, into: &mut Value) {
        match text.parse::<jiff::Timestamp>() {
            Ok(time) => *into = format!("{time:.0}").into(),
            Err(_) => {
                let rest = if text.is_empty() { "" } else { text };
                self.fail(format!(
                    "parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {rest:?} \
                     as \"2006\""
                ));
            }
        }
    }

    fn mismatch(&mut self, node: &Node, shape: &Shape, place: &Place) {
        let found = match node {
            // Go shows the number where an integer was wanted.
            Node::Number(number) if matches!(shape, Shape::Int32 | Shape::Int64) => {
                format!("number {number}")
            }
            node => node.go_kind().to_owned(),
        };
        self.fail(format!(
            "json: cannot unmarshal {found} into Go struct field {}.{} of type {}",
            place.owner,
            place.go_path,
            self.go_type(shape),
        ));
    }

    fn go_type(&self, shape: &Shape) -> String {
        match shape {
            Shape::String | Shape::Time | Shape::MicroTime => "string".into(),
            Shape::Int32 => "int32".into(),
            Shape::Int64 => "int64".into(),
            Shape::Number => "float64".into(),
            Shape::Boolean => "bool".into(),
            Shape::IntOrString => "intstr.IntOrString".into(),
            Shape::Quantity => "resource.Quantity".into(),
            Shape::Any => "interface {}".into(),
            Shape::Object(schema) if META_TYPES.contains(&schema.name) => {
                format!("v1.{}", schema.name)
            }
            Shape::Object(schema) => format!("{}.{}", self.version, schema.name),
            Shape::List { element, .. } => format!("[]{}", self.go_type(element)),
            Shape::Map { value, .. } => format!("map[string]{}", self.go_type(value)),
        }
    }

    fn problem(&mut self, problem: String) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn fail(&mut self, error: String) {
        self.error.get_or_insert(error);
    }
}

/// The type of an object is looked at elsewhere.
fn is_type_meta(path: &str) -> bool {
    matches!(path, "apiVersion" | "kind")
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_flowcontrol::api::v1;
    use serde_json::json;

    fn decoded(text: &str) -> Result<Decoded, String> {
        let kind = v1::RESOURCES
            .iter()
            .find(|kind| kind.kind == "FlowSchema")
            .unwrap();
        decode(&parse(text.as_bytes()).unwrap(), kind.schema, "v1")
    }

    #[test]
    fn unknown_and_repeated_members_are_reported_in_the_order_of_the_text() {
        let text = r#"{"metadata": {"name": "a", "nope": 1}, "spec": {"bogus": 1}, "other": {},
            "spec": {"matchingPrecedence": 5}, "metadata": {"name": "b", "name": "c"}}"#;
        let decoded = decoded(text).unwrap();
        assert_eq!(
            decoded.problems,
            [
                "unknown field \"metadata.nope\"",
                "unknown field \"spec.bogus\"",
                "unknown field \"other\"",
                "duplicate field \"spec\"",
                "duplicate field \"metadata\"",
                "duplicate field \"metadata.name\"",
            ]
        );
        assert_eq!(
            decoded.tree,
            json!({"metadata": {"name": "c"}, "spec": {"matchingPrecedence": 5}})
        );
    }

    #[test]
    fn wrong_types_are_told_as_go_does() {
        for (text, error) in [
            (
                r#"{"spec": "text"}"#,
                "json: cannot unmarshal string into Go struct field FlowSchema.spec of type \
                 v1.FlowSchemaSpec",
            ),
            (
                r#"{"spec": {"matchingPrecedence": 1.5}}"#,
                "json: cannot unmarshal number 1.5 into Go struct field \
                 FlowSchemaSpec.spec.matchingPrecedence of type int32",
            ),
            (
                r#"{"spec": {"rules": [{"subjects": 5}]}}"#,
                "json: cannot unmarshal number into Go struct field \
                 PolicyRulesWithSubjects.spec.rules.subjects of type []v1.Subject",
            ),
        ] {
            assert_eq!(decoded(text).unwrap_err(), error);
        }
    }

    #[test]
    fn a_null_is_an_absence_and_in_a_list_a_zero() {
        let text = r#"{"spec": {"distinguisherMethod": null, "rules": [null]}}"#;
        assert_eq!(
            decoded(text).unwrap().tree,
            json!({"spec": {"rules": [{"subjects": null}]}})
        );
    }
}
