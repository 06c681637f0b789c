//! The trait of all kinds, and their lists.

use crate::invalid_object::InvalidObject;
use crate::json::{self, Fault, RawJson, ReadJson, Reader, WriteJson, Writer};
use crate::meta::{ListMeta, ObjectMeta, Unknown};
use crate::rt::{
    self, Field, Fields, Object, Table, TypeMeta, Untyped, read_object, write_field, write_object,
};
use crate::schema::{FieldSchema, PrinterColumn, ResourceSchema, TypeSchema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
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
    Object + Field + Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static
{
    /// The API group; empty for the core group.
    const GROUP: &'static str;
    /// The API version, such as `v1beta3`.
    const VERSION: &'static str;
    /// `GROUP/VERSION`, or `VERSION` alone for the core group: the `apiVersion` on the wire.
    const API_VERSION: &'static str;
    /// The kind on the wire.
    const KIND: &'static str;
    /// The kind of a list on the wire, most often the kind followed by `List`.
    const LIST_KIND: &'static str;
    /// The resource's name in paths.
    const PLURAL: &'static str;
    /// Where the objects live: [`Namespaced`] or [`ClusterScoped`]. Bounds such as `K: Resource<Scope = Namespaced>` make a
    /// wrong use an error of the compiler.
    type Scope: Scope;
    /// Whether objects live in a namespace, as [`Scope`](Self::Scope) says.
    const NAMESPACED: bool = <Self::Scope as Scope>::NAMESPACED;
    /// The subresources, such as `status`.
    const SUBRESOURCES: &'static [&'static str];
    /// The columns of a table of objects, such as the one of `kubectl get`, behind the name; from a
    /// CustomResourceDefinition, otherwise empty.
    const PRINTER_COLUMNS: &'static [PrinterColumn] = &[];
    /// The type of `spec`, or `()`.
    type Spec;
    /// The type of `status`, or `()`.
    type Status;

    /// The facts about the kind from its document.
    fn schema() -> &'static ResourceSchema {
        const { &resource_schema::<Self>() }
    }

    /// The object's metadata.
    fn metadata(&self) -> &ObjectMeta;
    /// The object's metadata.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;

    /// An object of which nothing is set but the name, for server-side apply: only the fields that the program sets are
    /// written, and owned by its field manager.
    ///
    /// An object from `default()` is written with its required fields, also where they are still empty. A partial object
    /// is written without required fields that have their default, such as an empty string or 0, at every depth. It stays
    /// partial when it is cloned or converted to another version.
    ///
    /// ```
    /// use k8s_flowcontrol_types::Resource;
    /// use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
    ///
    /// let mut level = PriorityLevelConfiguration::partial("batch");
    /// level.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(20);
    /// assert_eq!(
    ///     serde_json::to_value(&level)?["spec"],
    ///     serde_json::json!({"limited": {"nominalConcurrencyShares": 20}}),
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn partial(name: impl Into<String>) -> Self {
        let mut object = Self::default();
        object.metadata_mut().name = Some(name.into());
        object.unknown_mut().set_partial();
        object
    }

    /// The object's name, empty while it has none.
    fn name(&self) -> &str {
        self.metadata().name.as_deref().unwrap_or_default()
    }
}

/// Where the objects of a kind live, see [`Resource::Scope`].
pub trait Scope: sealed::Scope {
    /// Whether they live in a namespace.
    const NAMESPACED: bool;
}

/// The scope of kinds whose objects live in a namespace.
#[derive(Clone, Copy, Debug)]
pub enum Namespaced {}

/// The scope of kinds whose objects belong to the whole cluster.
#[derive(Clone, Copy, Debug)]
pub enum ClusterScoped {}

impl Scope for Namespaced {
    const NAMESPACED: bool = true;
}

impl Scope for ClusterScoped {
    const NAMESPACED: bool = false;
}

