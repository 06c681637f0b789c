//! The kinds of a CustomResourceDefinition: one for each served version, as an API server would document it.

use super::kinds::kind_field;
use super::references::References;
use crate::error::Error;
use crate::json::{Json, Node};
use crate::model::{
    Column, DocumentModel, Field, GroupVersionKind, Key, ListKind, ObjectType, Scalar, Schema,
    Served, Type,
};
use crate::runtime;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Adds the kinds of the definition `read.document`, with their lists.
pub(super) fn read(
    references: &mut References<'_>,
    schemas: &mut BTreeMap<Key, Schema>,
    read: &mut DocumentModel,
) -> Result<(), Error> {
    let document = Arc::clone(&read.document);
    let root = document.root();
    let spec = required(&root, "spec")?;
    let names = required(&spec, "names")?;
    let group = text(&spec, "group")?;
    let kind = text(&names, "kind")?;
    let list_kind = match names.string_of("listKind")? {
        Some(list_kind) => list_kind.to_owned(),
        // The default of an API server.
        None => format!("{kind}List"),
    };
    let mut versions = required(&spec, "versions")?.elements()?;
    // The first version owns the types that several share.
    versions.sort_by_key(|version| version.json.get("storage") != Some(&Json::Bool(true)));
    for version in versions {
        let is_served = version
            .get("served")
            .map(|served| served.boolean())
            .transpose()?;
        if is_served == Some(false) {
            continue;
        }
        let name = text(&version, "name")?;
        let of = |kind: &str| GroupVersionKind {
            group: group.clone(),
            version: name.clone(),
            kind: kind.to_owned(),
        };
        let package = package(&group, &name);
        let key = |name: &str| Key {
            package: package.clone(),
            name: name.to_owned(),
        };
        let node = version.get("schema").and_then(|s| s.get("openAPIV3Schema"));
        let value = match &node {
            Some(node) => references.schema(&document, node)?,
            None => Type::Scalar(Scalar::Any),
        };
        let at = node.map_or_else(|| version.at.clone(), |node| node.at);
        let mut object = match value {
            Type::Object(object) => object,
            // Without fields.
            Type::Scalar(Scalar::Any) | Type::Map(..) => ObjectType::empty(&at),
            _ => {
                let message = "the schema of a kind must be of `type: object`";
                return Err(Error::at(&at, message).help("describe the fields of the whole object"));
            }
        };
        complete(&mut object);
        let (kind_key, list_key) = (key(&kind), key(&list_kind));
        let list = list(&kind_key, &object);
        let mut add = |key: &Key, kind: &str, object: ObjectType| {
            let schema = Schema {
                at: at.clone(),
                value: Type::Object(object),
                kinds: vec![of(kind)],
            };
            read.keys.push(key.clone());
            schemas.insert(key.clone(), schema).map_or(Ok(()), |other| {
                let message = format!("the kind `{kind}` is also defined at {}", other.at);
                Err(Error::at(&at, message).help("remove one of the definitions"))
            })
        };
        add(&kind_key, &kind, object)?;
        add(&list_key, &list_kind, list)?;
        let served = Served {
            kind: of(&kind),
            list_kind: list_kind.clone(),
            plural: text(&names, "plural")?,
            namespaced: is_namespaced(&spec)?,
            subresources: subresources(&version)?,
            columns: columns(&version)?,
        };
        read.custom.push((kind_key, served));
    }
    Ok(())
}

/// The package that an API server gives the kinds of a group, such as `io.cert-manager.v1`.
fn package(group: &str, version: &str) -> String {
    let mut parts: Vec<&str> = group.split('.').rev().collect();
    parts.push(version);
    parts.join(".")
}

/// Gives the object the fields that an API server adds to the schema of every definition and of every embedded resource.
pub(super) fn complete(object: &mut ObjectType) {
    let meta = Type::Reference(Key::new(runtime::OBJECT_META, ""), object.at.clone());
    let string = Type::Scalar(Scalar::String);
    let given = |name: &str, object: &ObjectType| object.fields.iter().position(|f| f.name == name);
    for (index, (name, value)) in [
        ("apiVersion", string.clone()),
        ("kind", string),
        ("metadata", meta),
    ]
    .into_iter()
    .enumerate()
    {
        let mut field = match given(name, object) {
            Some(place) => object.fields.remove(place),
            None => kind_field(name, value.clone(), &object.at),
        };
        field.value = value;
        object.fields.insert(index, field);
    }
}

fn list(item: &Key, kind: &ObjectType) -> ObjectType {
    let at = &kind.at;
    let reference = |key: Key| Type::Reference(key, at.clone());
    let items = Type::List(Box::new(reference(item.clone())), ListKind::Atomic);
    let meta = reference(Key::new(runtime::LIST_META, ""));
    let fields: Vec<Field> = vec![
        kind_field("metadata", meta, at),
        kind_field("items", items, at),
    ];
    ObjectType {
        fields,
        ..ObjectType::empty(at)
    }
}

fn subresources(version: &Node<'_>) -> Result<Vec<String>, Error> {
    let fields = version
        .get("subresources")
        .map(|s| s.fields())
        .transpose()?;
    let fields = fields.unwrap_or_default();
    Ok(fields
        .into_iter()
        .map(|(name, _)| name.to_owned())
        .collect())
}

fn columns(version: &Node<'_>) -> Result<Vec<Column>, Error> {
    let Some(columns) = version.get("additionalPrinterColumns") else {
        return Ok(Vec::new());
    };
    let column = |node: &Node<'_>| {
        let optional = |name: &str| Ok(node.string_of(name)?.map(str::to_owned));
        Ok(Column {
            name: text(node, "name")?,
            value_type: text(node, "type")?,
            json_path: text(node, "jsonPath")?,
            format: optional("format")?,
            description: optional("description")?,
            priority: match node.json.get("priority") {
                Some(Json::Number(priority)) => priority.parse().unwrap_or_default(),
                _ => 0,
            },
        })
    };
    columns.elements()?.iter().map(column).collect()
}

fn required<'a>(node: &Node<'a>, name: &str) -> Result<Node<'a>, Error> {
    node.get(name).ok_or_else(|| {
        node.error(format!("the CustomResourceDefinition has no `{name}` here"))
            .help("give a definition of `apiextensions.k8s.io/v1`")
    })
}

fn text(node: &Node<'_>, name: &str) -> Result<String, Error> {
    let node = required(node, name)?;
    match node.string()? {
        "" => Err(node
            .error(format!("the `{name}` is empty"))
            .help("a server would reject the CustomResourceDefinition: correct it")),
        text => Ok(text.to_owned()),
    }
}

fn is_namespaced(spec: &Node<'_>) -> Result<bool, Error> {
    let node = required(spec, "scope")?;
    match node.string()? {
        "Namespaced" => Ok(true),
        "Cluster" => Ok(false),
        other => Err(node
            .error(format!("`{other}` is not a scope"))
            .help("the scopes are `Cluster` and `Namespaced`")),
    }
}
