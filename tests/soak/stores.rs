//! The stores: several selectors, in both kinds and in several versions.

use super::mirror::Mirror;
use crate::watching::random::Random;
use k8s_flowcontrol::api::{v1, v1beta3};
use k8s_flowcontrol::watch::{ObjectKey, Store, Watcher};
use k8s_flowcontrol::{Client, Error, Resource};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The longest wait for a store after the last event. Only a failure takes this long.
const PATIENCE: Duration = Duration::from_secs(90);

/// A label selector and a field selector, either of which may be empty.
type Selectors = (&'static str, &'static str);

const EVERYTHING: Selectors = ("", "");
const TEAM: Selectors = ("team=a", "");
const ALL_BUT_ONE: Selectors = ("", "metadata.name!=soak-3");
const MARKED: Selectors = ("team in (a,b),marked", "");

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A store of any kind and version.
pub(crate) trait AnyStore: Send + Sync {
    /// Waits until the store, and the copy of its subscriber, equal the list of the server.
    fn settles<'a>(&'a self, server: &'a Client) -> BoxFuture<'a, ()>;

    /// The number of failures that the store has reported.
    fn failures(&self) -> u64;

    /// Drops the store and its subscriber.
    fn stop(self: Box<Self>) -> BoxFuture<'static, ()>;
}

struct Tested<K: Resource> {
    name: String,
    store: Store<K>,
    mirror: Mirror<K>,
    selectors: Selectors,
    drops_managed_fields: bool,
    failures: Arc<AtomicU64>,
}

/// The store with this number. Ten sorts of stores come in turn.
pub(crate) async fn start(number: usize, client: &Client, random: Random) -> Box<dyn AnyStore> {
    let levels = client.priority_level_configurations().watcher();
    let schemas = client.flow_schemas().watcher();
    let old_levels = client.api::<v1beta3::PriorityLevelConfiguration>();
    let old_schemas = client.api::<v1beta3::FlowSchema>();
    let (old_levels, old_schemas) = (old_levels.watcher(), old_schemas.watcher());
    match number % 10 {
        0 => tested(number, levels, EVERYTHING, random),
        1 => tested(number, old_schemas, EVERYTHING, random),
        2 => tested(number, paged(schemas, 7), EVERYTHING, random),
        3 => tested(number, paged(old_levels, 500), EVERYTHING, random),
        4 => tested(number, levels, TEAM, random),
        5 => tested(number, levels, MARKED, random),
        6 => tested(number, paged(old_schemas, 3), MARKED, random),
        // The first server has v1beta3 only, so that is their version on the wire.
        7 => {
            let levels = client.negotiated::<v1::PriorityLevelConfiguration>();
            tested(number, levels.await.unwrap().watcher(), EVERYTHING, random)
        }
        8 => {
            let schemas = client.negotiated::<v1::FlowSchema>();
            let schemas = schemas.await.unwrap().watcher();
            tested(number, paged(schemas, 5), TEAM, random)
        }
        _ => tested(number, old_levels, ALL_BUT_ONE, random),
    }
}

/// Without streaming lists.
fn paged<K: Resource>(watcher: Watcher<K>, objects: u32) -> Watcher<K> {
    watcher.streaming_lists(false).page_size(objects)
}

fn tested<K: Resource>(
    number: usize,
    watcher: Watcher<K>,
    selectors: Selectors,
    random: Random,
) -> Box<dyn AnyStore> {
    let name = format!("store {number} of {} {}", K::VERSION, K::KIND);
    let drops_managed_fields = number.is_multiple_of(3);
    let mut watcher = watcher
        .backoff(Duration::from_millis(1), Duration::from_millis(50))
        .watch_timeout(Duration::from_secs(6))
        // A server does not send bookmarks in the last two seconds of a watch.
        .idle_timeout(Duration::from_secs(3));
    if drops_managed_fields {
        watcher = watcher.drop_managed_fields();
    }
    let (labels, fields) = selectors;
    let watcher = watcher.label_selector(labels).field_selector(fields);
    let failures = Arc::new(AtomicU64::new(0));
    let counted = failures.clone();
    let store = Store::builder(watcher)
        // Few, so that the memory of the kept events stops growing after some rounds.
        .kept_events(if number % 4 == 1 { 16 } else { 128 })
        .on_error(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .start();
    Box::new(Tested {
        mirror: Mirror::of(&store, number % 4 == 1, random),
        name,
        store,
        selectors,
        drops_managed_fields,
        failures,
    })
}

impl<K: Resource> Tested<K> {
    /// The objects of the server, in the version and the selection of the store.
    async fn expected(&self, server: &Client) -> Result<Vec<Arc<K>>, Error> {
        let mut objects = BTreeMap::new();
        let (labels, fields) = self.selectors;
        let list = server.api::<K>().list();
        let list = list.label_selector(labels).field_selector(fields).await?;
        for mut object in list {
            if self.drops_managed_fields {
                object.metadata_mut().managed_fields.clear();
            }
            objects.insert(ObjectKey::of(&object), Arc::new(object));
        }
        Ok(objects.into_values().collect())
    }

    /// The difference from the server's objects, if any.
    fn difference(&self, expected: &[Arc<K>]) -> Option<String> {
        if let Some(error) = self.store.last_error() {
            return Some(format!("its last error is still set: {error}"));
        }
        let copies = [
            ("the store", self.store.snapshot()),
            ("its subscriber", self.mirror.objects()),
        ];
        copies
            .iter()
            .find(|(_, objects)| objects[..] != *expected)
            .map(|(copy, objects)| {
                let only = |these: &[Arc<K>], those: &[Arc<K>]| -> Vec<String> {
                    let only = these.iter().filter(|object| !those.contains(object));
                    only.map(|object| serde_json::to_string(&**object).unwrap())
                        .collect()
                };
                format!(
                    "{copy} has {:#?}, and the server has {:#?}",
                    only(objects, expected),
                    only(expected, objects)
                )
            })
    }
}

impl<K: Resource> AnyStore for Tested<K> {
    fn settles<'a>(&'a self, server: &'a Client) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let deadline = Instant::now() + PATIENCE;
            loop {
                assert!(
                    !self.mirror.is_broken(),
                    "the subscriber of {} has failed",
                    self.name
                );
                // The server's controllers may still write.
                let expected = self.expected(server).await.unwrap();
                let Some(difference) = self.difference(&expected) else {
                    return;
                };
                assert!(Instant::now() < deadline, "{}: {difference}", self.name);
                sleep(Duration::from_millis(20)).await;
            }
        })
    }

    fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    fn stop(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { self.mirror.stop().await })
    }
}