mod sealed {
    pub trait Scope {}
    impl Scope for super::Namespaced {}
    impl Scope for super::ClusterScoped {}
}

/// A list of objects, as a list request returns it: the items without `apiVersion` and `kind`, and the list's metadata.
///
/// An item that does not fit its type, such as an older custom resource whose schema has changed since, is an error of the
/// whole list, unless [`from_slice_lenient`](Self::from_slice_lenient) reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct List<K> {
    /// Resource version and paging of the list.
    pub metadata: ListMeta,
    /// The objects.
    pub items: Vec<K>,
    /// The objects that do not fit the type; always empty unless read by [`from_slice_lenient`](Self::from_slice_lenient).
    pub invalid: Vec<InvalidObject>,
    /// Fields that this type does not know, kept and written back.
    pub unknown: Unknown,
}

impl<K> Default for List<K> {
    fn default() -> Self {
        Self {
            metadata: ListMeta::default(),
            items: Vec::new(),
            invalid: Vec::new(),
            unknown: Unknown::default(),
        }
    }
}

impl<K: Resource> List<K> {
    /// Reads a list as [`json::from_slice`] does, but keeps the items that do not fit the type in `invalid`.
    ///
    /// ```
    /// use k8s_flowcontrol_types::List;
    /// use k8s_flowcontrol_types::api::v1::FlowSchema;
    ///
    /// let text = r#"{"items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}, "spec": 5}]}"#;
    /// let list = List::<FlowSchema>::from_slice_lenient(text.as_bytes())?;
    /// assert_eq!(list.items.len(), 1);
    /// assert_eq!(list.invalid[0].metadata.name.as_deref(), Some("b"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// The bytes are not JSON, or what surrounds the items does not fit a list.
    pub fn from_slice_lenient(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        json::read_whole(json::utf8(bytes)?, |reader| {
            reader.keeps_invalid = true;
            let mut list = Self::default();
            reader.value(&mut list)?;
            Ok(list)
        })
    }

    /// Reads the items one by one, and keeps those that do not fit.
    fn read_lenient(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        if reader.null() {
            return Ok(());
        }
        let mut more = reader.elements()?;
        while more {
            let start = reader.clone();
            let mut item = K::default();
            match reader.value(&mut item) {
                Ok(()) => self.items.push(item),
                Err(fault) => {
                    *reader = start;
                    let object = reader.raw_json()?;
                    self.invalid.push(InvalidObject::new(&fault, object));
                }
            }
            more = reader.more_elements()?;
        }
        Ok(())
    }
}

impl<K: Resource> Object for List<K> {
    const TABLE: Table = Table::new(
        &TypeSchema::new("List", || list_fields::<K>(), false),
        list_fields::<K>(),
        &["metadata", "items"],
        list_type_meta::<K>(),
    );
}

/// The `apiVersion` and kind of a list. Its items may be a representation of `K` with another kind.
const fn list_type_meta<K: Resource>() -> Option<TypeMeta> {
    match K::TABLE.type_meta {
        Some(meta) => Some(TypeMeta {
            kind: meta.list_kind,
            ..meta
        }),
        None => None,
    }
}

const fn list_fields<K: Resource>() -> &'static [FieldSchema] {
    const {
        &[
            rt::KIND,
            rt::API_VERSION,
            FieldSchema::new("metadata", ListMeta::SHAPE, true),
            FieldSchema::new("items", <Vec<K>>::SHAPE, true),
        ]
    }
}

impl<K: Resource> Fields for List<K> {
    fn read_field(&mut self, index: usize, reader: &mut Reader<'_>) -> Result<(), Fault> {
        match index {
            0 => reader.value(&mut self.metadata),
            _ if reader.keeps_invalid => self.read_lenient(reader),
            _ => reader.value(&mut self.items),
        }
    }

    fn write_fields(&self, writer: &mut Writer) {
        write_field(writer, &self.unknown, 0, "metadata", &self.metadata);
        writer.field("items", &Items(self));
    }

