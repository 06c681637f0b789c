//! The documents' facts at run time: the shapes of objects.
//!
//! An embedded server, a strict decoder or a migration tool works on JSON trees, and needs the type of each field, the
//! merge rules of lists, the order in which a Kubernetes API server writes the fields, and the fields that it writes even
//! when they are empty.

use crate::Release;

/// An object type of a document.
#[derive(Debug)]
pub struct TypeSchema {
    /// The schema's name without its package, such as `FlowSchemaSpec`.
    pub name: &'static str,
    /// The fields, returned by a function because a type may contain itself.
    fields: fn() -> &'static [FieldSchema],
    /// Whether an object of the type is owned as a whole (`x-kubernetes-map-type: atomic`).
    pub map_type_atomic: bool,
    /// Whether a server keeps fields that the type does not know (`x-kubernetes-preserve-unknown-fields`).
    pub preserves_unknown_fields: bool,
}

impl TypeSchema {
    #[doc(hidden)]
    pub const fn new(name: &'static str, fields: fn() -> &'static [FieldSchema]) -> Self {
        Self {
            name,
            fields,
            map_type_atomic: false,
            preserves_unknown_fields: false,
        }
    }

    #[doc(hidden)]
    pub const fn atomic(mut self) -> Self {
        self.map_type_atomic = true;
        self
    }

    #[doc(hidden)]
    pub const fn preserving(mut self) -> Self {
        self.preserves_unknown_fields = true;
        self
    }

    /// The shape of the value of a field: any JSON for a field that is not described, where a server keeps those.
    pub fn shape(&self, name: &str) -> Option<Shape> {
        match self.field(name) {
            Some(field) => Some(field.shape),
            None => self.preserves_unknown_fields.then_some(Shape::Any),
        }
    }

    /// The fields in the order in which a Kubernetes API server writes them.
    pub fn fields(&self) -> &'static [FieldSchema] {
        (self.fields)()
    }

    /// The field named `name`.
    pub fn field(&self, name: &str) -> Option<&'static FieldSchema> {
        self.fields().iter().find(|field| field.name == name)
    }
}

/// A field of an object type.
#[derive(Clone, Copy, Debug)]
pub struct FieldSchema {
    /// The name on the wire.
    pub name: &'static str,
    /// The type of the value.
    pub shape: Shape,
    /// Whether the document requires the field.
    pub required: bool,
    /// Whether `null` is a value. In other fields it means that the field is absent.
    pub nullable: bool,
    /// Whether a Kubernetes API server writes the field even when it is zero, empty or null.
    pub always_emitted: bool,
    /// How a strategic merge patch treats the field.
    pub patch_strategy: Option<PatchStrategy>,
    /// The field of the elements by which a strategic merge patch matches them.
    pub patch_merge_key: Option<&'static str>,
    /// The Kubernetes release, such as `1.28`, that added the field to a version already served.
    pub introduced_in: Option<&'static str>,
    /// The type of the field in a Kubernetes API server (`x-go-type`), where the shape does not imply it: `*int32` is a
    /// pointer, which is written also when it is zero, and `types.UID` is a named string type, whose name errors print.
    pub go_type: Option<&'static str>,
    /// The values of a closed set, as far as the type knows them; empty for other fields.
    pub values: &'static [&'static str],
    /// The meaning of the field; empty for types of the generator, whose documentation has it.
    pub description: &'static str,
    /// The least value as JSON text, for types that [`custom_object!`](crate::custom_object) declares.
    pub minimum: Option<&'static str>,
    /// The greatest value as JSON text, for such types.
    pub maximum: Option<&'static str>,
    /// The default as JSON text, for such types.
    pub default: Option<&'static str>,
}

/// How the tables of generated code are written.
#[doc(hidden)]
impl FieldSchema {
    pub const fn new(name: &'static str, shape: Shape, required: bool) -> Self {
        Self {
            name,
            shape,
            required,
            nullable: false,
            always_emitted: false,
            patch_strategy: None,
            patch_merge_key: None,
            introduced_in: None,
            go_type: None,
            values: &[],
            description: "",
            minimum: None,
            maximum: None,
            default: None,
        }
    }

    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    pub const fn always(mut self) -> Self {
        self.always_emitted = true;
        self
    }

    pub const fn since(mut self, release: &'static str) -> Self {
        self.introduced_in = Some(release);
        self
    }

    pub const fn go(mut self, go_type: &'static str) -> Self {
        self.go_type = Some(go_type);
        self
    }

