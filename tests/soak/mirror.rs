//! A copy that a subscriber keeps by the events of a store.

use crate::watching::random::Random;
use k8s_flowcontrol::Resource;
use k8s_flowcontrol::watch::{ObjectKey, Store, StoreEvent, Subscription};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

type Objects<K> = BTreeMap<ObjectKey, Arc<K>>;

/// A task that applies all events of a subscription, and panics at an event that cannot follow the previous ones.
pub(crate) struct Mirror<K> {
    objects: Arc<Mutex<Objects<K>>>,
    task: JoinHandle<()>,
}

impl<K: Resource> Mirror<K> {
    /// A `slow` mirror pauses at times, so that it misses events.
    pub(crate) fn of(store: &Store<K>, slow: bool, random: Random) -> Self {
        let objects = Arc::default();
        let task = follow(store.subscribe(), Arc::clone(&objects), slow, random);
        let task = crate::spawn(task);
        Self { objects, task }
    }

    /// The objects by the events so far.
    pub(crate) fn objects(&self) -> Vec<Arc<K>> {
        self.objects.lock().unwrap().values().cloned().collect()
    }

    /// Whether the task has ended, which it does only by a panic.
    pub(crate) fn is_broken(&self) -> bool {
        self.task.is_finished()
    }

    /// Ends the task, which holds a handle of the store.
    pub(crate) async fn stop(self) {
        self.task.abort();
        if let Err(error) = self.task.await {
            assert!(error.is_cancelled(), "{error}");
        }
    }
}

async fn follow<K: Resource>(
    mut events: Subscription<K>,
    objects: Arc<Mutex<Objects<K>>>,
    slow: bool,
    mut random: Random,
) {
    while let Some(event) = events.next().await {
        apply(&mut objects.lock().unwrap(), event);
        if slow && random.happens(2) {
            tokio::time::sleep(Duration::from_millis(random.below(200))).await;
        }
    }
}

fn apply<K: Resource>(objects: &mut Objects<K>, event: StoreEvent<K>) {
    match event {
        StoreEvent::Snapshot(snapshot) => {
            let all = snapshot.objects.into_iter();
            *objects = all
                .map(|object| (ObjectKey::of(&*object), object))
                .collect();
        }
        StoreEvent::Added { object, .. } => {
            let key = ObjectKey::of(&*object);
            let known = objects.insert(key, object);
            assert!(known.is_none(), "{known:?} is added twice");
        }
        StoreEvent::Modified { old, new, .. } => {
            let known = objects.insert(ObjectKey::of(&*new), new);
            assert_same(known, &old);
        }
        StoreEvent::Deleted { object } => {
            let known = objects.remove(&ObjectKey::of(&*object));
            assert_same(known, &object);
        }
        other => panic!("{other:?}"),
    }
}

fn assert_same<K: Resource>(known: Option<Arc<K>>, old: &Arc<K>) {
    assert!(
        known.as_ref().is_some_and(|known| Arc::ptr_eq(known, old)),
        "the old object is {old:?}, but the previous event left {known:?}"
    );
}
