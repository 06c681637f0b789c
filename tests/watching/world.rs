//! The server's side of a run with faults: the writer, the written states, and the final objects.

use crate::watching::model::{State, Step};
use crate::watching::random::Random;
use crate::watching::support::level;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const NAMES: u64 = 30;
const TEAMS: [&str; 3] = ["a", "b", "c"];

/// The server's side of a run.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) stop: Arc<AtomicBool>,
    /// The final objects; set when the writer has finished.
    pub(crate) last: tokio::sync::watch::Sender<Option<Arc<Vec<Level>>>>,
    pub(crate) errors: Arc<AtomicUsize>,
    pub(crate) broken: Arc<AtomicBool>,
}

/// The written states and changes.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) states: HashSet<State>,
    pub(crate) steps: Vec<Step>,
}

impl Written {
    fn is(&mut self, level: &Level) {
        let state = State::of(level);
        self.states.insert(state.clone());
        self.steps.push(Step::Is(state));
    }

    pub(crate) fn has_all(&self, seen: &[State]) {
        for state in seen.iter().filter(|state| state.name != "marker") {
            assert!(self.states.contains(state), "{state:?} was never written");
        }
    }
}

impl World {
    pub(crate) fn new(server: &ApiServer) -> Self {
        Self {
            client: Client::from_url(server.url()).unwrap(),
            stop: Arc::default(),
            last: tokio::sync::watch::Sender::new(None),
            errors: Arc::default(),
            broken: Arc::default(),
        }
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Creates, changes and deletes until it is stopped.
    pub(crate) async fn write(self, mut random: Random) -> Written {
        let levels = self.client.priority_level_configurations();
        let mut written = Written::default();
        let mut there: BTreeMap<String, u32> = BTreeMap::new();
        while !self.stop.load(Ordering::Relaxed) {
            let name = format!("level-{}", random.below(NAMES));
            let Entry::Occupied(mut shares) = there.entry(name.clone()) else {
                let level = level(&name, &[("team", random.choose(&TEAMS))]);
                written.is(&levels.create(&level).await.unwrap());
                there.insert(name, 1);
                continue;
            };
            if random.happens(20) {
                levels.delete(&name).await.unwrap();
                written.steps.push(Step::Gone(name));
                shares.remove();
            } else {
                // Always a new number, since a write without a difference is not a change.
                *shares.get_mut() += 1;
                let shares = shares.get();
                let marked = random.happens(50).then_some("yes");
                let labels = json!({"team": random.choose(&TEAMS), "marked": marked});
                let spec = json!({"limited": {"nominalConcurrencyShares": shares}});
                let patch = json!({"metadata": {"labels": labels}, "spec": spec});
                written.is(&levels.patch(&name).merge(&patch).await.unwrap());
            }
            if random.happens(30) {
                tokio::time::sleep(Duration::from_millis(random.below(5))).await;
            }
        }
        written
    }

    /// Writes a last object, which matches all selections, and notes the final objects.
    pub(crate) async fn finish(&self) {
        let levels = self.client.priority_level_configurations();
        let marker = level("marker", &[("team", "a"), ("marked", "yes")]);
        levels.create(&marker).await.unwrap();
        let all = levels.list().await.unwrap().items;
        self.last.send_replace(Some(Arc::new(all)));
    }

    /// The final states of the matching objects; `None` while the writer runs.
    pub(crate) fn last(&self, matches: Matching) -> Option<Vec<State>> {
        let last = self.last.borrow();
        let fitting = last.as_ref()?.iter().filter(|level| matches(level));
        Some(fitting.map(State::of).collect())
    }
}

pub(crate) type Matching = fn(&Level) -> bool;

pub(crate) fn everything(_: &Level) -> bool {
    true
}

pub(crate) fn in_team_a(level: &Level) -> bool {
    level
        .metadata
        .labels
        .get("team")
        .is_some_and(|team| team == "a")
}

pub(crate) fn is_marked_in_a_team(level: &Level) -> bool {
    level.metadata.labels.contains_key("team") && level.metadata.labels.contains_key("marked")
}