    fn unknown(&self) -> &Unknown {
        &self.unknown
    }

    fn unknown_mut(&mut self) -> &mut Unknown {
        &mut self.unknown
    }
}

struct Items<'a, K>(&'a List<K>);

impl<K: Resource> WriteJson for Items<'_, K> {
    fn write_json(&self, writer: &mut Writer) {
        let items = self.0.items.iter().map(Item::Valid);
        let invalid = self
            .0
            .invalid
            .iter()
            .map(|invalid| Item::Invalid(&invalid.object));
        writer.array(items.chain(invalid));
    }
}

enum Item<'a, K> {
    Valid(&'a K),
    Invalid(&'a RawJson),
}

impl<K: Resource> WriteJson for Item<'_, K> {
    fn write_json(&self, writer: &mut Writer) {
        match self {
            Self::Valid(item) => Untyped(*item).write_json(writer),
            Self::Invalid(raw) => raw.write_json(writer),
        }
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
        json::serialize(self, serializer)
    }
}

impl<'de, K: Resource> Deserialize<'de> for List<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::deserialize(deserializer)
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

/// The `apiVersion` and kind of a kind.
#[doc(hidden)]
pub const fn type_meta<K: Resource>() -> TypeMeta {
    TypeMeta {
        api_version: K::API_VERSION,
        kind: K::KIND,
        list_kind: K::LIST_KIND,
    }
}

/// The facts about a kind, for the table of a module's kinds.
#[doc(hidden)]
pub const fn resource_schema<K: Resource>() -> ResourceSchema {
    ResourceSchema {
        group: K::GROUP,
        version: K::VERSION,
        kind: K::KIND,
        list_kind: K::LIST_KIND,
        plural: K::PLURAL,
        namespaced: K::NAMESPACED,
        subresources: K::SUBRESOURCES,
        printer_columns: K::PRINTER_COLUMNS,
        schema: K::TABLE.schema,
    }
}

/// The scope of a kind.
#[doc(hidden)]
#[macro_export]
macro_rules! __scope {
    (true) => {
        $crate::resource::Namespaced
    };
    (false) => {
        $crate::resource::ClusterScoped
    };
}

/// Implements [`Resource`] for a struct with `metadata`.
#[doc(hidden)]
#[macro_export]
macro_rules! __resource {
    ($type:ident {
        group: $group:literal,
        version: $version:literal,
        kind: $kind:literal,
        $(list_kind: $list_kind:literal,)?
        plural: $plural:literal,
        namespaced: $namespaced:tt,
        subresources: [$($subresource:literal),*],
        spec: $spec:ty,
        status: $status:ty,
        $(printer_columns: [$($column:ident($($fact:literal),*)$(.$more:ident($value:literal))*),* $(,)?],)?
    }) => {
        impl $crate::Resource for $type {
            const GROUP: &'static str = $group;
            const VERSION: &'static str = $version;
            const API_VERSION: &'static str = if $group.is_empty() {
                $version
            } else {
                concat!($group, "/", $version)
            };
            const KIND: &'static str = $kind;
            const LIST_KIND: &'static str = [$($list_kind,)? concat!($kind, "List")][0];
            const PLURAL: &'static str = $plural;
            type Scope = $crate::__scope!($namespaced);
            const SUBRESOURCES: &'static [&'static str] = &[$($subresource),*];
            $(const PRINTER_COLUMNS: &'static [$crate::schema::PrinterColumn] =
                &[$($crate::schema::PrinterColumn::$column($($fact),*)$(.$more($value))*),*];)?
            type Spec = $spec;
            type Status = $status;

            fn metadata(&self) -> &$crate::meta::ObjectMeta {
                &self.metadata
            }

            fn metadata_mut(&mut self) -> &mut $crate::meta::ObjectMeta {
                &mut self.metadata
            }
        }
    };
}
