//! Objects whose kind is known at run time only.

use crate::meta::{ObjectMeta, Unknown};
use crate::resource::{ClusterScoped, Resource};
use serde_json::{Error, Value};

/// An object of a kind that is known at run time only: `apiVersion`, `kind`, metadata, and everything else as JSON.
///
/// The client reads and writes them for kinds without a Rust type. As a [`Resource`] it does not have a fixed group, version
/// and kind; its constants are empty.
///
/// ```
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
/// use k8s_flowcontrol_types::{DynamicObject, Resource};
/// use serde_json::json;
///
/// let tree = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "1"}});
/// let object = DynamicObject::from_tree(tree.clone())?;
/// assert_eq!((object.name(), object.kind.as_deref()), ("a", Some("ConfigMap")));
/// assert_eq!(object.tree(), tree);
///
/// let schema = DynamicObject::from_tree(json!({"metadata": {"name": "b"}, "spec": {"matchingPrecedence": 5}}))?;
/// assert_eq!(schema.typed::<FlowSchema>()?.spec.matching_precedence, Some(5));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DynamicObject {
    /// The group and version, such as `apps/v1`.
    pub api_version: Option<String>,
    /// The kind.
    pub kind: Option<String>,
    /// The metadata: name, labels, annotations, and the fields that the server maintains.
    pub metadata: ObjectMeta,
    /// All other fields.
    pub unknown: Unknown,
}

crate::rt::v1::fields! {
    DynamicObject {
        "apiVersion" => api_version,
        "kind" => kind,
        "metadata" => metadata: always,
    }
}

impl Resource for DynamicObject {
    const GROUP: &'static str = "";
    const VERSION: &'static str = "";
    const API_VERSION: &'static str = "";
    const KIND: &'static str = "object";
    const LIST_KIND: &'static str = "list";
    const PLURAL: &'static str = "";
    type Scope = ClusterScoped;
    const SUBRESOURCES: &'static [&'static str] = &[];
    type Spec = ();
    type Status = ();

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn set_type_meta(&mut self, api_version: &str, kind: &str) {
        self.api_version.get_or_insert_with(|| api_version.into());
        self.kind.get_or_insert_with(|| kind.into());
    }
}

impl DynamicObject {
    /// The object as a JSON tree.
    pub fn tree(&self) -> Value {
        // Every part of the object is valid JSON.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The object of a JSON tree.
    ///
    /// # Errors
    /// The tree is not an object, or its metadata does not fit [`ObjectMeta`].
    pub fn from_tree(tree: Value) -> Result<Self, Error> {
        serde_json::from_value(tree)
    }

    /// The object, converted to a Rust type.
    ///
    /// # Errors
    /// The object does not fit the type, or has another `apiVersion` or kind.
    pub fn typed<K: Resource>(&self) -> Result<K, Error> {
        serde_json::from_value(self.tree())
    }
}
