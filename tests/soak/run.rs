//! A run: rounds of events, each followed by the comparison of all stores with the server.

use super::plan;
use super::resources::{Memory, Resources};
use super::stores::{self, AnyStore};
use super::world::World;
use super::writers::{Count, Writers};
use crate::watching::random::Random;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The stores per client.
const STORES_PER_CLIENT: usize = 10;
/// The tasks of a server without connections: it, its bootstrap pass, the network and three gates.
const TASKS_OF_SERVER: usize = 6;

/// The extent of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// No round begins later than this.
    pub(crate) duration: Duration,
    pub(crate) stores: usize,
}

/// Runs, and returns the memory at the end of each round.
pub(crate) async fn run(extent: Extent) -> Memory {
    let begun = Instant::now();
    let seed = Random::seed();
    let mut trace = Trace::of(seed, extent);
    println!("{}", trace.command);
    let mut random = Random::new(seed);

    let before = Resources::now();
    let mut world = World::new(random.fork()).await;
    let idle = Resources::now().with_tasks(&before, TASKS_OF_SERVER);
    let lists = Arc::new(AtomicU64::new(0));
    let stores = start(extent.stores, &world, &lists, &mut random).await;

    let mut memory = Memory::default();
    let writes = Arc::new(Count::default());
    let (mut events, mut rounds, mut slowest) = (0, 0, Duration::ZERO);
    while rounds == 0 || begun.elapsed() < extent.duration {
        let writers = Writers::start(&world, &writes, &mut random);
        trace.clear();
        for (pause, event) in plan::round(&mut random.fork()) {
            sleep(pause).await;
            trace.note(format!("{:?} {event:?}", begun.elapsed()));
            world.happen(&event).await;
            events += 1;
        }
        world.calm();
        writers.stop().await;
        trace.note(format!("{:?} the last event was before", begun.elapsed()));
        let server = world.direct_client();
        let last = Instant::now();
        for store in &stores {
            store.settles(&server).await;
        }
        drop(server);
        slowest = slowest.max(last.elapsed());
        memory.measure();
        rounds += 1;
        println!(
            "{:?}: round {rounds}, {events} events, recovered within {:?}, {memory}",
            begun.elapsed(),
            last.elapsed(),
        );
    }

    assert!(writes.done.load(Ordering::Relaxed) > 0, "nothing changed");
    let failures: u64 = stores.iter().map(|store| store.failures()).sum();
    for store in stores {
        store.stop().await;
    }
    idle.are_back().await;
    println!(
        "{:?}: {rounds} rounds, {events} events and {} faults of the network, {} stores with {failures} failures, \
         {} requests of lists, {} connections, {} writes and {} failed ones, recovered within {slowest:?}, {memory}",
        begun.elapsed(),
        world.network_faults(),
        extent.stores,
        lists.load(Ordering::Relaxed),
        world.connections(),
        writes.done.load(Ordering::Relaxed),
        writes.failed.load(Ordering::Relaxed),
    );
    world.stop().await;
    before.are_back().await;
    memory
}

async fn start(
    count: usize,
    world: &World,
    lists: &Arc<AtomicU64>,
    random: &mut Random,
) -> Vec<Box<dyn AnyStore>> {
    let clients = (0..count.div_ceil(STORES_PER_CLIENT)).map(|number| {
        let lists = lists.clone();
        world.client(number).on_request(move |attempt| {
            if attempt.verb() == "list" {
                lists.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    let clients: Vec<_> = clients.collect();
    let mut stores = Vec::new();
    for number in 0..count {
        let client = &clients[number / STORES_PER_CLIENT];
        stores.push(stores::start(number, client, random.fork()).await);
    }
    stores
}

/// The events of the round, printed with the seed when the run fails.
struct Trace {
    command: String,
    events: Vec<String>,
}

impl Trace {
    fn of(seed: u64, extent: Extent) -> Self {
        let seconds = extent.duration.as_secs();
        Self {
            command: format!(
                "FLOWCONTROL_TEST_SEED={seed} FLOWCONTROL_SOAK_SECONDS={seconds} FLOWCONTROL_SOAK_STORES={} \
                 cargo test --test workspace an_hour -- --ignored --nocapture",
                extent.stores
            ),
            events: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.events.clear();
    }

    fn note(&mut self, event: String) {
        self.events.push(event);
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.events.join("\n"));
            eprintln!("repeat it with: {}", self.command);
        }
    }
}
