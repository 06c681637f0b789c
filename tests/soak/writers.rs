//! Writers: they create, change and delete objects at random, and ignore every failure.

use super::world::World;
use crate::watching::random::Random;
use k8s_flowcontrol::api::v1beta3;
use k8s_flowcontrol::{Api, Client, Resource};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

/// The number of names of each kind, which bounds the number of objects.
const NAMES: u64 = 20;
const TEAMS: [&str; 3] = ["a", "b", "c"];

/// Running writers.
pub(crate) struct Writers {
    stop: Arc<AtomicBool>,
    tasks: JoinSet<()>,
}

/// The numbers of writes.
#[derive(Debug, Default)]
pub(crate) struct Count {
    pub(crate) done: AtomicU64,
    pub(crate) failed: AtomicU64,
}

impl Writers {
    /// Two writers go the way of the stores, and a third one goes directly to the server.
    pub(crate) fn start(world: &World, count: &Arc<Count>, random: &mut Random) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        for client in [world.client(0), world.client(1), world.direct_client()] {
            let (stop, count) = (stop.clone(), count.clone());
            tasks.spawn(write(client, stop, count, random.fork()));
        }
        Self { stop, tasks }
    }

    pub(crate) async fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.join_all().await;
    }
}

async fn write(client: Client, stop: Arc<AtomicBool>, count: Arc<Count>, mut random: Random) {
    let levels = client.priority_level_configurations();
    let schemas = client.flow_schemas();
    let old_levels = client.api::<v1beta3::PriorityLevelConfiguration>();
    let old_schemas = client.api::<v1beta3::FlowSchema>();
    while !stop.load(Ordering::Relaxed) {
        let name = format!("soak-{}", random.below(NAMES));
        let done = match random.below(4) {
            0 => change(&levels, &name, level, &mut random).await,
            1 => change(&old_levels, &name, level, &mut random).await,
            2 => change(&schemas, &name, schema, &mut random).await,
            _ => change(&old_schemas, &name, schema, &mut random).await,
        };
        match done {
            Ok(()) => count.done.fetch_add(1, Ordering::Relaxed),
            Err(_) => count.failed.fetch_add(1, Ordering::Relaxed),
        };
        tokio::time::sleep(Duration::from_millis(random.below(40))).await;
    }
}

/// Creates an object. If it exists already, changes, applies or deletes it.
async fn change<K: Resource>(
    api: &Api<K>,
    name: &str,
    body: fn(&str, &mut Random) -> Value,
    random: &mut Random,
) -> Result<(), k8s_flowcontrol::Error> {
    let object: K = serde_json::from_value(body(name, random)).unwrap();
    match api.create(&object).await {
        Err(error) if error.is_already_exists() => {}
        created => return created.map(drop),
    }
    match random.below(10) {
        0 | 1 => api.delete(name).await.map(drop),
        2 => api
            .apply(&object)
            .field_manager("soak")
            .force()
            .await
            .map(drop),
        3 => {
            let team = random.choose(&TEAMS);
            let update = api.update_with(name, |object: &mut K| {
                let labels = &mut object.metadata_mut().labels;
                labels.insert("changed-by".into(), team.into());
            });
            update.await.map(drop)
        }
        4 if random.happens(10) => {
            let some = api.delete_collection().label_selector("team=c");
            some.await.map(drop)
        }
        _ => {
            let mut patch = body(name, random);
            // Without a value, the label is removed.
            let labels = patch["metadata"]["labels"].as_object_mut().unwrap();
            labels.entry("marked").or_insert(Value::Null);
            api.patch(name).merge(&patch).await.map(drop)
        }
    }
}

fn labels(random: &mut Random) -> Value {
    let mut labels = json!({"team": random.choose(&TEAMS)});
    if random.happens(50) {
        labels["marked"] = "yes".into();
    }
    labels
}

fn level(name: &str, random: &mut Random) -> Value {
    json!({
        "metadata": {"name": name, "labels": labels(random)},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 1 + random.below(1000),
            "limitResponse": {"type": "Reject"},
        }},
    })
}

/// Its level may be missing, so that the server changes its status.
fn schema(name: &str, random: &mut Random) -> Value {
    json!({
        "metadata": {"name": name, "labels": labels(random)},
        "spec": {
            "matchingPrecedence": 1 + random.below(10_000),
            "priorityLevelConfiguration": {"name": format!("soak-{}", random.below(NAMES))},
            "rules": [{
                "subjects": [{"kind": "Group", "group": {"name": "team-ü"}}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/soak"]}],
            }],
        },
    })
}
