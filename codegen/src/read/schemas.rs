//! From a JSON schema to a type.

use super::custom;
use super::keywords;
use super::references::References;
use crate::documents::Document;
use crate::error::Error;
use crate::json::{Json, Node};
use crate::model::{EnumType, Field, FieldFacts, ListKind, ObjectType, Scalar, Type};
use std::sync::Arc;

impl References<'_> {
    /// Reads the schema at `node`.
    pub(super) fn schema(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
    ) -> Result<Type, Error> {
        match node.json {
            Json::Object(_) => {}
            Json::Bool(true) => return Ok(Type::Scalar(Scalar::Any)),
            Json::Bool(false) => {
                return Err(node
                    .error("the schema `false` allows no value")
                    .help("remove the field from the document"));
            }
            // The error names the type that was found.
            _ => {
                return Err(node
                    .fields()
                    .err()
                    .unwrap_or_else(|| node.error("expected a schema")));
            }
        }
        keywords::check(node)?;
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
            if node.get("properties").is_some() || node.get("items").is_some() {
                return Err(all
                    .error(format!(
                        "`{keyword}` beside `properties` or `items` is not supported"
                    ))
                    .help("list all fields in `properties` of one schema"));
            }
            if let [branch] = branches.as_slice() {
                return self.schema(document, branch).map(Some);
            }
            if keyword != "allOf" {
                let mut types: Vec<&str> = Vec::new();
                for branch in &branches {
                    types.extend(
                        branch
                            .get("type")
                            .and_then(|t| single_type(&t).ok().flatten()),
                    );
                }
                types.sort_unstable();
                match types.as_slice() {
                    ["integer", "string"] if branches.len() == 2 => {
                        return Ok(Some(Type::Scalar(Scalar::IntOrString)));
                    }
                    ["number", "string"] if branches.len() == 2 => {
                        return Ok(Some(Type::Scalar(Scalar::Quantity)));
                    }
                    _ => {}
                }
            }
            return Err(all
                .error(format!("`{keyword}` of several schemas is not supported"))
                .help(
                    "give one schema, an integer and a string, or a number and a string; list the fields \
                     of all schemas in `properties` of one",
                ));
        }
        Ok(None)
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
                    .help("describe all elements by one schema in `items`"));
            }
            // No element is allowed.
            Some(items) if matches!(items.json, Json::Bool(false)) => Type::Scalar(Scalar::Any),
            Some(items) => self.inner(document, &items)?,
        };
        let kind = match node.string_of("x-kubernetes-list-type")? {
            Some("map") => ListKind::Map(node.strings_of("x-kubernetes-list-map-keys")?),
            Some("set") => ListKind::Set,
            _ => ListKind::Atomic,
        };
        Ok(Type::List(Box::new(element), kind))
    }

    /// Reads the schema of a list's elements or a map's values. A nullable element is any JSON, because a
    /// `null` in a list or map is a value of its own.
    fn inner(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Type, Error> {
        let value = self.schema(document, node)?;
        Ok(match node.flag("nullable")? {
            true => Type::Scalar(Scalar::Any),
            false => value,
        })
    }

    fn object(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Type, Error> {
        let properties = node
            .get("properties")
            .map(|p| p.fields())
            .transpose()?
            .unwrap_or_default();
        // No value of such a field is allowed.
        let is_allowed = |property: &Node<'_>| !matches!(property.json, Json::Bool(false));
        let properties: Vec<_> = properties
            .into_iter()
            .filter(|(_, property)| is_allowed(property))
            .collect();
        let values = node
            .get("additionalProperties")
            .filter(|values| match values.json {
                Json::Bool(_) => false,
                // `{}` allows everything, like an absent keyword.
                Json::Object(words) => !words.is_empty() || properties.is_empty(),
                _ => true,
            });
        let values = match values {
            None if properties.is_empty() => self.pattern_values(document, node)?,
            Some(values) if properties.is_empty() => Some(self.inner(document, &values)?),
            None => None,
            Some(values) => {
                return Err(values
                    .error("an object with `properties` and a schema in `additionalProperties` is not supported")
                    .help("describe either the fields or the values; objects keep unknown fields in any case"));
            }
        };
        if properties.is_empty() {
            return match values {
                Some(value) => {
                    let atomic = node.string_of("x-kubernetes-map-type")? == Some("atomic");
                    Ok(Type::Map(Box::new(value), atomic))
                }
                None => Ok(Type::Scalar(Scalar::Any)),
            };
        }
        let required = node.strings_of("required")?;
        let fields: Vec<Field> = properties
            .into_iter()
            .map(|(name, property)| {
                Ok(Field {
                    name: name.to_owned(),
                    value: self.schema(document, &property)?,
                    required: required.iter().any(|r| r == name),
                    nullable: is_nullable(&property)?,
                    description: description(&property)?,
                    facts: facts(&property)?,
                    at: property.at,
                })
            })
            .collect::<Result<_, Error>>()?;
        let mut object = ObjectType {
            title: node.string_of("title")?.map(str::to_owned),
            description: description(node)?,
            has_secrets: fields.iter().any(|field| field.facts.secret),
            fields,
            atomic: node.string_of("x-kubernetes-map-type")? == Some("atomic"),
            at: node.at.clone(),
        };
        if node.flag("x-kubernetes-embedded-resource")? {
            custom::complete(&mut object);
        }
        Ok(Type::Object(object))
    }
}

impl References<'_> {
    /// The type of all values of an object that `patternProperties` describes; any JSON if they have several types.
    fn pattern_values(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
    ) -> Result<Option<Type>, Error> {
        let Some(patterns) = node.get("patternProperties") else {
            return Ok(None);
        };
        let mut types = Vec::new();
        for (_, pattern) in patterns.fields()? {
            types.push(self.inner(document, &pattern)?);
        }
        let first = types.pop();
        Ok(first.map(
            |first| match types.iter().all(|other| other.has_type_of(&first)) {
                true => first,
                false => Type::Scalar(Scalar::Any),
            },
        ))
    }
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
        let value = value.string()?;
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

fn facts(node: &Node<'_>) -> Result<FieldFacts, Error> {
    let patch_strategy = match node.string_of("x-kubernetes-patch-strategy")? {
        None => None,
        Some("merge") => Some("Merge"),
        Some("replace") => Some("Replace"),
        Some("retainKeys") => Some("RetainKeys"),
        Some("merge,retainKeys") => Some("MergeRetainKeys"),
        Some(other) => {
            return Err(node
                .error(format!("`{other}` is not a patch strategy"))
                .help("the strategies are `merge`, `replace`, `retainKeys`, `merge,retainKeys`"));
        }
    };
    Ok(FieldFacts {
        secret: is_format(node, "password"),
        always_emitted: node.flag("x-go-always-emitted")?,
        patch_strategy,
        patch_merge_key: node
            .string_of("x-kubernetes-patch-merge-key")?
            .map(str::to_owned),
        introduced_in: node
            .string_of("x-kubernetes-introduced-in")?
            .map(str::to_owned),
    })
}

fn description(node: &Node<'_>) -> Result<String, Error> {
    Ok(node
        .string_of("description")?
        .unwrap_or_default()
        .to_owned())
}

fn is_format(node: &Node<'_>, format: &str) -> bool {
    node.json.get("format").and_then(Json::as_str) == Some(format)
}

/// Whether the schema allows `null` beside other values.
fn is_nullable(node: &Node<'_>) -> Result<bool, Error> {
    let in_types = match node.json.get("type") {
        Some(Json::Array(types)) => types.iter().any(|name| name.as_str() == Some("null")),
        _ => false,
    };
    let in_branches = ["oneOf", "anyOf"].iter().any(|keyword| {
        let branches = node.get(keyword).and_then(|all| all.elements().ok());
        branches.is_some_and(|branches| branches.iter().any(is_null))
    });
    Ok(in_types || in_branches || node.flag("nullable")?)
}

fn is_null(branch: &Node<'_>) -> bool {
    branch.json.get("type").and_then(Json::as_str) == Some("null")
}

/// Whether all values except `null` are strings.
fn only_strings(values: &Node<'_>) -> bool {
    let Json::Array(values) = values.json else {
        return false;
    };
    let mut values = values
        .iter()
        .filter(|v| !matches!(v, Json::Null))
        .peekable();
    values.peek().is_some() && values.all(|v| v.as_str().is_some())
}

/// The only type besides `null`.
fn single_type<'a>(node: &Node<'a>) -> Result<Option<&'a str>, Error> {
    match types(node)?.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => Err(node
            .error(format!(
                "a value of several types ({}) is not supported",
                several.join(", ")
            ))
            .help("give one type besides `null`, or `integer` and `string`")),
    }
}

fn is_int_or_string(node: &Node<'_>) -> Result<bool, Error> {
    let mut types = types(node)?;
    types.sort_unstable();
    Ok(types == ["integer", "string"])
}

/// The types in a `type` keyword, without `null`. A single type stands for itself.
fn types<'a>(node: &Node<'a>) -> Result<Vec<&'a str>, Error> {
    if let Some(one) = node.json.as_str() {
        return Ok(vec![one]);
    }
    let mut types = node
        .elements()?
        .iter()
        .map(Node::string)
        .collect::<Result<Vec<_>, _>>()?;
    types.retain(|name| *name != "null");
    Ok(types)
}
