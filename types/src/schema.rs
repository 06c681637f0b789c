//! The documents' facts at run time: object shapes and operations, as the generator writes them.
//!
//! An embedded server, a strict decoder or a migration tool works on JSON trees and needs to know
//! what the documents say of each member: its type, how lists merge, in which order a Kubernetes API
//! server writes the members and which of them it writes even when they are empty.

use crate::Release;

/// An object type of a document.
#[derive(Debug)]
pub struct TypeSchema {
    /// The schema's name without its package, such as `FlowSchemaSpec`.
    pub name: &'static str,
    /// The members in the order in which a Kubernetes API server writes them.
    pub fields: &'static [FieldSchema],
    /// Whether an object of the type is owned as a whole (`x-kubernetes-map-type: atomic`).
    pub map_type_atomic: bool,
}

impl TypeSchema {
    /// The member named `name`.
    pub fn field(&self, name: &str) -> Option<&FieldSchema> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// A member of an object type.
#[derive(Debug)]
pub struct FieldSchema {
    /// The name on the wire.
    pub name: &'static str,
    /// The type of the value.
    pub shape: Shape,
    /// Whether the document requires the member.
    pub required: bool,
    /// Whether a Kubernetes API server writes the member even when it is zero, empty or null.
    pub always_emitted: bool,
    /// How a strategic merge patch treats the member.
    pub patch_strategy: Option<PatchStrategy>,
    /// The member of the elements by which a strategic merge patch matches them.
    pub patch_merge_key: Option<&'static str>,
    /// The Kubernetes release, such as `1.28`, that added the member to a version already served.
    pub introduced_in: Option<&'static str>,
}

impl FieldSchema {
    /// Whether a server of `release` knows the member.
    pub fn is_known_to(&self, release: Release) -> bool {
        self.introduced_in
            .and_then(|introduced| introduced.strip_prefix("1."))
            .and_then(|minor| minor.parse().ok())
            .is_none_or(|minor: u32| release.minor() >= minor)
    }
}

/// How a strategic merge patch treats a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchStrategy {
    /// Elements are merged.
    Merge,
    /// The value is replaced.
    Replace,
    /// Elements are merged, and keys that the patch does not name are removed.
    RetainKeys,
    /// Elements are merged, and keys that the patch does not name are removed.
    MergeRetainKeys,
}

/// The type of a value.
#[derive(Debug)]
pub enum Shape {
    /// A string.
    String,
    /// An integer of 32 bits.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// A number with a fraction.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An RFC 3339 time with seconds.
    Time,
    /// An RFC 3339 time with microseconds.
    MicroTime,
    /// An integer or a string.
    IntOrString,
    /// A quantity such as `500m`: a string or a number.
    Quantity,
    /// Any JSON value.
    Any,
    /// An object with known members.
    Object(&'static TypeSchema),
    /// A list.
    List {
        /// The type of the elements.
        element: &'static Shape,
        /// Which elements are the same one.
        kind: ListKind,
    },
    /// An object with any keys.
    Map {
        /// The type of the values.
        value: &'static Shape,
        /// Whether the map is owned as a whole.
        atomic: bool,
    },
}

/// Which elements of a list are the same one, for merging and ownership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// The list is one value.
    Atomic,
    /// The elements are scalars, each at most once.
    Set,
    /// The elements are objects, told apart by these members.
    Map(&'static [&'static str]),
}

/// A kind that a document serves.
#[derive(Debug)]
pub struct ResourceSchema {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The API version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The resource's name in paths.
    pub plural: &'static str,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// The subresources, such as `status`.
    pub subresources: &'static [&'static str],
    /// The shape of an object.
    pub schema: &'static TypeSchema,
}

/// A documented operation.
#[derive(Debug)]
pub struct Operation {
    /// The document's `operationId`.
    pub id: &'static str,
    /// The HTTP method in capitals.
    pub method: &'static str,
    /// The path with `{name}` and `{namespace}` in it.
    pub path: &'static str,
    /// The Kubernetes action (`list`, `get`, `post`, `put`, `patch`, `delete`, `deletecollection`,
    /// `watch`, `watchlist`), empty for discovery.
    pub action: &'static str,
    /// The kind that the operation is about, empty for discovery.
    pub kind: &'static str,
    /// Whether the document calls it deprecated.
    pub deprecated: bool,
    /// Its parameters, those of the path included.
    pub parameters: &'static [Parameter],
    /// The body that it takes.
    pub body: Option<Body>,
    /// The documented response codes.
    pub responses: &'static [Response],
}

/// A parameter of an operation.
#[derive(Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// Where it stands: `path` or `query`.
    pub location: &'static str,
    /// The JSON Schema type of its value: `string`, `integer` or `boolean`.
    pub value_type: &'static str,
}

/// The body of an operation.
#[derive(Debug)]
pub struct Body {
    /// The schema's name without its package.
    pub schema: &'static str,
    /// The media types in which the body may come.
    pub media_types: &'static [&'static str],
}

/// A documented response of an operation.
#[derive(Debug)]
pub struct Response {
    /// The HTTP status code.
    pub code: u16,
    /// The schema's name without its package.
    pub schema: Option<&'static str>,
    /// The media types in which the answer may come.
    pub media_types: &'static [&'static str],
}
