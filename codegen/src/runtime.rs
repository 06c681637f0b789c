//! Schemas that the runtime has types for.

use crate::model::{Key, Scalar};

/// The package of the schemas that every Kubernetes API shares.
pub(crate) const SHARED_PACKAGE: &str = "io.k8s.apimachinery.pkg.";

/// The package of metadata.
const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Whether every Kubernetes API shares the schema.
pub(crate) fn is_shared(key: &Key) -> bool {
    key.package
        .starts_with(SHARED_PACKAGE.trim_end_matches('.'))
}

pub(crate) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
pub(crate) const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
pub(crate) const MANAGED_FIELDS_ENTRY: &str =
    "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry";

/// Schemas with a handwritten type in the runtime, because their schemas do not describe them.
const SCALARS: [(&str, Scalar); 6] = [
    ("io.k8s.apimachinery.pkg.apis.meta.v1.Time", Scalar::Time),
    (
        "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
        Scalar::MicroTime,
    ),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", Scalar::Any),
    ("io.k8s.apimachinery.pkg.runtime.RawExtension", Scalar::Any),
    (
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
        Scalar::IntOrString,
    ),
    (
        "io.k8s.apimachinery.pkg.api.resource.Quantity",
        Scalar::Quantity,
    ),
];

/// The handwritten type of the schema, when it has one.
pub(crate) fn scalar(key: &Key) -> Option<Scalar> {
    SCALARS
        .iter()
        .find(|(full, _)| key.is(full))
        .map(|(_, scalar)| *scalar)
}

/// The structs of the runtime's `meta` module: package, name and the name in Rust. They are generated together with the runtime, which fails when
/// this list is not what was generated.
pub(crate) const RUNTIME_META: [(&str, &str, &str); 25] = [
    (
        "io.k8s.api.core.v1",
        "LocalObjectReference",
        "LocalObjectReference",
    ),
    ("io.k8s.api.core.v1", "ObjectReference", "ObjectReference"),
    (META, "APIGroup", "ApiGroup"),
    (META, "APIGroupList", "ApiGroupList"),
    (META, "APIResource", "ApiResource"),
    (META, "APIResourceList", "ApiResourceList"),
    (META, "APIVersions", "ApiVersions"),
    (META, "Condition", "Condition"),
    (META, "DeleteOptions", "DeleteOptions"),
    (META, "FieldSelectorRequirement", "FieldSelectorRequirement"),
    (META, "GroupVersionForDiscovery", "GroupVersionForDiscovery"),
    (META, "LabelSelector", "LabelSelector"),
    (META, "LabelSelectorRequirement", "LabelSelectorRequirement"),
    (META, "ListMeta", "ListMeta"),
    (META, "ManagedFieldsEntry", "ManagedFieldsEntry"),
    (META, "ObjectMeta", "ObjectMeta"),
    (META, "OwnerReference", "OwnerReference"),
    (META, "Preconditions", "Preconditions"),
    (
        META,
        "ServerAddressByClientCIDR",
        "ServerAddressByClientCidr",
    ),
    (META, "ShardInfo", "ShardInfo"),
    (META, "Status", "Status"),
    (META, "StatusCause", "StatusCause"),
    (META, "StatusDetails", "StatusDetails"),
    (META, "WatchEvent", "WatchEvent"),
    ("io.k8s.apimachinery.pkg.version", "Info", "Info"),
];

/// The name in the runtime's `meta` module, when the schema is there.
pub(crate) fn runtime_meta(key: &Key) -> Option<&'static str> {
    RUNTIME_META
        .iter()
        .find(|(package, name, _)| key.package == *package && key.name == *name)
        .map(|(_, _, name)| *name)
}

/// Whether the runtime's own generation puts the schema into its module `meta`.
pub(crate) fn is_own_meta(key: &Key) -> bool {
    is_shared(key) || runtime_meta(key).is_some()
}

/// A struct of the runtime that inline schemas may equal.
pub(crate) struct RuntimeShape {
    pub(crate) name: &'static str,
    /// Whether equal inline schemas become this type; otherwise only where it is part of another one.
    pub(crate) is_replacement: bool,
    pub(crate) atomic: bool,
    pub(crate) fields: &'static [RuntimeFieldOf],
}

/// A field of such a struct.
pub(crate) struct RuntimeFieldOf {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) shape: RuntimeField,
}

/// The type of such a field.
#[derive(Debug)]
pub(crate) enum RuntimeField {
    Scalar(Scalar),
    Strings,
    StringMap,
    Objects(&'static str),
}

const fn required(name: &'static str, shape: RuntimeField) -> RuntimeFieldOf {
    RuntimeFieldOf {
        name,
        required: true,
        shape,
    }
}

const fn optional(name: &'static str, shape: RuntimeField) -> RuntimeFieldOf {
    RuntimeFieldOf {
        name,
        required: false,
        shape,
    }
}

const STRING: RuntimeField = RuntimeField::Scalar(Scalar::String);
const BOOLEAN: RuntimeField = RuntimeField::Scalar(Scalar::Boolean);

/// The structs of the runtime that schemas of custom resources repeat. The runtime's own generation fails when this list
/// differs from its documents.
pub(crate) const RUNTIME_SHAPES: [RuntimeShape; 6] = [
    RuntimeShape {
        name: "Condition",
        is_replacement: true,
        atomic: false,
        fields: &[
            required("type", STRING),
            required("status", STRING),
            optional("observedGeneration", RuntimeField::Scalar(Scalar::Int64)),
            required("lastTransitionTime", RuntimeField::Scalar(Scalar::Time)),
            required("reason", STRING),
            required("message", STRING),
        ],
    },
    RuntimeShape {
        name: "LabelSelector",
        is_replacement: true,
        atomic: true,
        fields: &[
            optional("matchLabels", RuntimeField::StringMap),
            optional(
                "matchExpressions",
                RuntimeField::Objects("LabelSelectorRequirement"),
            ),
        ],
    },
    RuntimeShape {
        name: "LabelSelectorRequirement",
        // The requirements of node selectors are written alike and have more operators.
        is_replacement: false,
        atomic: false,
        fields: &[
            required("key", STRING),
            required("operator", STRING),
            optional("values", RuntimeField::Strings),
        ],
    },
    RuntimeShape {
        name: "LocalObjectReference",
        is_replacement: true,
        atomic: true,
        fields: &[optional("name", STRING)],
    },
    RuntimeShape {
        name: "ObjectReference",
        is_replacement: true,
        atomic: true,
        fields: &[
            optional("kind", STRING),
            optional("namespace", STRING),
            optional("name", STRING),
            optional("uid", STRING),
            optional("apiVersion", STRING),
            optional("resourceVersion", STRING),
            optional("fieldPath", STRING),
        ],
    },
    RuntimeShape {
        name: "OwnerReference",
        is_replacement: true,
        atomic: true,
        fields: &[
            required("apiVersion", STRING),
            required("kind", STRING),
            required("name", STRING),
            required("uid", STRING),
            optional("controller", BOOLEAN),
            optional("blockOwnerDeletion", BOOLEAN),
        ],
    },
];
