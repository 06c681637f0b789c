//! Lists of objects.

use crate::Resource;
use crate::invalid_object::InvalidObject;
use crate::json::{self, Elements, Fault, ReadJson, Reader, WriteJson, Writer, read_elements};
use crate::meta::{ListMeta, Unknown};
use crate::rt::v1::{
    self as rt, Field, Fields, Object, Table, TypeMeta, Value, read_object, write_object,
};
use crate::schema::{FieldSchema, TypeSchema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list of objects, as a list request returns it: the items without `apiVersion` and `kind`, and the list's metadata.
///
/// If an item does not fit its type, such as an older custom resource whose schema has changed since, reading the whole list
/// fails, unless [`from_slice_keeping_invalid`](Self::from_slice_keeping_invalid) reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct List<K> {
    /// Resource version and paging of the list.
    pub metadata: ListMeta,
    /// The objects.
    pub items: Vec<K>,
    /// The objects that do not fit the type; always empty unless read by [`from_slice_keeping_invalid`](Self::from_slice_keeping_invalid).
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
    /// let list = List::<FlowSchema>::from_slice_keeping_invalid(text.as_bytes())?;
    /// assert_eq!(list.items.len(), 1);
    /// assert_eq!(list.invalid[0].metadata.name.as_deref(), Some("b"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// The bytes are not JSON, or the text around the items does not fit a list.
    pub fn from_slice_keeping_invalid(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        json::read_whole(json::utf8(bytes)?, |reader| {
            reader.keeps_invalid = true;
            let mut list = Self::default();
            list.read_json(reader)?;
            Ok(list)
        })
    }

    /// Reads the items one by one, and keeps items that do not fit.
    fn read_keeping_invalid(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        let mut items = ReadItems {
            valid: std::mem::take(&mut self.items),
            invalid: &mut self.invalid,
        };
        read_elements(&mut items, reader)?;
        self.items = items.valid;
        Ok(())
    }
}

/// The items of a list, some of which do not fit their type.
struct ReadItems<'a, K> {
    valid: Vec<K>,
    invalid: &'a mut Vec<InvalidObject>,
}

impl<K: Resource> Elements for ReadItems<'_, K> {
    fn reserve(&mut self, count: usize) {
        Elements::reserve(&mut self.valid, count);
    }

    fn count_in(&self, bytes: usize) -> usize {
        self.valid.count_in(bytes)
    }

    fn read_next(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        reader.charge(size_of::<K>().max(size_of::<InvalidObject>()))?;
        let start = reader.mark();
        // In its place, since moving an object takes a part of the time of reading it.
        self.valid.push(K::default());
        let Some(Err(fault)) = self.valid.last_mut().map(|item| item.read_json(reader)) else {
            return Ok(());
        };
        self.valid.pop();
        reader.go_to(start);
        let object = reader.raw_json()?;
        self.invalid.push(InvalidObject::new(&fault, object));
        Ok(())
    }

    fn fit(&mut self) {
        self.valid.fit();
    }
}

impl<K: Resource> Object for List<K> {
    const TABLE: Table = Table::new(
        &TypeSchema::new("List", || list_fields::<K>()),
        list_fields::<K>(),
        const { &[rt::name!("metadata"), rt::name!("items")] },
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
            0 => self.metadata.read_json(reader),
            _ => {
                reader.mark.is_item = true;
                let read = match reader.keeps_invalid {
                    true => self.read_keeping_invalid(reader),
                    false => self.items.read_json(reader),
                };
                reader.mark.is_item = false;
                read
            }
        }
    }

    fn values(&self, see: &mut dyn FnMut(&[&dyn Value], &Unknown)) {
        see(&[&self.metadata, &Items(self)], &self.unknown);
    }

    fn unknown_mut(&mut self) -> &mut Unknown {
        &mut self.unknown
    }
}

/// The items of a list. They are written without type meta; an empty list is written too.
struct Items<'a, K>(&'a List<K>);

impl<K: Resource> Value for Items<'_, K> {}

impl<K: Resource> WriteJson for Items<'_, K> {
    fn write_json(&self, writer: &mut Writer) {
        let List { items, invalid, .. } = self.0;
        writer.array(
            items.len() + invalid.len(),
            &mut |index, writer| match items.get(index) {
                Some(item) => write_object(item, writer, false),
                None => invalid[index - items.len()].object.write_json(writer),
            },
        );
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
