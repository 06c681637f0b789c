//! Schemas and operations of documents of every format.

use crate::documents::Document;
use crate::error::At;
use crate::unexpressed::Unexpressed;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The schemas of the given documents, and the schemas of neighbouring files that they refer to.
    pub(crate) schemas: BTreeMap<Key, Schema>,
    pub(crate) documents: Vec<DocumentModel>,
    /// What plain types do not express, each with its place.
    pub(crate) unexpressed: BTreeSet<Unexpressed>,
}

/// The part of one given document.
#[derive(Debug)]
pub(crate) struct DocumentModel {
    pub(crate) document: Arc<Document>,
    /// Its schemas in its order.
    pub(crate) keys: Vec<Key>,
    pub(crate) operations: Vec<Operation>,
    /// The kinds that a CustomResourceDefinition serves.
    pub(crate) custom: Vec<(Key, Served)>,
}

/// The name of a schema: the package, and the part that follows its last dot.
///
/// A schema without a package belongs to its file: the package is then `file:` and the file's stem.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) package: String,
    pub(crate) name: String,
}

impl Key {
    pub(crate) fn new(key: &str, stem: &str) -> Self {
        match key.rsplit_once('.') {
            Some((package, name)) if !package.is_empty() && !name.is_empty() => Self {
                package: package.to_owned(),
                name: name.to_owned(),
            },
            _ => Self::plain(key, stem),
        }
    }

    /// The key of a schema that belongs to its file, whatever its name.
    pub(crate) fn plain(name: &str, stem: &str) -> Self {
        Self {
            package: format!("file:{stem}"),
            name: name.to_owned(),
        }
    }

    /// Whether the key is `full`, such as `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`.
    pub(crate) fn is(&self, full: &str) -> bool {
        full.strip_suffix(self.name.as_str())
            .and_then(|rest| rest.strip_suffix('.'))
            .is_some_and(|package| package == self.package)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.package.starts_with("file:") {
            true => f.write_str(&self.name),
            false => write!(f, "{}.{}", self.package, self.name),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) at: At,
    pub(crate) value: Type,
    pub(crate) kinds: Vec<GroupVersionKind>,
}

/// An entry of `x-kubernetes-group-version-kind`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupVersionKind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl GroupVersionKind {
    /// The `apiVersion` on the wire.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

/// A kind with its own paths.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) kind: GroupVersionKind,
    pub(crate) list_kind: String,
    pub(crate) plural: String,
    pub(crate) namespaced: bool,
    pub(crate) subresources: Vec<String>,
    pub(crate) columns: Vec<Column>,
}

/// A column of a table of objects.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) value_type: String,
    pub(crate) json_path: String,
    pub(crate) format: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) priority: i64,
}

#[derive(Clone, Debug)]
pub(crate) enum Type {
    Scalar(Scalar),
    Enum(EnumType),
    Object(ObjectType),
    Reference(Key, At),
    List(Box<Type>, ListKind),
    Map(Box<Type>, bool),
    /// The type of elements or values that may be `null`.
    Nullable(Box<Type>),
}

impl Type {
    /// Whether two types are the same except for descriptions and extensions.
    pub(crate) fn has_type_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Type::Scalar(left), Type::Scalar(right)) => left == right,
            (Type::Enum(left), Type::Enum(right)) => left.values == right.values,
            (Type::Reference(left, _), Type::Reference(right, _)) => left == right,
            (Type::List(left, _), Type::List(right, _)) => left.has_type_of(right),
            (Type::Map(left, _), Type::Map(right, _))
            | (Type::Nullable(left), Type::Nullable(right)) => left.has_type_of(right),
            (Type::Object(left), Type::Object(right)) => {
                left.fields.len() == right.fields.len()
                    && left.fields.iter().zip(&right.fields).all(|(left, right)| {
                        left.name == right.name
                            && (left.required, left.nullable) == (right.required, right.nullable)
                            && left.value.has_type_of(&right.value)
                    })
            }
            _ => false,
        }
    }
}

/// Types that the runtime has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    String,
    Bytes,
    Int32,
    Int64,
    Number,
    /// A number that is an `f64`.
    Float,
    Boolean,
    Time,
    MicroTime,
    IntOrString,
    Quantity,
    Any,
}

/// A string with known values.
#[derive(Clone, Debug)]
pub(crate) struct EnumType {
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) values: Vec<String>,
    pub(crate) at: At,
}

/// An object with known fields.
#[derive(Clone, Debug)]
pub(crate) struct ObjectType {
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) fields: Vec<Field>,
    /// Whether one field manager owns the whole object.
    pub(crate) atomic: bool,
    /// Whether a server keeps fields that are not among these.
    pub(crate) preserving: bool,
    /// Whether a field is secret, also if it is not generated.
    pub(crate) has_secrets: bool,
    pub(crate) at: At,
}

impl ObjectType {
    /// An object without fields.
    pub(crate) fn empty(at: &At) -> Self {
        Self {
            title: None,
            description: String::new(),
            fields: Vec::new(),
            atomic: false,
            preserving: false,
            has_secrets: false,
            at: at.clone(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) value: Type,
    pub(crate) required: bool,
    /// Whether `null` is its own value.
    pub(crate) nullable: bool,
    pub(crate) description: String,
    /// Its default, bounds and allowed values, as sentences; empty if the description has them.
    pub(crate) limits: String,
    pub(crate) facts: FieldFacts,
    pub(crate) at: At,
}

/// The Kubernetes extensions of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldFacts {
    /// Whether `Debug` hides the value.
    pub(crate) secret: bool,
    pub(crate) always_emitted: bool,
    pub(crate) patch_strategy: Option<&'static str>,
    pub(crate) patch_merge_key: Option<String>,
    pub(crate) introduced_in: Option<String>,
    pub(crate) go_type: Option<String>,
    /// The `x-kubernetes-map-type` beside a reference, which overrides that of the type: whether it is `atomic`.
    pub(crate) atomic: Option<bool>,
}

/// The `x-kubernetes-list-type`: how server-side apply merges a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Atomic,
    Set,
    Map(Vec<String>),
}

#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) action: String,
    pub(crate) kind: Option<GroupVersionKind>,
    pub(crate) deprecated: bool,
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Content>,
    pub(crate) responses: Vec<(u16, Content)>,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) location: String,
}

/// The body of a request or response.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// Its schema, if that has a name.
    pub(crate) schema: Option<Key>,
}
