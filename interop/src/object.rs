//! The wrapper that makes a kind a resource of kube.

use crate::metadata;
use k8s_flowcontrol::Resource;
use kube::core::{DynamicResourceScope, ObjectMeta};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// A kind of `k8s-flowcontrol` as a [`kube::Resource`].
///
/// It derefs to the object, and reads and writes it as `k8s-flowcontrol` does: unknown fields and the text of numbers
/// survive.
///
/// kube sees metadata as the type [`ObjectMeta`] of k8s-openapi. [`meta`](kube::Resource::meta) is converted when kube first
/// asks for it; a change through [`meta_mut`](kube::Resource::meta_mut), or a method of `kube::ResourceExt`, changes the
/// object's metadata. The object keeps everything that kube's type cannot hold: unknown fields, times that are not RFC
/// 3339, and managed fields that cannot be read are absent in kube's metadata, and stay in the object.
///
/// The scope is dynamic, because kinds declare it as a constant: for the cluster-scoped kinds of flow control use
/// `Api::all`.
///
/// ```
/// use k8s_flowcontrol::api::v1::FlowSchema;
/// use k8s_flowcontrol_kube::Kube;
/// use kube::ResourceExt;
///
/// let text = r#"{"metadata": {"name": "batch", "new": 1.50}, "spec": {"matchingPrecedence": 500, "later": {}}}"#;
/// let mut schema: Kube<FlowSchema> = serde_json::from_str(text)?;
/// schema.labels_mut().insert("team".to_owned(), "a".to_owned());
/// schema.spec.matching_precedence = Some(600);
///
/// assert_eq!(schema.metadata.labels["team"], "a");
/// assert_eq!(schema.metadata.unknown.get("new").unwrap().as_str(), "1.50");
/// assert!(serde_json::to_string(&schema)?.contains(r#""matchingPrecedence":600,"later":{}"#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Kube<K> {
    object: K,
    /// The object's metadata for kube, while `edited` is `None`.
    view: OnceLock<Box<ObjectMeta>>,
    /// Set once kube has borrowed the metadata mutably.
    edited: Option<Box<Edited<K>>>,
}

#[derive(Clone)]
struct Edited<K> {
    /// The metadata with changes that the object lacks.
    view: ObjectMeta,
    /// The object with the changes, for readers.
    merged: OnceLock<K>,
}

impl<K: Resource> Kube<K> {
    /// Wraps an object.
    pub fn new(object: K) -> Self {
        Self {
            object,
            view: OnceLock::new(),
            edited: None,
        }
    }

    /// The object, with all changes.
    pub fn into_inner(mut self) -> K {
        self.merge();
        self.object
    }

    /// Brings changes of the metadata into the object.
    fn merge(&mut self) {
        if let Some(edited) = self.edited.take() {
            match edited.merged.into_inner() {
                Some(merged) => self.object = merged,
                None => metadata::update(self.object.metadata_mut(), &edited.view),
            }
        }
    }
}

impl<K: Resource> Deref for Kube<K> {
    type Target = K;

    fn deref(&self) -> &K {
        let Some(edited) = &self.edited else {
            return &self.object;
        };
        edited.merged.get_or_init(|| {
            let mut object = self.object.clone();
            metadata::update(object.metadata_mut(), &edited.view);
            object
        })
    }
}

impl<K: Resource> DerefMut for Kube<K> {
    fn deref_mut(&mut self) -> &mut K {
        self.merge();
        self.view.take();
        &mut self.object
    }
}

impl<K: Resource> kube::Resource for Kube<K> {
    type DynamicType = ();
    type Scope = DynamicResourceScope;

    fn kind(_: &()) -> Cow<'_, str> {
        K::KIND.into()
    }

    fn group(_: &()) -> Cow<'_, str> {
        K::GROUP.into()
    }

    fn version(_: &()) -> Cow<'_, str> {
        K::VERSION.into()
    }

    fn api_version(_: &()) -> Cow<'_, str> {
        K::API_VERSION.into()
    }

    fn plural(_: &()) -> Cow<'_, str> {
        K::PLURAL.into()
    }

    fn meta(&self) -> &ObjectMeta {
        let convert = || Box::new(metadata::to_kube(self.object.metadata()));
        match &self.edited {
            Some(edited) => &edited.view,
            None => self.view.get_or_init(convert),
        }
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        let (object, view) = (&self.object, &mut self.view);
        let edited = self.edited.get_or_insert_with(|| {
            let convert = || metadata::to_kube(object.metadata());
            Box::new(Edited {
                view: view.take().map_or_else(convert, |view| *view),
                merged: OnceLock::new(),
            })
        });
        edited.merged.take();
        &mut edited.view
    }
}

impl<K: Resource> From<K> for Kube<K> {
    fn from(object: K) -> Self {
        Self::new(object)
    }
}

impl<K: Resource> Serialize for Kube<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, K: Resource> Deserialize<'de> for Kube<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        K::deserialize(deserializer).map(Self::new)
    }
}

impl<K: Resource> PartialEq for Kube<K> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<K: Resource> fmt::Debug for Kube<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
