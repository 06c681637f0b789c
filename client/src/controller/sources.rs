//! Where the keys of a controller come from: the events of stores.

use super::queue::WorkQueue;
use crate::Resource;
use crate::client::{BoxFuture, ResourceKind};
use crate::watch::{ObjectKey, Store, StoreEvent, StoreNotReady, Subscription};
use std::collections::BTreeMap;

/// A store whose events add keys to a queue.
pub(super) struct Source<Q> {
    /// Ready when the store is.
    pub(super) ready: BoxFuture<Result<(), StoreNotReady>>,
    /// Adds keys until the store's driver is dropped.
    pub(super) feed: Box<dyn FnOnce(WorkQueue<Q>) -> BoxFuture<()> + Send>,
}

impl<Q: Clone + Ord + Send + 'static> Source<Q> {
    pub(super) fn new<K: Resource, I: IntoIterator<Item = Q>>(
        store: &Store<K>,
        keys: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Self {
        let (subscription, store) = (store.subscribe(), store.clone());
        let keys = move |object: &K| keys(object).into_iter().collect();
        Self {
            ready: Box::pin(async move { store.wait_ready().await }),
            feed: Box::new(move |queue| Box::pin(feed(subscription, queue, keys))),
        }
    }
}

async fn feed<K: Resource, Q: Clone + Ord>(
    mut events: Subscription<K>,
    queue: WorkQueue<Q>,
    keys: impl Fn(&K) -> Vec<Q>,
) {
    // The keys that each object had in its last event: a changed owner concerns both owners, and a snapshot after missed
    // events does not name deleted objects.
    let mut known: BTreeMap<ObjectKey, Vec<Q>> = BTreeMap::new();
    let set = |known: &mut BTreeMap<_, _>, object: &K| {
        let new = keys(object);
        let old = known.insert(ObjectKey::of(object), new.clone());
        let old: Vec<Q> = old.unwrap_or_default();
        old.into_iter().chain(new).for_each(|key| queue.add(key));
    };
    while let Some(event) = events.next().await {
        match event {
            StoreEvent::Snapshot(all) => {
                let before = std::mem::take(&mut known);
                before
                    .into_values()
                    .flatten()
                    .for_each(|key| queue.add(key));
                all.objects
                    .iter()
                    .for_each(|object| set(&mut known, object));
            }
            StoreEvent::Added { object, .. } => set(&mut known, &object),
            StoreEvent::Modified { new, .. } => set(&mut known, &new),
            StoreEvent::Deleted { object } => {
                let old = known.remove(&ObjectKey::of(&*object));
                old.into_iter().flatten().for_each(|key| queue.add(key));
            }
            StoreEvent::Failed { .. } | StoreEvent::Recovered => {}
        }
    }
}

/// The key of the object that controls `object`, if it is of the kind `owner`: the owner reference with `controller: true`, of the
/// kind's group in any version. An owner with a namespace is in the namespace of the object.
///
/// ```
/// use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
/// use k8s_flowcontrol::client::ResourceKind;
/// use k8s_flowcontrol::controller::owner_key;
/// use serde_json::json;
///
/// let level: PriorityLevelConfiguration = serde_json::from_value(json!({"metadata": {"name": "a", "ownerReferences": [{
///     "apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "kind": "FlowSchema", "name": "b", "uid": "1", "controller": true,
/// }]}}))?;
/// assert_eq!(owner_key(&level, ResourceKind::of::<FlowSchema>()).unwrap().name(), "b");
/// assert!(owner_key(&level, ResourceKind::of::<PriorityLevelConfiguration>()).is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn owner_key<K: Resource>(object: &K, owner: ResourceKind) -> Option<ObjectKey> {
    let metadata = object.metadata();
    let mut references = metadata.owner_references.iter();
    let reference = references.find(|one| one.controller == Some(true))?;
    let (group, _) = reference.api_version.split_once('/').unwrap_or_default();
    let is_owner = (group, &*reference.kind) == (owner.group(), owner.kind());
    let namespace = metadata.namespace.as_deref().filter(|_| owner.namespaced());
    let key = ObjectKey::namespaced(namespace.unwrap_or_default(), &reference.name);
    Some(key).filter(|_| is_owner)
}
