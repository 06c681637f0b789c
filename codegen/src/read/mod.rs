//! From documents to the model.

mod keywords;
mod operations;
mod schemas;

use crate::documents::{Document, Documents};
use crate::error::{At, Error};
use crate::fixups;
use crate::format::Format;
use crate::json::Node;
use crate::known;
use crate::model::{
    Field, FieldFacts, GroupVersionKind, Key, ObjectType, Operation, Scalar, Schema, Type,
};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

/// Everything that was read.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// Every schema of the given documents, and those of neighbours that they refer to.
    pub(crate) schemas: BTreeMap<Key, Schema>,
    pub(crate) documents: Vec<DocumentModel>,
}

/// What one given document contributes.
#[derive(Debug)]
pub(crate) struct DocumentModel {
    pub(crate) document: Arc<Document>,
    /// Its schemas in its order.
    pub(crate) keys: Vec<Key>,
    pub(crate) operations: Vec<Operation>,
}

/// Reads all given documents.
pub(crate) fn read(documents: &Documents) -> Result<Model, Error> {
    let mut reader = Reader {
        documents,
        schemas: BTreeMap::new(),
        seen: HashSet::new(),
        queue: VecDeque::new(),
    };
    let mut models = Vec::new();
    for document in documents.given() {
        let mut keys = Vec::new();
        for (tokens, key) in named_schemas(document)? {
            reader.enqueue(document, tokens, key.clone());
            keys.push(key);
        }
        let operations = if document.format == Format::JsonSchema {
            Vec::new()
        } else {
            reader.operations(document)?
        };
        let mut model = DocumentModel {
            document: Arc::clone(document),
            keys,
            operations,
        };
        fixups::apply(&mut model)?;
        models.push(model);
    }
    while let Some(place) = reader.queue.pop_front() {
        reader.named_schema(place)?;
    }
    reader.complete(&models);
    Ok(Model {
        schemas: reader.schemas,
        documents: models,
    })
}

/// The named schemas of a document: the tokens of their pointers and their keys.
fn named_schemas(document: &Document) -> Result<Vec<(Vec<String>, Key)>, Error> {
    let mut found = Vec::new();
    for section in document.schema_sections() {
        let Some(schemas) = document.find(section) else {
            continue;
        };
        for (name, _) in schemas.members()? {
            let mut tokens: Vec<String> = section.iter().map(|&t| t.to_owned()).collect();
            tokens.push(name.to_owned());
            found.push((tokens, Key::new(name, document.stem())));
        }
    }
    if document.format == Format::JsonSchema && has_root_schema(document) {
        found.push((Vec::new(), root_key(document)));
    }
    Ok(found)
}

/// Whether a JSON Schema is a schema itself, and not only a folder of definitions.
fn has_root_schema(document: &Document) -> bool {
    [
        "type",
        "properties",
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "enum",
        "items",
    ]
    .iter()
    .any(|word| document.root().json.get(word).is_some())
}

fn root_key(document: &Document) -> Key {
    use heck::ToUpperCamelCase;
    let title = document
        .root()
        .json
        .get("title")
        .and_then(crate::json::Json::as_str);
    let name = title.unwrap_or(document.stem()).to_upper_camel_case();
    Key {
        package: format!("file:{}", document.stem()),
        name,
    }
}

/// A schema that still has to be read.
struct Place {
    document: Arc<Document>,
    tokens: Vec<String>,
    key: Key,
}

struct Reader<'a> {
    documents: &'a Documents,
    schemas: BTreeMap<Key, Schema>,
    /// Places that are or were in the queue.
    seen: HashSet<(Arc<str>, Vec<String>)>,
    queue: VecDeque<Place>,
}

