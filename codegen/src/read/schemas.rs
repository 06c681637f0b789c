//! From a JSON schema to a type.

use super::keywords;
use super::references::References;
use super::type_keyword::{
    is_format, is_int_or_string, is_null, is_nullable, only_strings, single_type,
};
use crate::documents::Document;
use crate::error::Error;
use crate::json::{Json, Node};
use crate::model::{EnumType, ListKind, Scalar, Type};
use crate::unexpressed::Unexpressed;
use std::sync::Arc;

/// The remedy for schemas of documents that are not Kubernetes'.
pub(super) const PLAIN: &str =
    "read any document as plain types with `types --from FILE` or `plain()`";

impl References<'_> {
    /// Reads the schema at `node`. In a plain document a schema without a Rust type stands for any JSON.
    pub(super) fn schema(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
    ) -> Result<Type, Error> {
        match self.described(document, node) {
            Err(error) if self.documents.plain && error.is_unsupported() => {
                self.unexpressed.insert(Unexpressed::any_json(&error));
                Ok(Type::Scalar(Scalar::Any))
            }
            read => read,
        }
    }

    fn described(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Type, Error> {
        match node.json {
            Json::Object(_) => {}
            Json::Bool(true) => return Ok(Type::Scalar(Scalar::Any)),
            Json::Bool(false) => {
                return Err(node
                    .error("the schema `false` allows no value")
                    .help("remove the field from the document")
                    .unsupported());
            }
            // The error names the type that was found.
            _ => {
                return Err(node
                    .fields()
                    .err()
                    .unwrap_or_else(|| node.error("expected a schema")));
            }
        }
        keywords::check(node, self.documents.plain)?;
        if self.documents.plain {
            self.unexpressed.extend(keywords::ignored(node));
        }
        if let Some(reference) = node.get("$ref") {
            // JSONSchemaProps has a field of this name, but under `properties`.
            let key = self.key(document, reference.string()?, &reference.at)?;
            return Ok(match key {
                Some(key) => Type::Reference(key, reference.at),
                None => Type::Scalar(Scalar::Any),
            });
        }
        if let Some(value) = self.composed(document, node)? {
            return Ok(value);
        }
        self.plain(document, node)
    }

    /// Reads `allOf`, `oneOf` and `anyOf`. `None` if they only restrict the schema that contains them.
    fn composed(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
    ) -> Result<Option<Type>, Error> {
        if node.flag("x-kubernetes-int-or-string")? || is_format(node, "int-or-string") {
            return Ok(Some(Type::Scalar(Scalar::IntOrString)));
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            let Some(all) = node.get(keyword) else {
                continue;
            };
            let branches: Vec<Node<'_>> = all
                .elements()?
                .into_iter()
                .filter(|branch| !keywords::only_restricts(branch) && !is_null(branch))
                .filter(|branch| {
                    !keywords::is_described(node) || keywords::states_type(branch.json)
                })
                .collect();
            if branches.is_empty() {
                continue;
            }
            let is_described = node.get("properties").is_some() || node.get("items").is_some();
            if keyword != "allOf"
                && !is_described
                && let Some(scalar) = self.text_or_number(&branches)
            {
                return Ok(Some(Type::Scalar(scalar)));
            }
            if self.documents.plain && (branches.len() > 1 || is_described) {
                return self.combined(document, node, &all, &branches);
            }
            if is_described {
                return Err(all
                    .error(format!(
                        "`{keyword}` beside `properties` or `items` is not supported"
                    ))
                    .help(format!(
                        "list all fields in `properties` of one schema, or {PLAIN}"
                    )));
            }
            if let [branch] = branches.as_slice() {
                return self.schema(document, branch).map(Some);
            }
            return Err(all
                .error(format!("`{keyword}` of several schemas is not supported"))
                .help(
                    format!("give one schema, an integer and a string, or a number and a string; list the fields \
                     of all schemas in `properties` of one; or {PLAIN}"),
                ).unsupported());
        }
        Ok(None)
    }

    /// The type of an integer or a string, or of a number or a string. In documents that are not Kubernetes' the latter is not a quantity.
    fn text_or_number(&self, branches: &[Node<'_>]) -> Option<Scalar> {
        let [left, right] = branches else {
            return None;
        };
        fn of<'a>(branch: &Node<'a>) -> Option<&'a str> {
            single_type(&branch.get("type")?).ok().flatten()
        }
        let mut types = [of(left)?, of(right)?];
        types.sort_unstable();
        match types {
            ["integer", "string"] => Some(Scalar::IntOrString),
            ["number", "string"] if !self.documents.plain => Some(Scalar::Quantity),
            _ => None,
        }
    }

    /// Reads a schema that refers to no other.
    fn plain(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Type, Error> {
        let stated = match node.get("type") {
            Some(types) if is_int_or_string(&types)? => {
                return Ok(Type::Scalar(Scalar::IntOrString));
            }
            Some(types) => single_type(&types)?,
            None => None,
        };
        let implied = || {
            if node.get("properties").is_some() || node.get("additionalProperties").is_some() {
                Some("object")
            } else if node.get("items").is_some() {
                Some("array")
            } else if node.get("enum").is_some_and(|values| only_strings(&values)) {
                Some("string")
            } else {
                None
            }
        };
        let format = node.string_of("format")?.unwrap_or_default();
        let scalar = match stated.or_else(implied) {
            None => Scalar::Any,
            Some("boolean") => Scalar::Boolean,
            Some("number") if matches!(format, "double" | "float") => Scalar::Float,
            Some("number") => Scalar::Number,
            Some("integer") if format == "int32" => Scalar::Int32,
            // More than 63 bits: only its text holds every value.
            Some("integer") if format == "uint64" => Scalar::Number,
            Some("integer") => Scalar::Int64,
            Some("string") if node.get("enum").is_some() => return enumeration(node),
            Some("string") if format == "date-time" => Scalar::Time,
            Some("string") if format == "byte" => Scalar::Bytes,
            Some("string") => Scalar::String,
            Some("array") => return self.list(document, node),
            Some("object") => return self.object(document, node),
            Some("null") if self.documents.plain => Scalar::Any,
            Some(other) => {
                let at = node.get("type").map_or_else(|| node.at.clone(), |t| t.at);
                return Err(Error::at(&at, format!("`{other}` is not a JSON Schema type")).help(
                    "the types are `string`, `integer`, `number`, `boolean`, `array` and `object`",
                ));
            }
        };
        Ok(Type::Scalar(scalar))
    }

    fn list(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Type, Error> {
        let element = match node.get("items") {
            None => Type::Scalar(Scalar::Any),
            Some(items) if matches!(items.json, Json::Array(_)) => {
                return Err(items
                    .error("a list whose elements have a schema each is not supported")
                    .help("describe all elements by one schema in `items`")
                    .unsupported());
            }
            // No element is allowed.
            Some(items) if matches!(items.json, Json::Bool(false)) => Type::Scalar(Scalar::Any),
            Some(items) => self.inner(document, &items)?,
        };
        Ok(Type::List(Box::new(element), list_kind(node)?))
    }

    /// Reads the schema of a list's elements or a map's values. A `null` in a list or map is its own value.
    pub(super) fn inner(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
    ) -> Result<Type, Error> {
        let value = self.schema(document, node)?;
        Ok(
            match is_nullable(node)? && !matches!(value, Type::Scalar(Scalar::Any)) {
                true => Type::Nullable(Box::new(value)),
                false => value,
            },
        )
    }
}

/// How server-side apply merges a list.
fn list_kind(node: &Node<'_>) -> Result<ListKind, Error> {
    let (word, keys) = ("x-kubernetes-list-type", "x-kubernetes-list-map-keys");
    let error = |message: String, help: &str| {
        let at = node
            .get(word)
            .map_or_else(|| node.at.clone(), |word| word.at);
        Err(Error::at(&at, message).help(help))
    };
    Ok(match node.string_of(word)? {
        None | Some("atomic") => ListKind::Atomic,
        Some("set") => ListKind::Set,
        Some("map") => match node.strings_of(keys)? {
            none if none.is_empty() => {
                let message = format!("a list of the type `map` needs `{keys}`");
                return error(message, "name the fields that identify an element");
            }
            names => ListKind::Map(names),
        },
        Some(other) => {
            let message = format!("`{other}` is not a type of lists");
            return error(message, "the types are `atomic`, `set` and `map`");
        }
    })
}

fn enumeration(node: &Node<'_>) -> Result<Type, Error> {
    let Some(list) = node.get("enum") else {
        return Ok(Type::Scalar(Scalar::String));
    };
    let mut values: Vec<String> = Vec::new();
    for value in list.elements()? {
        // `null` in an enum only makes the field nullable.
        if matches!(value.json, Json::Null) {
            continue;
        }
        let value = value.string().map_err(Error::unsupported)?;
        if !values.iter().any(|v| v == value) {
            values.push(value.to_owned());
        }
    }
    if values.is_empty() {
        return Err(list
            .error("the `enum` has no values")
            .help("list the values, or remove `enum`"));
    }
    Ok(Type::Enum(EnumType {
        title: node.string_of("title")?.map(str::to_owned),
        description: description(node)?,
        values,
        at: node.at.clone(),
    }))
}

pub(super) fn description(node: &Node<'_>) -> Result<String, Error> {
    Ok(node
        .string_of("description")?
        .unwrap_or_default()
        .to_owned())
}
