//! Facts about Go's structs that the documents lack: the names of types, and the fields that are pointers.

use k8s_flowcontrol_types::schema::{FieldSchema, Shape, TypeSchema};

/// Types of `k8s.io/apimachinery`, whose Go package is always called `v1`.
const META: &[&str] = &[
    "FieldsV1",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
];

/// Strings with a Go type of their own: owner, field, type. A type without a package lies in the
/// package of the API version.
const NAMED_STRINGS: &[(&str, &str, &str)] = &[
    (
        "FlowDistinguisherMethod",
        "type",
        "FlowDistinguisherMethodType",
    ),
    ("FlowSchemaCondition", "status", "ConditionStatus"),
    ("FlowSchemaCondition", "type", "FlowSchemaConditionType"),
    ("LimitResponse", "type", "LimitResponseType"),
    (
        "ManagedFieldsEntry",
        "operation",
        "v1.ManagedFieldsOperationType",
    ),
    ("ObjectMeta", "uid", "types.UID"),
    ("OwnerReference", "uid", "types.UID"),
    (
        "PriorityLevelConfigurationCondition",
        "status",
        "ConditionStatus",
    ),
    (
        "PriorityLevelConfigurationCondition",
        "type",
        "PriorityLevelConfigurationConditionType",
    ),
    (
        "PriorityLevelConfigurationSpec",
        "type",
        "PriorityLevelEnablement",
    ),
    ("Subject", "kind", "SubjectKind"),
];

/// Fields that are pointers in Go: a later `null` erases them, and only they.
const POINTERS: &[(&str, &str)] = &[
    ("ExemptPriorityLevelConfiguration", "lendablePercent"),
    (
        "ExemptPriorityLevelConfiguration",
        "nominalConcurrencyShares",
    ),
    ("FlowSchemaSpec", "distinguisherMethod"),
    ("LimitResponse", "queuing"),
    ("LimitedPriorityLevelConfiguration", "borrowingLimitPercent"),
    ("LimitedPriorityLevelConfiguration", "lendablePercent"),
    ("ManagedFieldsEntry", "fieldsV1"),
    ("ManagedFieldsEntry", "time"),
    ("ObjectMeta", "deletionGracePeriodSeconds"),
    ("ObjectMeta", "deletionTimestamp"),
    ("OwnerReference", "blockOwnerDeletion"),
    ("OwnerReference", "controller"),
    ("PriorityLevelConfigurationSpec", "exempt"),
    ("PriorityLevelConfigurationSpec", "limited"),
    ("Subject", "group"),
    ("Subject", "serviceAccount"),
    ("Subject", "user"),
];

/// Whether the field is a pointer in Go's struct of `version`.
pub(super) fn is_pointer(owner: &TypeSchema, field: &FieldSchema, version: &str) -> bool {
    let nullable_shares = version == "v1"
        && owner.name == "LimitedPriorityLevelConfiguration"
        && field.name == "nominalConcurrencyShares";
    nullable_shares || POINTERS.contains(&(owner.name, field.name))
}

/// The Go type of a field, or of the elements or values in it, as error messages name it.
pub(super) fn type_name(owner: &str, field: &str, shape: &Shape, version: &str) -> String {
    match shape {
        Shape::String => {
            let named = NAMED_STRINGS
                .iter()
                .find(|(o, m, _)| (*o, *m) == (owner, field));
            match named {
                None => "string".into(),
                Some((.., name)) if name.contains('.') || *name == "string" => (*name).into(),
                Some((.., name)) => format!("{version}.{name}"),
            }
        }
        Shape::Bytes => "[]uint8".into(),
        Shape::Int32 => "int32".into(),
        Shape::Int64 => "int64".into(),
        Shape::Number => "float64".into(),
        Shape::Boolean => "bool".into(),
        Shape::Time => "v1.Time".into(),
        Shape::MicroTime => "v1.MicroTime".into(),
        Shape::IntOrString => "intstr.IntOrString".into(),
        Shape::Quantity => "resource.Quantity".into(),
        Shape::Any => "v1.FieldsV1".into(),
        Shape::Object(schema) if META.contains(&schema.name) => format!("v1.{}", schema.name),
        Shape::Object(schema) => format!("{version}.{}", schema.name),
        Shape::List { element, .. } => format!("[]{}", type_name("", "", element, version)),
        Shape::Map { value, .. } => format!("map[string]{}", type_name("", "", value, version)),
    }
}
