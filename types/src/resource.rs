//! What all kinds have in common.

use crate::meta::{ListMeta, ObjectMeta, Unknown};
use crate::rt::json::{Fault, ReadJson, Reader, WriteJson, Writer, read_object, write_object};
use crate::rt::{self, Members, Sink, Source, TypeMeta, Untyped};
use crate::schema::ResourceSchema;
use serde::de::DeserializeOwned;
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt::Debug;

/// A Kubernetes kind in one API version.
///
/// Implemented by generated types; code that works for every kind is written against it.
///
/// ```
/// use k8s_flowcontrol_types::Resource;
/// use k8s_flowcontrol_types::api::v1;
///
/// fn api_version<K: Resource>() -> String {
///     format!("{}/{}", K::GROUP, K::VERSION)
/// }
/// assert_eq!(api_version::<v1::FlowSchema>(), "flowcontrol.apiserver.k8s.io/v1");
/// ```
pub trait Resource:
    Members
    + ReadJson
    + WriteJson
    + Serialize
    + DeserializeOwned
    + Clone
    + Debug
    + PartialEq
    + Send
    + Sync
    + 'static
{
    /// The API group; empty for the core group.
    const GROUP: &'static str;
    /// The API version, such as `v1beta3`.
    const VERSION: &'static str;
    /// `GROUP/VERSION`, or `VERSION` alone for the core group: the `apiVersion` on the wire.
    const API_VERSION: &'static str;
    /// The kind on the wire.
    const KIND: &'static str;
    /// The resource's name in paths.
    const PLURAL: &'static str;
    /// Whether objects live in a namespace.
    const NAMESPACED: bool;
    /// The type of `spec`, or `()`.
    type Spec;
    /// The type of `status`, or `()`.
    type Status;

    /// What the documents say of the kind.
    fn schema() -> &'static ResourceSchema;
    /// The object's metadata.
    fn metadata(&self) -> &ObjectMeta;
    /// The object's metadata.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;

    /// The object's name, empty while it has none.
    fn name(&self) -> &str {
        self.metadata().name.as_deref().unwrap_or_default()
    }
}

/// The objects that a list request answers: items without `apiVersion` and `kind`, and the list's metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct List<K> {
    /// Resource version and paging of the list.
    pub metadata: ListMeta,
    /// The objects.
    pub items: Vec<K>,
    /// Members that this type does not know, kept and written back.
    pub unknown: Unknown,
}

impl<K> Default for List<K> {
    fn default() -> Self {
        Self {
            metadata: ListMeta::default(),
            items: Vec::new(),
            unknown: Unknown::default(),
        }
    }
}

impl<K: Resource> Members for List<K> {
    const NAME: &'static str = "List";
    const TYPE_META: Option<TypeMeta> = Some(TypeMeta {
        api_version: K::API_VERSION,
        kind: K::KIND,
        list: true,
    });
    const NAMES: &'static [&'static str] = &["metadata", "items"];
    const REQUIRED: u128 = 0b01;

    fn index(name: &str) -> Option<usize> {
        match name {
            "metadata" => Some(0),
            "items" => Some(1),
            _ => None,
        }
    }

    fn read<S: Source>(&mut self, index: usize, source: &mut S) -> Result<(), S::Error> {
        match index {
            0 => source.nullable(&mut self.metadata),
            _ => source.list(&mut self.items),
        }
    }

    fn write<S: Sink>(&self, sink: &mut S) -> Result<(), S::Error> {
        rt::write_required(sink, self, 0, &self.metadata)?;
        sink.member("items", &Items(&self.items))
    }

    fn unknown(&self) -> &Unknown {
        &self.unknown
    }

    fn unknown_mut(&mut self) -> &mut Unknown {
        &mut self.unknown
    }
}

impl<K: Resource> ReadJson for List<K> {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        read_object(self, reader)
    }
}

impl<K: Resource> WriteJson for List<K> {
    fn write_json(&self, writer: &mut Writer) {
        write_object(self, writer, true);
    }
}

impl<K: Resource> Serialize for List<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        rt::serialize(self, serializer)
    }
}

impl<'de, K: Resource> Deserialize<'de> for List<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        rt::deserialize(deserializer)
    }
}

impl<K> IntoIterator for List<K> {
    type Item = K;
    type IntoIter = std::vec::IntoIter<K>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, K> IntoIterator for &'a List<K> {
    type Item = &'a K;
    type IntoIter = std::slice::Iter<'a, K>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

struct Items<'a, K>(&'a [K]);

impl<K: Resource> Serialize for Items<'_, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for item in self.0 {
            seq.serialize_element(&Untyped(item))?;
        }
        seq.end()
    }
}

impl<K: Resource> WriteJson for Items<'_, K> {
    fn write_json(&self, writer: &mut Writer) {
        writer.array(self.0.iter().map(Untyped));
    }
}