impl Reader<'_> {
    fn enqueue(&mut self, document: &Arc<Document>, tokens: Vec<String>, key: Key) {
        if self
            .seen
            .insert((Arc::clone(&document.name), tokens.clone()))
        {
            self.queue.push_back(Place {
                document: Arc::clone(document),
                tokens,
                key,
            });
        }
    }

    /// The key of the schema that `reference` means; it will be read.
    fn reference(
        &mut self,
        document: &Arc<Document>,
        reference: &str,
        at: &At,
    ) -> Result<Key, Error> {
        let (target, tokens) = self.documents.resolve(document, reference, at)?;
        let key = match tokens.as_slice() {
            [a, b, name] if a == "components" && b == "schemas" => Key::new(name, target.stem()),
            [a, name] if a == "definitions" || a == "$defs" => Key::new(name, target.stem()),
            [] if target.format == Format::JsonSchema => root_key(&target),
            _ => {
                return Err(Error::at(at, format!("`{reference}` is no named schema"))
                    .help("move the schema to `components/schemas`, `definitions` or `$defs`"));
            }
        };
        self.enqueue(&target, tokens, key.clone());
        Ok(key)
    }

    /// Gives kinds that a document serves without saying what they hold, as `/openapi/v2` does of some
    /// CustomResourceDefinitions, what every kind has; the rest stays unknown and is kept.
    fn complete(&mut self, models: &[DocumentModel]) {
        let operations = models.iter().flat_map(|model| &model.operations);
        let served: Vec<&GroupVersionKind> = operations.filter_map(|o| o.kind.as_ref()).collect();
        for schema in self.schemas.values_mut() {
            let is_bare = matches!(schema.value, Type::Scalar(Scalar::Any));
            if let (true, [kind]) = (is_bare, schema.kinds.as_slice())
                && served.contains(&kind)
            {
                schema.value = Type::Object(bare_kind(&schema.at));
            }
        }
    }

    fn named_schema(&mut self, place: Place) -> Result<(), Error> {
        let Place {
            document,
            tokens,
            key,
        } = place;
        // Whoever put the place into the queue has seen that it exists.
        let Some(node) = document.find(&tokens) else {
            return Ok(());
        };
        let value = self.schema(&document, &node)?;
        let kinds = group_version_kinds(&node)?;
        let schema = Schema {
            at: node.at.clone(),
            value,
            kinds,
        };
        if let Some(other) = self.schemas.get(&key) {
            // Every Kubernetes document repeats the shared schemas of its release; which of them
            // counts is decided where the runtime's own are known.
            let shared = key.package.starts_with("io.k8s.apimachinery.pkg.");
            if shared || same(&other.value, &schema.value) {
                return Ok(());
            }
            return Err(Error::at(
                &schema.at,
                format!(
                    "the schema `{key}` is not the same as the one at {}",
                    other.at
                ),
            )
            .help("give documents of one release, or generate them into separate folders"));
        }
        self.schemas.insert(key, schema);
        Ok(())
    }
}

/// What every kind has: the type meta that belongs to it, and its metadata.
fn bare_kind(at: &At) -> ObjectType {
    let field = |name: &str, value: Type| Field {
        name: name.to_owned(),
        value,
        required: false,
        description: String::new(),
        facts: FieldFacts::default(),
        at: at.clone(),
    };
    let string = || Type::Scalar(Scalar::String);
    ObjectType {
        title: None,
        description: String::new(),
        fields: vec![
            field("apiVersion", string()),
            field("kind", string()),
            field(
                "metadata",
                Type::Reference(Key::new(known::OBJECT_META, ""), at.clone()),
            ),
        ],
        atomic: false,
        at: at.clone(),
    }
}

/// Whether two types are the same but for descriptions and extensions.
fn same(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::Scalar(left), Type::Scalar(right)) => left == right,
        (Type::Enum(left), Type::Enum(right)) => left.values == right.values,
        (Type::Reference(left, _), Type::Reference(right, _)) => left == right,
        (Type::List(left, _), Type::List(right, _)) => same(left, right),
        (Type::Map(left, _), Type::Map(right, _)) => same(left, right),
        (Type::Object(left), Type::Object(right)) => {
            left.fields.len() == right.fields.len()
                && left.fields.iter().zip(&right.fields).all(|(left, right)| {
                    left.name == right.name
                        && left.required == right.required
                        && same(&left.value, &right.value)
                })
        }
        _ => false,
    }
}

/// The `x-kubernetes-group-version-kind` of a schema or operation: an object or an array of objects.
fn group_version_kinds(node: &Node<'_>) -> Result<Vec<GroupVersionKind>, Error> {
    let Some(node) = node.get("x-kubernetes-group-version-kind") else {
        return Ok(Vec::new());
    };
    let entries = if node.is_object() {
        vec![node]
    } else {
        node.elements()?
    };
    entries
        .iter()
        .map(|entry| {
            let text = |name| Ok(entry.string_of(name)?.unwrap_or_default().to_owned());
            Ok(GroupVersionKind {
                group: text("group")?,
                version: text("version")?,
                kind: text("kind")?,
            })
        })
        .collect()
}