    pub const fn values(mut self, values: &'static [&'static str]) -> Self {
        self.values = values;
        self
    }

    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    pub const fn minimum(mut self, json: &'static str) -> Self {
        self.minimum = Some(json);
        self
    }

    pub const fn maximum(mut self, json: &'static str) -> Self {
        self.maximum = Some(json);
        self
    }

    pub const fn default(mut self, json: &'static str) -> Self {
        self.default = Some(json);
        self
    }

    pub const fn merge(self) -> Self {
        self.patch(PatchStrategy::Merge)
    }

    pub const fn replace(self) -> Self {
        self.patch(PatchStrategy::Replace)
    }

    pub const fn retain_keys(self) -> Self {
        self.patch(PatchStrategy::RetainKeys)
    }

    pub const fn merge_retain_keys(self) -> Self {
        self.patch(PatchStrategy::MergeRetainKeys)
    }

    const fn patch(mut self, strategy: PatchStrategy) -> Self {
        self.patch_strategy = Some(strategy);
        self
    }

    pub const fn merge_by(self, field: &'static str) -> Self {
        self.merge().merge_key(field)
    }

    pub const fn merge_key(mut self, field: &'static str) -> Self {
        self.patch_merge_key = Some(field);
        self
    }

    pub const fn shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    pub const fn object(self, schema: &'static TypeSchema) -> Self {
        self.shape(Shape::Object(schema))
    }

    pub const fn atomic(mut self) -> Self {
        if let Shape::Map { atomic, .. } = &mut self.shape {
            *atomic = true;
        }
        self
    }

    pub const fn set(self) -> Self {
        self.list(ListKind::Set)
    }

    pub const fn map(self, keys: &'static [&'static str]) -> Self {
        self.list(ListKind::Map(keys))
    }

    const fn list(mut self, list: ListKind) -> Self {
        if let Shape::List { kind, .. } = &mut self.shape {
            *kind = list;
        }
        self
    }
}

impl FieldSchema {
    /// Whether a server of `release` knows the field.
    pub fn is_known_to(&self, release: Release) -> bool {
        self.introduced_in
            .and_then(|introduced| introduced.strip_prefix("1."))
            .and_then(|minor| minor.parse().ok())
            .is_none_or(|minor: u32| release.minor() >= minor)
    }
}

/// How a strategic merge patch treats a field.
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
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A string.
    String,
    /// Bytes, as base64 text.
    Bytes,
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
    /// An object with known fields.
    Object(&'static TypeSchema),
    /// A list.
    List {
        /// The type of the elements.
        element: &'static Shape,
        /// The identity of elements.
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

impl Shape {
    /// The type of the objects, where a field states another owner than their type: one for the whole object, or one for each field.
    #[doc(hidden)]
    pub const fn owned_as_a_whole(self, map_type_atomic: bool) -> TypeSchema {
        match self {
            Self::Object(schema) => TypeSchema {
                map_type_atomic,
                ..*schema
            },
            // Only objects have fields with owners.
            _ => TypeSchema::new("", || &[]),
        }
    }
}

/// The identity of list elements, for merging and ownership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// The list is one value.
    Atomic,
    /// The elements are scalars, each at most once.
    Set,
    /// The elements are objects, identified by these fields.
    Map(&'static [&'static str]),
}

/// A column of a table of objects, from `additionalPrinterColumns` of a CustomResourceDefinition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrinterColumn {
    /// The column's heading.
    pub name: &'static str,
    /// The OpenAPI type of the values, such as `string`, `integer` or `date`.
    pub r#type: &'static str,
    /// The OpenAPI format of the values, such as `password`; empty without one.
    pub format: &'static str,
    /// The path of the value in an object, such as `.status.phase`.
    pub json_path: &'static str,
    /// The column's meaning; empty without one.
    pub description: &'static str,
    /// 0 for columns that are always shown; others are for wide tables.
    pub priority: i32,
}

/// How generated code writes columns.
#[doc(hidden)]
impl PrinterColumn {
    pub const fn column(name: &'static str, r#type: &'static str, json_path: &'static str) -> Self {
        Self {
            name,
            r#type,
            format: "",
            json_path,
            description: "",
            priority: 0,
        }
    }

    pub const fn format(mut self, format: &'static str) -> Self {
        self.format = format;
        self
    }

    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    pub const fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }
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
    /// The kind of a list.
    pub list_kind: &'static str,
    /// The resource's name in paths.
    pub plural: &'static str,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// The subresources, such as `status`.
    pub subresources: &'static [&'static str],
    /// The columns of a table of objects, behind the name.
    pub printer_columns: &'static [PrinterColumn],
    /// The shape of an object.
    pub schema: &'static TypeSchema,
}
