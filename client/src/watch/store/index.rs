//! Indexes of a store, and how they follow its changes.

use super::event::StoreEvent;
use super::handle::Store;
use super::stored::ObjectMap;
use crate::Resource;
use crate::watch::key::compare_keys;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

impl<K: Resource> Store<K> {
    /// An index of the objects by the values that `values` returns for each: none, one or several.
    ///
    /// It is updated together with the copy, until the last clone of the [`Index`] is dropped. `values` must return the same
    /// for the same object. The copy is locked meanwhile: keep it short, and do not use the store in it. Each index adds its time to
    /// every change, and an entry for each object to the memory.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::api::v1::FlowSchema;
    /// use k8s_flowcontrol::watch::Store;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let schemas = Store::start(client.flow_schemas().watcher());
    /// let by_level = schemas.index(|schema| [schema.spec.priority_level_configuration.name.clone()]);
    /// let by_team = schemas.index(|schema| schema.metadata.labels.get("team").cloned());
    /// let by_precedence = schemas.index(|schema| schema.spec.matching_precedence);
    ///
    /// schemas.wait_ready().await?;
    /// println!("{} schemas use workload-low", by_level.get("workload-low").len());
    /// println!("team a has {:?}", by_team.get("a"));
    /// for (precedence, schemas) in by_precedence.groups() {
    ///     println!("{precedence}: {} schemas", schemas.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn index<V, I>(&self, values: impl Fn(&K) -> I + Send + Sync + 'static) -> Index<K, V>
    where
        V: Ord + Send + Sync + 'static,
        I: IntoIterator<Item = V>,
    {
        let entries = Arc::new(Entries {
            values: Box::new(move |object, add| values(object).into_iter().for_each(add)),
            objects: RwLock::default(),
        });
        let state = self.state.borrow();
        for stored in state.objects.current().values() {
            entries.add(&stored.object);
        }
        let maintained: Arc<dyn Maintained<K>> = entries.clone();
        state.objects.indexes().push(&maintained);
        drop(state);
        Index {
            store: self.clone(),
            entries,
        }
    }
}

/// The objects of a [`Store`] by a value, made by [`Store::index`]. Cheap to clone; keeps the store alive.
pub struct Index<K: Resource, V> {
    store: Store<K>,
    entries: Arc<Entries<K, V>>,
}

impl<K: Resource, V: Ord> Index<K, V> {
    /// The objects with a value, in the order of their keys.
    pub fn get<Q: Ord + ?Sized>(&self, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q>,
    {
        self.read(|objects| objects.get(value).map(in_order).unwrap_or_default())
    }

    /// All values, in order, each with its objects in the order of their keys.
    pub fn groups(&self) -> BTreeMap<V, Vec<Arc<K>>>
    where
        V: Clone,
    {
        let group = |(value, group): (&V, &Group<K>)| (value.clone(), in_order(group));
        self.read(|objects| objects.iter().map(group).collect())
    }

    /// The store.
    pub fn store(&self) -> &Store<K> {
        &self.store
    }

    fn read<T>(&self, read: impl FnOnce(&BTreeMap<V, Group<K>>) -> T) -> T {
        // Locked like every other query, so that a change is seen here and in the store at once.
        let _state = self.store.state.borrow();
        let objects = self.entries.objects.read();
        read(&objects.unwrap_or_else(PoisonError::into_inner))
    }
}

impl<K: Resource, V> Clone for Index<K, V> {
    fn clone(&self) -> Self {
        Self {
            store: self.store.clone(),
            entries: self.entries.clone(),
        }
    }
}

impl<K: Resource, V> fmt::Debug for Index<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

struct Entries<K, V> {
    values: Values<K, V>,
    objects: RwLock<BTreeMap<V, Group<K>>>,
}

/// Calls the second argument with each value of an object.
type Values<K, V> = Box<dyn Fn(&K, &mut dyn FnMut(V)) + Send + Sync>;

/// The objects with one value.
type Group<K> = BTreeSet<ByKey<K>>;

impl<K: Resource, V: Ord + Send + Sync> Maintained<K> for Entries<K, V> {
    fn add(&self, object: &Arc<K>) {
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        (self.values)(object, &mut |value| {
            let group = objects.entry(value).or_default();
            group.insert(ByKey(object.clone()));
        });
    }

    fn remove(&self, object: &Arc<K>) {
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        (self.values)(object, &mut |value| {
            if let Some(group) = objects.get_mut(&value) {
                group.remove(&ByKey(object.clone()));
                if group.is_empty() {
                    objects.remove(&value);
                }
            }
        });
    }
}

fn in_order<K>(group: &Group<K>) -> Vec<Arc<K>> {
    group.iter().map(|ByKey(object)| object.clone()).collect()
}

/// An object, equal to every object with the same key.
struct ByKey<K>(Arc<K>);

impl<K: Resource> Ord for ByKey<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_keys(&*self.0, &*other.0)
    }
}

impl<K: Resource> PartialOrd for ByKey<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Resource> PartialEq for ByKey<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K: Resource> Eq for ByKey<K> {}

/// The indexes of a store. Each lives as long as its last handle.
pub(super) struct Indexes<K>(Mutex<Vec<Weak<dyn Maintained<K>>>>);

impl<K: Resource> Indexes<K> {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    pub(super) fn push(&self, index: &Arc<dyn Maintained<K>>) {
        let mut indexes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A store that does not change would keep what is left of dropped indexes.
        if indexes.len() == indexes.capacity() {
            indexes.retain(|index| index.strong_count() > 0);
        }
        indexes.push(Arc::downgrade(index));
    }

    /// Adds the objects of the first list.
    pub(super) fn fill(&mut self, objects: &ObjectMap<K>) {
        self.each(|index| {
            for stored in objects.values() {
                index.add(&stored.object);
            }
        });
    }

    pub(super) fn apply(&mut self, event: &StoreEvent<K>) {
        self.each(|index| match event {
            StoreEvent::Added { object, .. } => index.add(object),
            StoreEvent::Modified { old, new, .. } => {
                index.remove(old);
                index.add(new);
            }
            StoreEvent::Deleted { object } => index.remove(object),
            StoreEvent::Snapshot(_) | StoreEvent::Failed { .. } | StoreEvent::Recovered => {}
        });
    }

    fn each(&mut self, mut change: impl FnMut(&dyn Maintained<K>)) {
        let indexes = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        indexes.retain(|index| match index.upgrade() {
            Some(index) => {
                change(&*index);
                true
            }
            None => false,
        });
    }
}

impl<K> fmt::Debug for Indexes<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexes").finish_non_exhaustive()
    }
}

/// An index with values of any type, which changes with the objects.
pub(super) trait Maintained<K>: Send + Sync {
    fn add(&self, object: &Arc<K>);
    fn remove(&self, object: &Arc<K>);
}
