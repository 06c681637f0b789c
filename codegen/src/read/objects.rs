//! From a schema of an object to a type.

use super::custom;
use super::limits;
use super::references::References;
use super::schemas::description;
use super::type_keyword::{is_format, is_nullable};
use crate::documents::Document;
use crate::error::Error;
use crate::json::{Json, Node};
use crate::model::{Field, FieldFacts, ObjectType, Scalar, Type};
use crate::unexpressed::{Outcome, Unexpressed};
use std::sync::Arc;

impl References<'_> {
    /// The struct or map that a schema describes; any JSON if it describes neither fields nor values.
    pub(super) fn object(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
    ) -> Result<Type, Error> {
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
            Some(values) if self.documents.plain => {
                self.unexpressed
                    .insert(Unexpressed::new(&values.at, Outcome::KeptUnknown));
                None
            }
            Some(values) => {
                return Err(values
                    .error("an object with `properties` and a schema in `additionalProperties` is not supported")
                    .help("describe either the fields or the values; objects keep unknown fields in any case"));
            }
        };
        let atomic = node.string_of("x-kubernetes-map-type")? == Some("atomic");
        if properties.is_empty() {
            return Ok(match values {
                Some(value) => Type::Map(Box::new(value), atomic),
                // Free-form JSON cannot be atomic, a map of it can. Plain documents have no owners of fields.
                None if atomic && !self.documents.plain => {
                    Type::Map(Box::new(Type::Scalar(Scalar::Any)), true)
                }
                None => Type::Scalar(Scalar::Any),
            });
        }
        let required = node.strings_of("required")?;
        let fields: Vec<Field> = properties
            .into_iter()
            .map(|(name, property)| {
                let description = description(&property)?;
                let required = required.iter().any(|r| r == name);
                let value = self.schema(document, &property)?;
                let mut facts = facts(&property)?;
                if let Type::Reference(..) = value {
                    let map_type = property.string_of("x-kubernetes-map-type")?;
                    facts.atomic = map_type.map(|map_type| map_type == "atomic");
                }
                Ok(Field {
                    name: name.to_owned(),
                    value,
                    required,
                    nullable: is_nullable(&property)?,
                    limits: limits::sentences(&property, &description, required)?,
                    description,
                    facts,
                    at: property.at,
                })
            })
            .collect::<Result<_, Error>>()?;
        let mut object = ObjectType {
            title: node.string_of("title")?.map(str::to_owned),
            description: description(node)?,
            has_secrets: fields.iter().any(|field| field.facts.secret),
            fields,
            atomic,
            preserving: node.flag("x-kubernetes-preserve-unknown-fields")?,
            at: node.at.clone(),
        };
        if node.flag("x-kubernetes-embedded-resource")? {
            custom::complete(&mut object);
        }
        Ok(Type::Object(object))
    }

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
        go_type: node.string_of("x-go-type")?.map(str::to_owned),
        atomic: None,
    })
}
