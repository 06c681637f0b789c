//! The state that all requests share.

mod admission;

pub(crate) use admission::Admitted;

use crate::bootstrap;
use crate::collector;
use crate::dangling;
use crate::data::{Data, Loaded, Record};
use crate::deprecated_apis::DeprecatedApis;
use crate::flow_control::Flow;
use crate::health::Storage;
use crate::kinds::{Kind, Kinds};
use crate::locks::lock;
use crate::recorded::RecordedRequest;
use crate::status::{Failure, internal};
use crate::store::{Limits, Object, Store, Stored, Written};
use crate::texts::Texts;
use crate::upgrade::decode_store;
use k8s_flowcontrol_types::Release;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;

/// The concurrency limit of kube-apiserver with default flags, in seats.
const DEFAULT_SEATS: u32 = 600;

/// A revision with the objects of a kind, while a watch uses them.
type Snapshot = (u64, Weak<[Object]>);

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) kinds: Kinds,
    pub(crate) bookmark_interval: Duration,
    /// The last revision; waiting requests subscribe to it.
    pub(crate) revision: watch::Sender<u64>,
    store: Mutex<Store>,
    /// The folder in which the objects are kept too.
    data: Option<Arc<Data>>,
    /// Always locked after the store.
    flow: Mutex<Flow>,
    /// The number of open watches of each kind, by its index.
    watches: Vec<AtomicU64>,
    /// The initial objects of watches, by kind, shared by watches that start before the next write.
    snapshots: Mutex<BTreeMap<usize, Snapshot>>,
    /// The JSON of objects that several clients read.
    pub(crate) texts: Texts,
    recorded: Option<Arc<Mutex<Vec<RecordedRequest>>>>,
    /// The requested deprecated versions.
    pub(crate) deprecated: DeprecatedApis,
    /// The concurrency limit, in seats.
    pub(crate) seats: u32,
}

impl State {
    pub(crate) fn new(
        kinds: Kinds,
        history: Limits,
        record: bool,
        bookmark_interval: Duration,
    ) -> Self {
        let store = Store::new(kinds.all.len(), history);
        let recorded = record.then(Arc::default);
        Self::of(store, kinds, bookmark_interval, recorded, None)
    }

    /// Continues with the content of a data folder, in which all writes are kept from now on.
    ///
    /// Like an upgrade, if another release has written the objects. Older resource versions are expired. Objects of kinds
    /// that this server does not serve stay in the folder.
    pub(crate) fn keep_in(&mut self, data: Data, loaded: Loaded) {
        let store = self.store.get_mut().unwrap_or_else(PoisonError::into_inner);
        let kinds = &self.kinds;
        let index = |resource: &str| {
            let same = |kind: &&Kind| resource_name(kind) == resource;
            Some(kinds.all.iter().find(same)?.index)
        };
        let objects = loaded.objects.into_iter().filter_map(|loaded| {
            let stored = Stored {
                release: loaded.release,
                object: Arc::new(loaded.object),
            };
            Some((index(&loaded.resource)?, loaded.name, stored))
        });
        store.restore(loaded.revision, objects);
        decode_store(store, kinds, kinds);
        self.revision.send_replace(store.revision());
        self.data = Some(Arc::new(data));
        self.follow_release();
    }

    fn of(
        store: Store,
        kinds: Kinds,
        bookmark_interval: Duration,
        recorded: Option<Arc<Mutex<Vec<RecordedRequest>>>>,
        data: Option<Arc<Data>>,
    ) -> Self {
        Self {
            revision: watch::Sender::new(store.revision()),
            store: Mutex::new(store),
            data,
            flow: Mutex::default(),
            watches: kinds.all.iter().map(|_| AtomicU64::new(0)).collect(),
            snapshots: Mutex::default(),
            texts: Texts::default(),
            recorded,
            kinds,
            bookmark_interval,
            deprecated: DeprecatedApis::default(),
            seats: DEFAULT_SEATS,
        }
    }

    /// The state of the server after a restart as another release, with the same objects. Only the recorded requests
    /// survive besides them.
    pub(crate) fn restarted(&self, release: Release) -> Self {
        let kinds = self.kinds.of_release(release);
        let mut store = lock(&self.store).clone();
        decode_store(&mut store, &self.kinds, &kinds);
        let (recorded, data) = (self.recorded.clone(), self.data.clone());
        let mut state = Self::of(store, kinds, self.bookmark_interval, recorded, data);
        state.seats = self.seats;
        if self.throttles() {
            state.throttle();
        }
        state.follow_release();
        state
    }

    /// Updates the status of all FlowSchemas, because the usability of levels depends on the release.
    fn follow_release(&self) {
        // A write that fails is tried again with the next write of a level.
        let _unwritten = self.write(|store| dangling::follow(store, &self.kinds, 0));
    }

