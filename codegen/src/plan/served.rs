//! The kinds that documents serve, with their plurals, scopes and subresources from the paths.

use super::lists;
use crate::error::Error;
use crate::model::Model;
use crate::model::{DocumentModel, GroupVersionKind, Key, Served, Type};
use crate::runtime;
use std::collections::BTreeMap;
use std::fmt;

/// The parts of a resource's path.
#[derive(Debug, PartialEq)]
pub(crate) struct ResourcePath<'a> {
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) namespaced: bool,
    pub(crate) plural: &'a str,
    pub(crate) subresource: Option<&'a str>,
}

/// The group and version of a path below `/api` or `/apis`, and the rest.
pub(crate) fn group_version(path: &str) -> Option<(&str, &str, Vec<&str>)> {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    let (group, version) = match segments.next()? {
        "api" => ("", segments.next()?),
        "apis" => (segments.next()?, segments.next()?),
        _ => return None,
    };
    Some((group, version, segments.collect()))
}

pub(crate) fn resource_path(path: &str) -> Option<ResourcePath<'_>> {
    let (group, version, rest) = group_version(path)?;
    let (namespaced, rest) = match rest.as_slice() {
        ["namespaces", "{namespace}", rest @ ..] if !rest.is_empty() => (true, rest),
        rest => (false, rest),
    };
    let (plural, subresource) = match rest {
        [plural] => (plural, None),
        [plural, "{name}"] => (plural, None),
        [plural, "{name}", subresource, ..] => (plural, Some(*subresource)),
        _ => return None,
    };
    (!plural.starts_with('{')).then_some(ResourcePath {
        group,
        version,
        namespaced,
        plural,
        subresource,
    })
}

/// The schemas that are kinds with object metadata and their own operations.
pub(crate) fn find(model: &Model) -> Result<BTreeMap<Key, Served>, Error> {
    let mut served: BTreeMap<Key, Served> = BTreeMap::new();
    for document in &model.documents {
        served.extend(document.custom.iter().cloned());
        let kinds = kinds_of(model, document);
        let mut subresources: Vec<ResourcePath<'_>> = Vec::new();
        for operation in &document.operations {
            let (Some(path), Some(kind)) = (resource_path(&operation.path), &operation.kind) else {
                continue;
            };
            if path.subresource.is_some() {
                subresources.push(path);
                continue;
            }
            let Some(key) = key_of(&kinds, &path, kind) else {
                continue;
            };
            if !has_object_meta(model, key) {
                continue;
            }
            let entry = served.entry(key.clone()).or_insert_with(|| Served {
                kind: kind.clone(),
                list_kind: format!("{}List", kind.kind),
                plural: path.plural.to_owned(),
                namespaced: false,
                subresources: Vec::new(),
                columns: Vec::new(),
            });
            entry.namespaced |= path.namespaced;
        }
        for path in subresources {
            for entry in served.values_mut() {
                let same = (&*entry.kind.group, &*entry.kind.version, &*entry.plural)
                    == (path.group, path.version, path.plural);
                let name = path.subresource.unwrap_or_default();
                if same && !entry.subresources.iter().any(|s| s == name) {
                    entry.subresources.push(name.to_owned());
                }
            }
        }
    }
    for (key, schema) in &model.schemas {
        if let ([list], Some(item)) = (schema.kinds.as_slice(), lists::item_of(model, &served, key))
            && let Some(entry) = served.get_mut(item)
        {
            entry.list_kind.clone_from(&list.kind);
        }
    }
    Ok(served)
}

type Kinds<'a> = BTreeMap<(&'a str, &'a str, &'a str), &'a Key>;

/// The schemas of a document that are one kind.
fn kinds_of<'a>(model: &'a Model, document: &'a DocumentModel) -> Kinds<'a> {
    let keys = document.keys.iter();
    keys.filter_map(|key| match model.schemas.get(key)?.kinds.as_slice() {
        [one] => Some(((&*one.group, &*one.version, &*one.kind), key)),
        _ => None,
    })
    .collect()
}

/// The schema of a kind, if the path is of its group and version.
fn key_of<'a>(
    kinds: &Kinds<'a>,
    path: &ResourcePath<'_>,
    kind: &GroupVersionKind,
) -> Option<&'a Key> {
    let is_own = (path.group, path.version) == (&*kind.group, &*kind.version);
    let named = (&*kind.group, &*kind.version, &*kind.kind);
    kinds.get(&named).copied().filter(|_| is_own)
}

/// A kind with paths that is not served, because its schema has no object metadata.
pub(crate) struct WithoutMetadata<'a> {
    pub(crate) kind: &'a str,
    schema: &'a Key,
}

impl fmt::Display for WithoutMetadata<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, schema) = (self.kind, &self.schema.name);
        write!(
            f,
            "{kind} has paths, but the field `metadata` of the schema {schema} does not refer to {}",
            runtime::OBJECT_META
        )
    }
}

/// The kinds with paths whose schema has no object metadata.
pub(crate) fn without_metadata(model: &Model) -> impl Iterator<Item = WithoutMetadata<'_>> {
    model.documents.iter().flat_map(move |document| {
        let kinds = kinds_of(model, document);
        document.operations.iter().filter_map(move |operation| {
            let path = resource_path(&operation.path).filter(|path| path.subresource.is_none())?;
            let kind = operation.kind.as_ref()?;
            let schema = key_of(&kinds, &path, kind).filter(|key| !has_object_meta(model, key))?;
            Some(WithoutMetadata {
                kind: &kind.kind,
                schema,
            })
        })
    })
}

fn has_object_meta(model: &Model, key: &Key) -> bool {
    let Some(Type::Object(object)) = model.schemas.get(key).map(|schema| &schema.value) else {
        return false;
    };
    object.fields.iter().any(|field| {
        field.name == "metadata"
            && matches!(&field.value, Type::Reference(key, _) if key.is(runtime::OBJECT_META))
    })
}

/// The packages of the kinds that are served, each with its group and version.
pub(crate) fn packages(
    model: &Model,
    served: &BTreeMap<Key, Served>,
) -> Result<BTreeMap<String, (String, String)>, Error> {
    let mut packages: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut documents: BTreeMap<&Key, &str> = BTreeMap::new();
    for (key, entry) in served {
        let version = (entry.kind.group.clone(), entry.kind.version.clone());
        packages.entry(key.package.clone()).or_insert(version);
    }
    for document in &model.documents {
        for key in &document.keys {
            let Some(entry) = served.get(key) else {
                continue;
            };
            let name: &str = &document.document.name;
            let operates = document
                .operations
                .iter()
                .any(|o| o.kind.as_ref() == Some(&entry.kind));
            let is_custom = document.custom.iter().any(|(other, _)| other == key);
            if !operates && !is_custom {
                continue;
            }
            let first = *documents.entry(key).or_insert(name);
            if first != name {
                let kind = &entry.kind;
                return Err(Error::at(
                    &document.document.root().at,
                    format!(
                        "`{first}` describes the kind {} of {} as well",
                        kind.kind,
                        kind.api_version()
                    ),
                )
                .help("remove one of the documents"));
            }
        }
    }
    Ok(packages)
}
