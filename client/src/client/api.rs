//! One kind in one version: the verbs.

use super::call::Call;
use super::connection::Client;
use super::request::Collection;
use super::verbs::{
    ApplyRequest, CreateRequest, DeleteCollectionRequest, DeleteRequest, GetRequest, ListRequest,
    PatchTarget, ReplaceRequest, WatchRequest,
};
use super::wire::Wire;
use crate::Resource;
use crate::api::v1;
use crate::client::error::Error;
use http::Method;
use std::fmt;

const STATUS: Option<&str> = Some("status");

/// The objects of one kind, in one version, on one server. Cheap to clone.
///
/// Each verb returns a builder; nothing is sent before it is awaited.
///
/// ```no_run
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
/// let schemas = client.flow_schemas();
/// let mine = schemas.get("mine").await?;
/// schemas.apply(&mine).field_manager("me").force().await?;
/// schemas.delete("mine").dry_run().await?;
/// # Ok(())
/// # }
/// ```
pub struct Api<K: Resource> {
    client: Client,
    collection: Collection,
    wire: Wire<K>,
}

impl Client {
    /// The priority levels, in v1.
    pub fn priority_level_configurations(&self) -> Api<v1::PriorityLevelConfiguration> {
        self.api()
    }

    /// The flow schemas, in v1.
    pub fn flow_schemas(&self) -> Api<v1::FlowSchema> {
        self.api()
    }

    /// Any kind in its type's version; of a kind with namespaces, the objects of all of them.
    pub fn api<K: Resource>(&self) -> Api<K> {
        Api::new(self.clone(), None)
    }

    /// A kind's objects in one namespace.
    pub fn namespaced_api<K: Resource>(&self, namespace: &str) -> Api<K> {
        Api::new(self.clone(), Some(namespace.to_owned()))
    }
}

impl<K: Resource> Api<K> {
    pub(crate) fn new(client: Client, namespace: Option<String>) -> Self {
        Self::with_wire(client, Wire::own(), namespace)
    }

    pub(crate) fn with_wire(client: Client, wire: Wire<K>, namespace: Option<String>) -> Self {
        Self {
            client,
            collection: Collection {
                version: wire.version,
                namespace,
            },
            wire,
        }
    }

