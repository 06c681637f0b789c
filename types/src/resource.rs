//! The trait of all kinds.

use crate::json;
use crate::meta::ObjectMeta;
use crate::rt::v1::{Field, Object, TypeMeta};
use crate::schema::{PrinterColumn, ResourceSchema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A Kubernetes kind in one API version.
///
/// Generated types implement it. Code for every kind uses it.
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
    /// The columns of a table of objects after the name, as `kubectl get` prints them. They come from a
    /// CustomResourceDefinition; other types have none.
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
    /// An object from `default()` is written with its required fields, also where they are still empty. A partial
    /// object is written without required fields that have their default, such as an empty string or 0, at every depth,
    /// except for the fields that
    /// [`always_send!`](crate::always_send) names. It stays partial when it is cloned or converted to another version, and
    /// equals other partial objects only.
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

    /// A partial object with the fields of a tree, each of which is sent: also 0, `false`, `""`, and, where the schema allows it,
    /// `null`.
    ///
    /// ```
    /// use k8s_flowcontrol_types::Resource;
    /// use k8s_flowcontrol_types::api::v1::FlowSchema;
    /// use serde_json::json;
    ///
    /// let tree = json!({"metadata": {"name": "a"}, "spec": {"priorityLevelConfiguration": {"name": ""}}});
    /// let schema = FlowSchema::partial_from(&tree)?;
    /// assert_eq!(serde_json::to_value(&schema)?["spec"], tree["spec"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// The tree does not fit the type.
    fn partial_from(tree: &serde_json::Value) -> Result<Self, serde_json::Error> {
        json::read_whole(&tree.to_string(), |reader| {
            reader.partial = true;
            let mut object = Self::default();
            object.read_json(reader)?;
            object.unknown_mut().set_partial();
            Ok(object)
        })
    }

    /// Sets the `apiVersion` and kind of an object that came without them; only objects of a kind known at run time have them.
    #[doc(hidden)]
    fn set_type_meta(&mut self, _api_version: &str, _kind: &str) {}

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
