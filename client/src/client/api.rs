//! One kind in one version: the verbs.

use super::call::{APPLY, Call, JSON};
use super::connection::Client;
use super::error::Error;
use super::path::{Collection, Target};
use super::request::Verb;
use super::verbs::{
    ApplyRequest, CreateRequest, DeleteCollectionRequest, DeleteRequest, GetRequest, ListRequest,
    PatchTarget, ReplaceRequest, WatchRequest,
};
use super::wire::Wire;
use crate::Resource;
use crate::api::v1;
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
        let call = self.call(Verb::List, self.collection.all::<K>());
        let wire = self.wire;
        ListRequest { call, wire }
    }

    /// Reads an object.
    pub fn get(&self, name: &str) -> GetRequest<K> {
        self.read(name, None)
    }

    /// Creates an object: the answer is the object as stored, with the server's defaults.
    ///
    /// It is named by `metadata.name`, or by the server from `metadata.generateName`.
    pub fn create(&self, object: &K) -> CreateRequest<K> {
        let call = self.call(Verb::Create, self.collection.all::<K>());
        let wire = self.wire;
        CreateRequest {
            call: call.object(JSON, wire, object),
            wire,
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
        self.patch_target(name, None)
    }

    /// Server-side apply: makes the object be as `object` says, creates it if need be, and books the fields to
    /// the field manager.
    ///
    /// The name is that of `object`. Needs [`field_manager`](ApplyRequest::field_manager). What the manager
    /// applied before and leaves out now is removed.
    pub fn apply(&self, object: &K) -> ApplyRequest<K> {
        self.apply_object(object, None)
    }

    /// Deletes an object.
    pub fn delete(&self, name: &str) -> DeleteRequest<K> {
        let call = self.call(Verb::Delete, self.object(name, None));
        DeleteRequest::new(call, self.wire)
    }

    /// Deletes all objects, or those that selectors keep.
    pub fn delete_collection(&self) -> DeleteCollectionRequest<K> {
        let call = self.call(Verb::DeleteCollection, self.collection.all::<K>());
        DeleteCollectionRequest::new(call, self.wire)
    }

    /// Follows the changes of objects.
    pub fn watch(&self) -> WatchRequest<K> {
        self.follow(self.collection.all::<K>())
    }

    /// Reads an object through its status subresource.
    pub fn get_status(&self, name: &str) -> GetRequest<K> {
        self.read(name, STATUS)
    }

    /// Replaces the status of an object, and nothing else of it.
    pub fn replace_status(&self, object: &K) -> ReplaceRequest<K> {
        self.put(object, STATUS)
    }

    /// Changes parts of the status of an object.
    pub fn patch_status(&self, name: &str) -> PatchTarget<K> {
        self.patch_target(name, STATUS)
    }

    /// Server-side apply of the status of an object.
    pub fn apply_status(&self, object: &K) -> ApplyRequest<K> {
        self.apply_object(object, STATUS)
    }

    /// Follows the changes of objects through the deprecated endpoint below `watch/`.
    #[deprecated(note = "Kubernetes deprecates the endpoints below watch/; use `watch`")]
    pub fn watch_list_deprecated(&self) -> WatchRequest<K> {
        self.follow(self.collection.watch::<K>(None))
    }

    /// Follows the changes of one object through the deprecated endpoint below `watch/`.
    #[deprecated(
        note = "Kubernetes deprecates the endpoints below watch/; use `watch` with the field selector `metadata.name=NAME`"
    )]
    pub fn watch_object_deprecated(&self, name: &str) -> WatchRequest<K> {
        self.follow(self.collection.watch::<K>(Some(name)))
    }

    fn read(&self, name: &str, subresource: Option<&str>) -> GetRequest<K> {
        GetRequest {
            call: self.call(Verb::Get, self.object(name, subresource)),
            wire: self.wire,
        }
    }

    fn put(&self, object: &K, subresource: Option<&str>) -> ReplaceRequest<K> {
        let wire = self.wire;
        let call = self.call(Verb::Update, self.object(object.name(), subresource));
        let mut call = call.object(JSON, wire, object);
        let version = object.metadata().resource_version.as_deref();
        let guarded = version.is_some_and(|version| !version.is_empty());
        call.change(|request| request.guarded = guarded);
        ReplaceRequest { call, wire }
    }

    fn patch_target(&self, name: &str, subresource: Option<&str>) -> PatchTarget<K> {
        PatchTarget {
            call: self.call(Verb::Patch, self.object(name, subresource)),
            wire: self.wire,
        }
    }

    fn apply_object(&self, object: &K, subresource: Option<&str>) -> ApplyRequest<K> {
        let wire = self.wire;
        let call = self.call(Verb::Patch, self.object(object.name(), subresource));
        ApplyRequest {
            call: call.object(APPLY, wire, object),
            wire,
        }
    }

    fn follow(&self, target: Result<Target, Error>) -> WatchRequest<K> {
        WatchRequest::new(self.call(Verb::Watch, target), self.wire)
    }

    pub(super) fn call(&self, verb: Verb, target: Result<Target, Error>) -> Call {
        Call::new(&self.client, verb, target)
    }

    pub(super) fn object(&self, name: &str, subresource: Option<&str>) -> Result<Target, Error> {
        self.collection.object::<K>(name, subresource)
    }
}

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