    /// Creates, repairs and removes bootstrap objects.
    pub(crate) fn run_bootstrap_pass(&self) {
        // A write that fails is tried again in the next pass.
        let _unwritten = self.write(|store| bootstrap::run_pass(store, &self.kinds));
    }

    /// Drops the whole history.
    pub(crate) fn expire_history(&self) {
        lock(&self.store).expire_history();
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce(&Store) -> T) -> T {
        read(&lock(&self.store))
    }

    /// The objects of a kind by name, and the present revision.
    pub(crate) fn snapshot(&self, kind: usize) -> (u64, Arc<[Object]>) {
        self.read(|store| {
            let mut known = lock(&self.snapshots);
            let revision = store.revision();
            let same = known.get(&kind).filter(|(of, _)| *of == revision);
            let objects = same
                .and_then(|(_, objects)| objects.upgrade())
                .unwrap_or_else(|| {
                    let objects = store.objects(kind);
                    objects.map(|(_, object)| object.clone()).collect()
                });
            known.insert(kind, (revision, Arc::downgrade(&objects)));
            (revision, objects)
        })
    }

    /// Runs a transaction and the controllers that react to it.
    /// Errors: the data folder cannot be written. The transaction has no effect then.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut Store) -> T) -> Result<T, Failure> {
        let mut store = lock(&self.store);
        let before = store.revision();
        let answer = write(&mut store);
        dangling::follow(&mut store, &self.kinds, before);
        collector::follow(&mut store, &self.kinds, before);
        if let Some(data) = &self.data {
            self.keep(&mut store, data, before)?;
        }
        let after = store.revision();
        if after != before {
            self.revision.send_replace(after);
        }
        Ok(answer)
    }

    /// Writes the changes after the revision `before` to the data folder.
    fn keep(&self, store: &mut Store, data: &Data, before: u64) -> Result<(), Failure> {
        let journal = store.take_journal();
        if journal.is_empty() {
            return Ok(());
        }
        let records: Vec<_> = journal
            .iter()
            .filter_map(|Written { kind, name, .. }| {
                Some(Record {
                    resource: resource_name(self.kinds.all.get(*kind)?),
                    name,
                    object: store.get(*kind, name).map(|object| &**object),
                })
            })
            .collect();
        let kept = data.commit(self.kinds.release, store.revision(), &records);
        kept.map_err(|error| {
            store.undo(journal, before);
            internal(format!("Internal error occurred: {error}"))
        })
    }

    /// Whether writes wait for a disk.
    pub(crate) fn has_data(&self) -> bool {
        self.data.is_some()
    }

    /// The state of the storage, for health checks.
    pub(crate) fn storage(&self) -> Storage {
        Storage {
            reads_objects: self.read(|store| store.is_readable()),
            writes: self.data.as_ref().is_none_or(|data| data.is_ready()),
        }
    }

    pub(crate) fn record(&self, request: impl FnOnce() -> RecordedRequest) {
        if let Some(recorded) = &self.recorded {
            lock(recorded).push(request());
        }
    }

    pub(crate) fn recorded(&self) -> Vec<RecordedRequest> {
        self.recorded
            .as_ref()
            .map_or_else(Vec::new, |recorded| lock(recorded).clone())
    }

    /// Queues and rejects requests from now on.
    pub(crate) fn throttle(&mut self) {
        let flow = self.flow.get_mut().unwrap_or_else(PoisonError::into_inner);
        flow.throttle(self.seats, self.kinds.release);
    }

    /// Whether requests are queued and rejected.
    pub(crate) fn throttles(&self) -> bool {
        self.with_flow(|_, flow| flow.throttled().is_some())
    }

    /// Counts a watch of a kind until the result is dropped.
    pub(crate) fn count_watch(self: &Arc<Self>, kind: usize) -> CountedWatch {
        self.watches[kind].fetch_add(1, Ordering::Relaxed);
        CountedWatch {
            state: self.clone(),
            kind,
        }
    }

    pub(crate) fn with_flow<T>(&self, run: impl FnOnce(&Store, &mut Flow) -> T) -> T {
        self.read(|store| {
            let mut flow = lock(&self.flow);
            run(store, &mut flow)
        })
    }
}

/// A watch that counts as open.
#[derive(Debug)]
pub(crate) struct CountedWatch {
    state: Arc<State>,
    kind: usize,
}

impl Drop for CountedWatch {
    fn drop(&mut self) {
        self.state.watches[self.kind].fetch_sub(1, Ordering::Relaxed);
    }
}

/// The resource of a kind with its group, such as `flowschemas.flowcontrol.apiserver.k8s.io`.
fn resource_name(kind: &Kind) -> String {
    format!("{}.{}", kind.plural(), kind.group())
}