    /// The client that the requests go through.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The API version on the wire, such as `v1beta3`.
    pub fn wire_version(&self) -> &'static str {
        self.wire.version
    }

    /// Reads objects; also page by page, and one by one, as a stream.
    pub fn list(&self) -> ListRequest<K> {
        ListRequest {
            call: self.call(Method::GET, self.collection.path::<K>()),
        }
    }

    /// Reads an object.
    pub fn get(&self, name: &str) -> GetRequest<K> {
        GetRequest {
            call: self.call(Method::GET, self.path(name, None)),
        }
    }

    /// Creates an object: the answer is the object as stored, with the server's defaults.
    ///
    /// It is named by `metadata.name`, or by the server from `metadata.generateName`.
    pub fn create(&self, object: &K) -> CreateRequest<K> {
        CreateRequest {
            call: self
                .call(Method::POST, self.collection.path::<K>())
                .object(JSON, object),
        }
    }

    /// Replaces an object, all but its status; the name is that of `object`.
    ///
    /// With a resource version in its metadata the server refuses if someone else changed it meanwhile
    /// ([`Error::is_conflict`]); without, it is replaced whatever it is.
    pub fn replace(&self, object: &K) -> ReplaceRequest<K> {
        self.put(object, None)
    }

    /// Changes parts of an object: choose how with [`PatchTarget`]'s methods.
    pub fn patch(&self, name: &str) -> PatchTarget<K> {
        PatchTarget {
            call: self.call(Method::PATCH, self.path(name, None)),
        }
    }

    /// Server-side apply: makes the object be as `object` says, creates it if need be, and books the fields to
    /// the field manager.
    ///
    /// The name is that of `object`. Needs [`field_manager`](ApplyRequest::field_manager). What the manager
    /// applied before and leaves out now is removed.
    pub fn apply(&self, object: &K) -> ApplyRequest<K> {
        let path = self.path(object.name(), None);
        ApplyRequest {
            call: self.call(Method::PATCH, path).object(APPLY, object),
        }
    }

    /// Deletes an object.
    pub fn delete(&self, name: &str) -> DeleteRequest<K> {
        DeleteRequest::new(self.call(Method::DELETE, self.path(name, None)))
    }

    /// Deletes all objects, or those that selectors keep.
    pub fn delete_collection(&self) -> DeleteCollectionRequest<K> {
        DeleteCollectionRequest::new(self.call(Method::DELETE, self.collection.path::<K>()))
    }

    /// Follows the changes of objects.
    pub fn watch(&self) -> WatchRequest<K> {
        WatchRequest::new(self.call(Method::GET, self.collection.path::<K>()))
    }

    /// Reads an object through its status subresource.
    pub fn get_status(&self, name: &str) -> GetRequest<K> {
        GetRequest {
            call: self.call(Method::GET, self.path(name, STATUS)),
        }
    }

    /// Replaces the status of an object, and nothing else of it.
    pub fn replace_status(&self, object: &K) -> ReplaceRequest<K> {
        self.put(object, STATUS)
    }

    /// Changes parts of the status of an object.
    pub fn patch_status(&self, name: &str) -> PatchTarget<K> {
        PatchTarget {
            call: self.call(Method::PATCH, self.path(name, STATUS)),
        }
    }

    /// Server-side apply of the status of an object.
    pub fn apply_status(&self, object: &K) -> ApplyRequest<K> {
        let path = self.path(object.name(), STATUS);
        ApplyRequest {
            call: self.call(Method::PATCH, path).object(APPLY, object),
        }
    }

    /// Follows the changes of objects through the old endpoint below `watch/`.
    #[deprecated(note = "Kubernetes deprecates the endpoints below watch/; use `watch`")]
    pub fn watch_list_deprecated(&self) -> WatchRequest<K> {
        WatchRequest::new(self.call(Method::GET, self.collection.watch::<K>(None)))
    }

    /// Follows the changes of one object through the old endpoint below `watch/`.
    #[deprecated(
        note = "Kubernetes deprecates the endpoints below watch/; use `watch` with the field selector `metadata.name=NAME`"
    )]
    pub fn watch_object_deprecated(&self, name: &str) -> WatchRequest<K> {
        WatchRequest::new(self.call(Method::GET, self.collection.watch::<K>(Some(name))))
    }

    fn call(&self, method: Method, path: Result<String, Error>) -> Call<K> {
        Call::new(self.client.clone(), self.wire, method, path)
    }

    fn put(&self, object: &K, subresource: Option<&'static str>) -> ReplaceRequest<K> {
        let path = self.path(object.name(), subresource);
        let mut call = self.call(Method::PUT, path).object(JSON, object);
        let version = object.metadata().resource_version.as_deref();
        if version.is_some_and(|version| !version.is_empty()) {
            call.guard();
        }
        ReplaceRequest { call }
    }

    pub(super) fn path(
        &self,
        name: &str,
        subresource: Option<&'static str>,
    ) -> Result<String, Error> {
        self.collection.object::<K>(name, subresource)
    }
}

/// The media type of bodies that are an object.
const JSON: &str = "application/json";
/// The media type of server-side apply; JSON is YAML.
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

impl<K: Resource> Clone for Api<K> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            collection: self.collection.clone(),
            wire: self.wire,
        }
    }
}

impl<K: Resource> fmt::Debug for Api<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api")
            .field("kind", &K::KIND)
            .field("version", &self.wire.version)
            .field("namespace", &self.collection.namespace)
            .field("client", &self.client)
            .finish()
    }
}
