//! The metadata of an object, without the rest.

use crate::json::{self, Fault, ReadJson, Reader, WriteJson, Writer};
use crate::meta::{ObjectMeta, Unknown};
use crate::resource::Resource;
use crate::rt::v1::{
    self as rt, Field, Fields, Object, Table, TypeMeta, Value, read_object, write_object,
};
use crate::schema::{FieldSchema, Shape, TypeSchema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// The metadata of an object of the kind `K`, which a server sends instead of the whole object on request:
/// [`PartialObjectMetadata`] of `meta.k8s.io/v1`.
///
/// As a [`Resource`] it has the group, version, kind and paths of `K`, so that code for every kind works with it. Its
/// JSON has the kind `PartialObjectMetadata` and the `apiVersion` `meta.k8s.io/v1`. It is read-only: servers do not
/// store such objects.
///
/// ```
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
/// use k8s_flowcontrol_types::{PartialObjectMetadata, Resource};
///
/// let text = r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"exempt"}}"#;
/// let schema: PartialObjectMetadata<FlowSchema> = serde_json::from_str(text)?;
/// assert_eq!(schema.name(), "exempt");
/// assert_eq!(serde_json::to_string(&schema)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// [`PartialObjectMetadata`]: https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
#[derive(Clone, PartialEq)]
pub struct PartialObjectMetadata<K> {
    /// The metadata of the object.
    pub metadata: ObjectMeta,
    /// Fields that this type does not know, kept and written back.
    pub unknown: Unknown,
    kind: PhantomData<fn() -> K>,
}

impl<K> From<ObjectMeta> for PartialObjectMetadata<K> {
    fn from(metadata: ObjectMeta) -> Self {
        Self {
            metadata,
            unknown: Unknown::default(),
            kind: PhantomData,
        }
    }
}

impl<K> Default for PartialObjectMetadata<K> {
    fn default() -> Self {
        Self::from(ObjectMeta::default())
    }
}

impl<K: Resource> Resource for PartialObjectMetadata<K> {
    const GROUP: &'static str = K::GROUP;
    const VERSION: &'static str = K::VERSION;
    const API_VERSION: &'static str = K::API_VERSION;
    const KIND: &'static str = K::KIND;
    const LIST_KIND: &'static str = K::LIST_KIND;
    const PLURAL: &'static str = K::PLURAL;
    type Scope = K::Scope;
    const SUBRESOURCES: &'static [&'static str] = K::SUBRESOURCES;
    type Spec = ();
    type Status = ();

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

const FIELDS: &[FieldSchema] = &[
    rt::KIND,
    rt::API_VERSION,
    FieldSchema::new("metadata", ObjectMeta::SHAPE, true),
];

static SCHEMA: TypeSchema = TypeSchema::new("PartialObjectMetadata", || FIELDS);

impl<K> Object for PartialObjectMetadata<K> {
    const TABLE: Table = Table::new(
        &SCHEMA,
        FIELDS,
        const { &[rt::name!("metadata")] },
        Some(TypeMeta {
            api_version: "meta.k8s.io/v1",
            kind: "PartialObjectMetadata",
            list_kind: "PartialObjectMetadataList",
        }),
    );
}

impl<K> Value for PartialObjectMetadata<K> {
    fn is_default(&self) -> bool {
        rt::is_default(self)
    }
}

impl<K> Field for PartialObjectMetadata<K> {
    const SHAPE: Shape = Shape::Object(&SCHEMA);
}

impl<K> Fields for PartialObjectMetadata<K> {
    fn read_field(&mut self, _index: usize, reader: &mut Reader<'_>) -> Result<(), Fault> {
        self.metadata.read_json(reader)
    }

    fn values(&self, see: &mut dyn FnMut(&[&dyn Value], &Unknown)) {
        see(&[&self.metadata], &self.unknown);
    }

    fn unknown_mut(&mut self) -> &mut Unknown {
        &mut self.unknown
    }
}

impl<K> ReadJson for PartialObjectMetadata<K> {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        read_object(self, reader)
    }
}

impl<K> WriteJson for PartialObjectMetadata<K> {
    fn write_json(&self, writer: &mut Writer) {
        write_object(self, writer, true);
    }
}

impl<K> Serialize for PartialObjectMetadata<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json::serialize(self, serializer)
    }
}

impl<'de, K> Deserialize<'de> for PartialObjectMetadata<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::deserialize(deserializer)
    }
}

impl<K> fmt::Debug for PartialObjectMetadata<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartialObjectMetadata")
            .field("metadata", &self.metadata)
            .field("unknown", &self.unknown)
            .finish()
    }
}
