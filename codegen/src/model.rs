//! What the generator knows of documents, whatever their format was.

use crate::error::At;
use std::fmt;

/// The name of a schema: the package and the name behind its last dot.
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
            _ => Self {
                package: format!("file:{stem}"),
                name: key.to_owned(),
            },
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

/// A schema with a name.
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

/// The type of a value.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Scalar(Scalar),
    Enum(EnumType),
    Object(ObjectType),
    Reference(Key, At),
    List(Box<Type>, ListKind),
    Map(Box<Type>, bool),
}

/// Types that the runtime has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    String,
    Int32,
    Int64,
    Number,
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

/// An object with known members.
#[derive(Clone, Debug)]
pub(crate) struct ObjectType {
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) fields: Vec<Field>,
    /// Whether an object is owned as a whole.
    pub(crate) atomic: bool,
    pub(crate) at: At,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) value: Type,
    pub(crate) required: bool,
    pub(crate) description: String,
    pub(crate) facts: FieldFacts,
    pub(crate) at: At,
}

/// What a document's extensions say of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldFacts {
    pub(crate) always_emitted: bool,
    pub(crate) patch_strategy: Option<&'static str>,
    pub(crate) patch_merge_key: Option<String>,
    pub(crate) introduced_in: Option<String>,
}

/// Which elements of a list are the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Atomic,
    Set,
    Map(Vec<String>),
}

/// An operation of a document.
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

/// A parameter of an operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) location: String,
    pub(crate) value_type: String,
}

/// What a request or response carries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub(crate) schema: Option<Key>,
    pub(crate) media_types: Vec<String>,
}
