//! From documents to the model.

mod combine;
mod custom;
mod explain;
mod inner;
mod keywords;
mod kinds;
mod limits;
mod objects;
mod operations;
mod references;
mod schemas;
mod type_keyword;

use crate::documents::{Document, Documents};
use crate::error::Error;
use crate::fixups;
use crate::format::Format;
use crate::model::{DocumentModel, Key, Model, Schema};
use crate::runtime;
pub(crate) use explain::unexpressed;
use references::{Place, References, root_key};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads the given documents and the schemas that they refer to.
pub(crate) fn read(documents: &Documents) -> Result<Model, Error> {
    let mut references = References::new(documents);
    let mut model = Model::default();
    for document in documents.given() {
        let mut keys = Vec::new();
        for (tokens, key) in named_schemas(&references, document)? {
            references.enqueue(document, tokens, key.clone());
            keys.push(key);
        }
        let mut read = DocumentModel {
            document: Arc::clone(document),
            keys,
            operations: match documents.plain {
                true => Vec::new(),
                false => references.operations(document)?,
            },
            custom: Vec::new(),
        };
        if document.format == Format::CustomResourceDefinition {
            custom::read(&mut references, &mut model.schemas, &mut read)?;
        }
        fixups::apply(&mut read)?;
        model.documents.push(read);
    }
    while let Some(place) = references.next() {
        named_schema(&mut model.schemas, &mut references, place)?;
    }
    model.unexpressed = references.unexpressed;
    inner::name(&mut model.schemas);
    kinds::complete(&mut model);
    fixups::mark_secrets(&mut model)?;
    Ok(model)
}

fn named_schema(
    schemas: &mut BTreeMap<Key, Schema>,
    references: &mut References<'_>,
    place: Place,
) -> Result<(), Error> {
    let Place {
        document,
        tokens,
        key,
    } = place;
    // Places enter the queue only when they exist.
    let Some(node) = document.find(&tokens) else {
        return Ok(());
    };
    let mut schema = Schema {
        at: node.at.clone(),
        value: references.schema(&document, &node)?,
        kinds: kinds::of(&node)?,
    };
    kinds::plain_type_meta(&mut schema);
    let Some(other) = schemas.get(&key) else {
        schemas.insert(key, schema);
        return Ok(());
    };
    // Every Kubernetes document repeats the shared schemas of its release; the plan prefers the
    // runtime's own.
    if runtime::is_shared(&key) || other.value.has_type_of(&schema.value) {
        return Ok(());
    }
    Err(Error::at(
        &schema.at,
        format!("the schema `{key}` differs from the one at {}", other.at),
    )
    .help("give documents of one release, or generate them into separate folders"))
}

/// The named schemas of a document: the tokens of their pointers and their keys.
fn named_schemas(
    references: &References<'_>,
    document: &Document,
) -> Result<Vec<(Vec<String>, Key)>, Error> {
    let mut found = Vec::new();
    for section in document.schema_sections() {
        let Some(schemas) = document.find(section) else {
            continue;
        };
        for (name, _) in schemas.fields()? {
            let mut tokens: Vec<String> = section.iter().map(|&t| t.to_owned()).collect();
            tokens.push(name.to_owned());
            found.push((tokens, references.named_key(name, document)));
        }
    }
    if document.format == Format::JsonSchema && has_root_schema(document) {
        found.push((Vec::new(), root_key(document)));
    }
    Ok(found)
}

/// Whether a JSON Schema document is a schema itself and not only a list of definitions.
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
