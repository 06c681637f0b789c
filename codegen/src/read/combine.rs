//! `allOf`, `oneOf` and `anyOf` of several schemas, for plain types.

use super::keywords;
use super::references::References;
use super::schemas::description;
use crate::documents::Document;
use crate::error::Error;
use crate::json::Node;
use crate::model::{EnumType, Field, ObjectType, Scalar, Type};
use crate::unexpressed::{Outcome, Unexpressed};
use std::sync::Arc;

/// The maximum of schemas of `allOf` inside each other.
const MAX_MERGES: usize = 64;

/// The maximum of schemas in one `allOf`, with those inside them: schemas that contain others twice would take exponential time.
const MAX_BRANCHES: usize = 10_000;

impl References<'_> {
    /// The type of a schema with several branches, or with fields beside branches. `None` if its own fields are all that a
    /// type can express.
    pub(super) fn combined(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
        all: &Node<'_>,
        branches: &[Node<'_>],
    ) -> Result<Option<Type>, Error> {
        if node.get("allOf").is_some() {
            return self.merged(document, node, all, branches).map(Some);
        }
        if node.get("properties").is_some() || node.get("items").is_some() {
            self.unexpressed.insert(
                Unexpressed::new(&all.at, Outcome::KeptUnknown)
                    .because("the fields of the branches"),
            );
            return Ok(None);
        }
        let types: Vec<Type> = branches
            .iter()
            .map(|branch| self.schema(document, branch))
            .collect::<Result<_, _>>()?;
        let is_text = |value: &Type| matches!(value, Type::Scalar(Scalar::String) | Type::Enum(_));
        if let Some((first, others)) = types.split_first() {
            if others.iter().all(|other| other.has_type_of(first)) {
                return Ok(Some(first.clone()));
            }
            if types.iter().all(is_text) {
                return Ok(Some(Type::Scalar(Scalar::String)));
            }
        }
        Err(all.error("the branches have different types").unsupported())
    }

    /// One object with the fields of all schemas of `allOf` and of the schema around it.
    fn merged(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
        all: &Node<'_>,
        branches: &[Node<'_>],
    ) -> Result<Type, Error> {
        if self.merges == MAX_MERGES {
            return Err(all
                .error("the schemas of `allOf` contain each other")
                .help("remove the schema from its own `allOf`"));
        }
        if self.merges == 0 {
            self.branches = 0;
        }
        self.branches += branches.len();
        if self.branches > MAX_BRANCHES {
            return Err(all
                .error(format!(
                    "the schemas of `allOf` contain more than {MAX_BRANCHES} others"
                ))
                .help("name each schema once"));
        }
        self.merges += 1;
        let types: Result<Vec<Type>, Error> = branches
            .iter()
            .map(|branch| self.followed(document, branch))
            .collect();
        self.merges -= 1;
        let mut types = types?;
        if node.get("properties").is_some() {
            types.push(self.object(document, node)?);
        }
        // A schema that allows everything, or only names fields to keep, adds none.
        types.retain(|part| !matches!(part, Type::Scalar(Scalar::Any) | Type::Map(..)));
        if let Some((first, others)) = types.split_first()
            && !matches!(first, Type::Object(_))
            && others.iter().all(|other| other.has_type_of(first))
        {
            return Ok(first.clone());
        }
        let mut merged = ObjectType::empty(&node.at);
        merged.title = node.string_of("title")?.map(str::to_owned);
        merged.description = description(node)?;
        for part in types {
            let Type::Object(part) = part else {
                return Err(all
                    .error("the schemas of `allOf` are not all objects")
                    .unsupported());
            };
            merged.has_secrets |= part.has_secrets;
            merged.preserving |= part.preserving;
            if merged.description.is_empty() {
                merged.description = part.description;
            }
            for field in part.fields {
                self.add(&mut merged, field);
            }
        }
        if merged.fields.is_empty() {
            return Ok(Type::Scalar(Scalar::Any));
        }
        for name in node.strings_of("required")? {
            if let Some(field) = merged.fields.iter_mut().find(|field| field.name == name) {
                field.required = true;
            }
        }
        Ok(Type::Object(merged))
    }

    /// Adds a field. Of two with one name the more exact type is taken, and any JSON if neither is.
    fn add(&mut self, object: &mut ObjectType, field: Field) {
        let known = object
            .fields
            .iter_mut()
            .find(|known| known.name == field.name);
        let Some(known) = known else {
            object.fields.push(field);
            return;
        };
        known.required |= field.required;
        known.nullable &= field.nullable;
        if known.description.is_empty() {
            known.description = field.description;
        }
        let values = (&known.value, &field.value);
        match values {
            (_, Type::Scalar(Scalar::Any)) => {}
            (Type::Scalar(Scalar::Any), _)
            | (Type::Scalar(Scalar::String), Type::Enum(EnumType { .. })) => {
                known.value = field.value;
            }
            (left, right) if left.has_type_of(right) => {}
            (Type::Enum(_), Type::Scalar(Scalar::String)) => {}
            _ => {
                self.unexpressed.insert(
                    Unexpressed::new(&field.at, Outcome::AnyJson)
                        .because("the schemas of `allOf` give the field different types"),
                );
                known.value = Type::Scalar(Scalar::Any);
            }
        }
    }

    /// The type of a schema with references followed.
    fn followed(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Type, Error> {
        let Some(reference) = node.get("$ref") else {
            return match keywords::only_restricts(node) {
                true => Ok(Type::Scalar(Scalar::Any)),
                false => self.schema(document, node),
            };
        };
        // The schema becomes a separate type as well.
        self.key(document, reference.string()?, &reference.at)?;
        let found = self
            .documents
            .resolve(document, reference.string()?, &reference.at);
        match found.is_err() && self.documents.missing_as_json {
            true => Ok(Type::Scalar(Scalar::Any)),
            false => self.follow(document, node, Self::schema),
        }
    }
}
