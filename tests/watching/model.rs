//! The copies that consumers keep by the events, and checks that the events are possible.

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{ObjectKey, StoreEvent, Subscription, WatcherEvent};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The identity of one state of one object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) version: u64,
}

impl State {
    pub(crate) fn of(level: &Level) -> Self {
        let metadata = &level.metadata;
        Self {
            name: level.name().to_owned(),
            uid: metadata.uid.clone().unwrap(),
            version: metadata.resource_version.as_ref().unwrap().parse().unwrap(),
        }
    }
}

/// One change of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Is(State),
    Gone(String),
}

/// The copy of a subscriber. Panics at an event that cannot follow the previous ones.
pub(crate) struct Subscriber {
    pub(crate) changes: Subscription<Level>,
    pub(crate) objects: BTreeMap<String, Arc<Level>>,
    /// All states of the events.
    pub(crate) seen: Vec<State>,
    /// All changes after the first snapshot.
    pub(crate) steps: Vec<Step>,
    pub(crate) snapshots: usize,
    newest: HashMap<String, u64>,
}

impl Subscriber {
    pub(crate) fn new(changes: Subscription<Level>) -> Self {
        Self {
            changes,
            objects: BTreeMap::new(),
            seen: Vec::new(),
            steps: Vec::new(),
            snapshots: 0,
            newest: HashMap::new(),
        }
    }

    /// Takes the next change.
    pub(crate) async fn next(&mut self) {
        let event = self.changes.next().await;
        self.apply(event.expect("the driver goes on"));
    }

    fn apply(&mut self, event: StoreEvent<Level>) {
        match event {
            StoreEvent::Snapshot(snapshot) => {
                assert_eq!(
                    snapshot.missed == 0,
                    self.snapshots == 0,
                    "only the first one misses nothing"
                );
                self.snapshots += 1;
                self.objects.clear();
                for object in snapshot.objects {
                    let state = State::of(&object);
                    // The state may be known, but not older than the known one.
                    let newest = self.newest.get(&state.name).copied().unwrap_or_default();
                    assert!(state.version >= newest, "{state:?} after version {newest}");
                    self.newest.insert(state.name.clone(), state.version);
                    self.objects.insert(state.name.clone(), object);
                    self.seen.push(state);
                }
            }
            StoreEvent::Added { object: new, .. } => {
                let old = self.objects.get(new.name());
                assert!(old.is_none(), "{} is added twice", new.name());
                self.is(new);
            }
            StoreEvent::Modified { old, new, .. } => {
                let known = self.objects.get(new.name());
                let known = known.unwrap_or_else(|| panic!("{} was never added", new.name()));
                assert!(
                    Arc::ptr_eq(known, &old),
                    "the old object is that of the previous event"
                );
                assert_eq!(old.metadata.uid, new.metadata.uid);
                self.is(new);
            }
            StoreEvent::Deleted { object: old } => {
                let known = self.objects.remove(old.name());
                let known = known.unwrap_or_else(|| panic!("{} is deleted twice", old.name()));
                assert!(
                    Arc::ptr_eq(&known, &old),
                    "the old object is that of the previous event"
                );
                self.steps.push(Step::Gone(old.name().to_owned()));
            }
            other => panic!("{other:?}"),
        }
    }

    fn is(&mut self, new: Arc<Level>) {
        let state = State::of(&new);
        let newest = self.newest.insert(state.name.clone(), state.version);
        assert!(
            newest < Some(state.version),
            "{state:?} after version {newest:?}"
        );
        self.objects.insert(state.name.clone(), new);
        self.seen.push(state.clone());
        self.steps.push(Step::Is(state));
    }

    pub(crate) fn states(&self) -> Vec<State> {
        self.objects
            .values()
            .map(|object| State::of(object))
            .collect()
    }
}

/// The copy of a consumer of a watcher's events.
#[derive(Default)]
pub(crate) struct Follower {
    objects: BTreeMap<String, State>,
    list: Option<BTreeMap<String, State>>,
    pub(crate) seen: Vec<State>,
    pub(crate) lists: usize,
    /// How many objects were reported to have disappeared.
    pub(crate) vanished: usize,
}

impl Follower {
    pub(crate) fn apply(&mut self, event: WatcherEvent<Level>) {
        match event {
            WatcherEvent::ListBegin => self.list = Some(BTreeMap::new()),
            WatcherEvent::ListItem { object, .. } => {
                assert!(self.list.is_some(), "an item outside a list");
                self.is(&object);
            }
            WatcherEvent::ListEnd { disappeared, .. } => {
                let new = self.list.take().expect("an end without a beginning");
                let old = std::mem::replace(&mut self.objects, new);
                let gone = old
                    .into_keys()
                    .filter(|name| !self.objects.contains_key(name));
                let gone: Vec<ObjectKey> = gone.map(ObjectKey::new).collect();
                // Items of failed lists may be among them as well.
                for key in &gone {
                    assert!(
                        disappeared.contains(key),
                        "{key} is gone, but not reported: {disappeared:?}"
                    );
                }
                for key in &disappeared {
                    assert!(
                        !self.objects.contains_key(key.name()),
                        "{key} has not disappeared"
                    );
                }
                self.vanished += gone.len();
                self.lists += 1;
            }
            WatcherEvent::Applied { object, .. } => {
                assert!(self.list.is_none(), "a change during a list is an item");
                self.is(&object);
            }
            WatcherEvent::Deleted { object, .. } => {
                let objects = self.list.as_mut().unwrap_or(&mut self.objects);
                let known = objects.remove(object.name());
                assert!(
                    known.is_some(),
                    "{} is deleted, but was not there",
                    object.name()
                );
            }
            other => panic!("{other:?}"),
        }
    }

    fn is(&mut self, object: &Level) {
        let state = State::of(object);
        let objects = self.list.as_mut().unwrap_or(&mut self.objects);
        let old = objects.insert(state.name.clone(), state.clone());
        assert!(
            old.as_ref().map(|old| old.version) < Some(state.version),
            "{old:?}, then {state:?}"
        );
        self.seen.push(state);
    }

    pub(crate) fn states(&self) -> Vec<State> {
        self.objects.values().cloned().collect()
    }
}
