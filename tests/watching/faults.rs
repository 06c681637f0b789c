//! Random faults between client and server while objects change. Afterwards every copy is the server's, and nobody was
//! told what cannot have been.

use crate::model::{Follower, State, Step, Subscriber};
use crate::proxy::{Mischief, Proxy};
use crate::random::Random;
use crate::support::{level, soon};
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{Selection, Store, Watcher};
use k8s_flowcontrol::{Client, Resource};
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

const NAMES: u64 = 30;
const TEAMS: [&str; 3] = ["a", "b", "c"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_copy_is_exact_after_a_thousand_faults() {
    chaos(1_000, 2).await;
}

/// `cargo test --release --test watching -- --ignored --nocapture a_hundred_thousand`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn every_copy_is_exact_after_a_hundred_thousand_faults() {
    chaos(100_000, 6).await;
}

/// Runs until so many faults have happened, with so many consumers of each kind.
async fn chaos(faults: usize, consumers: usize) {
    let begun = std::time::Instant::now();
    let seed = Random::seed();
    println!("FLOWCONTROL_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    // So short a history that whoever is away for long is too late.
    let server = server(400).await;
    let proxy = Proxy::start(address(&server), &Mischief::ALL, random.fork()).await;
    let client = Client::from_url(proxy.url()).unwrap();
    let world = World::new(&server);

    let mut subscribers = Vec::new();
    let mut followers = Vec::new();
    for _ in 0..consumers {
        let streaming = Store::start(watcher(&client));
        subscribers.push(subscribe(&world, &streaming, 0, random.fork(), everything));
        let paged = watcher(&client).streaming_lists(false).page_size(7);
        let paged = Store::builder(paged).kept_changes(16).start();
        subscribers.push(subscribe(&world, &paged, 5, random.fork(), everything));
        let some = watcher(&client).any_of([
            Selection::labels("team=a"),
            Selection::labels("team in (a,b),marked"),
            Selection::fields("metadata.name=level-7"),
        ]);
        subscribers.push(subscribe(
            &world,
            &Store::start(some),
            0,
            random.fork(),
            in_union,
        ));
        followers.push(follower(&world, watcher(&client), everything));
        let team = watcher(&client)
            .streaming_lists(false)
            .label_selector("team=a");
        followers.push(follower(&world, team, in_team_a));
    }
    let writer = tokio::spawn(world.clone().write(random.fork()));
    let answers = server_faults(&world, &server, &proxy, faults, random.fork()).await;

    proxy.calm();
    server.clear_faults();
    world.stop.store(true, Ordering::Relaxed);
    let written = writer.await.unwrap();
    world.finish().await;

    let mut resyncs = 0;
    let mut restarts = 0;
    let mut vanished = 0;
    for subscriber in subscribers {
        let subscriber = soon(subscriber).await.unwrap();
        written.has_all(&subscriber.seen);
        resyncs += subscriber.resyncs;
    }
    for follower in followers {
        let follower = soon(follower).await.unwrap();
        written.has_all(&follower.seen);
        restarts += follower.restarts;
        vanished += follower.vanished;
    }
    let met = proxy.done() + answers;
    println!(
        "{met} faults in {:?} ({answers} answers of the server, {:?}), {} writes, {} errors seen, {restarts} restarts of \
         watchers, {vanished} objects disappeared, {resyncs} resyncs",
        begun.elapsed(),
        proxy.counts(),
        written.states.len(),
        world.errors.load(Ordering::Relaxed),
    );
    assert!(met >= faults);
    assert!(restarts > 2 * consumers, "nothing had to begin anew");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_while_the_server_remembers() {
    let seed = Random::seed();
    println!("FLOWCONTROL_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let server = server(1_000_000).await;
    let proxy = Proxy::start(address(&server), &Mischief::PASSING, random.fork()).await;
    let client = Client::from_url(proxy.url()).unwrap();
    let world = World::new(&server);

    // All are there before the first write, so that each write is a change.
    let mut stores = Vec::new();
    for number in 0..4 {
        let watcher = watcher(&client).streaming_lists(number % 2 == 0);
        let store = Store::builder(watcher).kept_changes(1_000_000).start();
        while soon(store.wait_ready()).await.is_err() {}
        stores.push(store);
    }
    let mut subscribers = Vec::new();
    for store in &stores {
        let mut subscriber = Subscriber::new(store.subscribe());
        subscriber.next().await;
        subscribers.push(follow_changes(
            &world,
            subscriber,
            0,
            random.fork(),
            everything,
        ));
    }
    let writer = tokio::spawn(world.clone().write(random.fork()));
    while proxy.done() < 300 {
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    proxy.calm();
    world.stop.store(true, Ordering::Relaxed);
    let written = writer.await.unwrap();
    world.finish().await;
    for subscriber in subscribers {
        let subscriber = soon(subscriber).await.unwrap();
        assert_eq!(subscriber.resyncs, 1);
        let mut told = subscriber.steps;
        // The last one is not the writer's.
        assert!(matches!(told.pop(), Some(Step::Is(state)) if state.name == "marker"));
        assert_eq!(told.len(), written.steps.len());
        assert!(told == written.steps, "another history");
    }
}

async fn server(history: usize) -> ApiServer {
    ApiServer::builder()
        .kubernetes("1.36")
        .bootstrap(false)
        .bookmark_interval(Duration::from_millis(20))
        .history(history)
        .start()
        .await
        .unwrap()
}

fn address(server: &ApiServer) -> std::net::SocketAddr {
    ([127, 0, 0, 1], server.port()).into()
}

fn watcher(client: &Client) -> Watcher<Level> {
    client
        .priority_level_configurations()
        .watcher()
        .backoff(Duration::from_millis(1), Duration::from_millis(10))
        .idle_timeout(Duration::from_millis(200))
        .watch_timeout(Duration::from_secs(1))
}

type Fits = fn(&Level) -> bool;

fn everything(_: &Level) -> bool {
    true
}

fn in_team_a(level: &Level) -> bool {
    level
        .metadata
        .labels
        .get("team")
        .is_some_and(|team| team == "a")
}

fn in_union(level: &Level) -> bool {
    let team_b = level
        .metadata
        .labels
        .get("team")
        .is_some_and(|team| team == "b");
    in_team_a(level)
        || (team_b && level.metadata.labels.contains_key("marked"))
        || level.name() == "level-7"
}

/// Lets the server answer badly, and forget, until enough has happened. Answers how often it did.
async fn server_faults(
    world: &World,
    server: &ApiServer,
    proxy: &Proxy,
    faults: usize,
    mut random: Random,
) -> usize {
    let mut injected = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert!(!world.is_broken(), "a consumer has failed");
        if server.pending_faults() > 0 {
            continue;
        }
        if proxy.done() + injected >= faults {
            return injected;
        }
        let fault = match random.below(12) {
            0 => Fault::rejected(0),
            1 => Fault::too_many_requests(0),
            2 | 3 => Fault::internal_error(),
            4 | 5 => Fault::unavailable(),
            6 => Fault::garbage(),
            7 => Fault::delay(Duration::from_millis(random.below(30))),
            8 => Fault::expire_history(),
            _ => Fault::cut_watch(usize::try_from(random.below(20)).unwrap()),
        };
        // Writes are made by somebody who is to know what was written.
        server.inject(fault.on_method("GET"));
        injected += 1;
    }
}

/// The server's side: who writes, and what is there in the end.
#[derive(Clone)]
struct World {
    client: Client,
    stop: Arc<AtomicBool>,
    /// What a copy must be in the end; set when the writer has finished.
    last: tokio::sync::watch::Sender<Option<Arc<Vec<Level>>>>,
    errors: Arc<AtomicUsize>,
    broken: Arc<AtomicBool>,
}

/// What was written.
#[derive(Default)]
struct Written {
    states: HashSet<State>,
    steps: Vec<Step>,
}

impl Written {
    fn is(&mut self, level: &Level) {
        let state = State::of(level);
        self.states.insert(state.clone());
        self.steps.push(Step::Is(state));
    }

    fn has_all(&self, seen: &[State]) {
        for state in seen.iter().filter(|state| state.name != "marker") {
            assert!(self.states.contains(state), "{state:?} was never written");
        }
    }
}

impl World {
    fn new(server: &ApiServer) -> Self {
        Self {
            client: Client::from_url(server.url()).unwrap(),
            stop: Arc::default(),
            last: tokio::sync::watch::Sender::new(None),
            errors: Arc::default(),
            broken: Arc::default(),
        }
    }

    fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Creates, changes and deletes until it is stopped.
    async fn write(self, mut random: Random) -> Written {
        let levels = self.client.priority_level_configurations();
        let mut written = Written::default();
        let mut there: BTreeMap<String, u32> = BTreeMap::new();
        while !self.stop.load(Ordering::Relaxed) {
            let name = format!("level-{}", random.below(NAMES));
            if !there.contains_key(&name) {
                let level = level(&name, &[("team", random.choose(&TEAMS))]);
                written.is(&levels.create(&level).await.unwrap());
                there.insert(name, 1);
            } else if random.happens(20) {
                levels.delete(&name).await.unwrap();
                written.steps.push(Step::Gone(name.clone()));
                there.remove(&name);
            } else {
                // Each change is one: a write of what is there already is none.
                let shares = there.entry(name.clone()).or_default();
                *shares += 1;
                let marked = random.happens(50).then_some("yes");
                let labels = json!({"team": random.choose(&TEAMS), "marked": marked});
                let spec = json!({"limited": {"nominalConcurrencyShares": *shares}});
                let patch = json!({"metadata": {"labels": labels}, "spec": spec});
                written.is(&levels.patch(&name).merge(&patch).await.unwrap());
            }
            if random.happens(30) {
                tokio::time::sleep(Duration::from_millis(random.below(5))).await;
            }
        }
        written
    }

    /// The last write, which all selections hold; then what is there is known.
    async fn finish(&self) {
        let levels = self.client.priority_level_configurations();
        let marker = level("marker", &[("team", "a")]);
        levels.create(&marker).await.unwrap();
        let all = levels.list().await.unwrap().items;
        self.last.send_replace(Some(Arc::new(all)));
    }

    /// What a copy of the objects that fit must be in the end, once that is known.
    fn last(&self, fits: Fits) -> Option<Vec<State>> {
        let last = self.last.borrow();
        let fitting = last.as_ref()?.iter().filter(|level| fits(level));
        Some(fitting.map(State::of).collect())
    }
}

/// Tells the world when a consumer fails, so that the run ends.
struct Alarm(World);

impl Drop for Alarm {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

fn subscribe(
    world: &World,
    store: &Store<Level>,
    pauses: u64,
    random: Random,
    fits: Fits,
) -> JoinHandle<Subscriber> {
    let subscriber = Subscriber::new(store.subscribe());
    follow_changes(world, subscriber, pauses, random, fits)
}

/// Reads the changes of a store, with pauses of up to so many milliseconds, until its copy is what it must be.
fn follow_changes(
    world: &World,
    mut subscriber: Subscriber,
    pauses: u64,
    mut random: Random,
    fits: Fits,
) -> JoinHandle<Subscriber> {
    let world = world.clone();
    tokio::spawn(async move {
        let alarm = Alarm(world);
        let world = &alarm.0;
        let mut finished = world.last.subscribe();
        loop {
            if let Some(last) = world.last(fits)
                && subscriber.states() == last
            {
                let copy = subscriber.changes.store().snapshot();
                let copy: Vec<State> = copy.iter().map(|level| State::of(level)).collect();
                assert_eq!(copy, last);
                return subscriber;
            }
            tokio::select! {
                () = subscriber.next() => {}
                _ = finished.changed() => {}
            }
            if pauses > 0 && random.happens(5) && world.last.borrow().is_none() {
                tokio::time::sleep(Duration::from_millis(random.below(20 * pauses))).await;
            }
        }
    })
}

/// Keeps a copy by a watcher's events until it is what it must be.
fn follower(world: &World, mut watcher: Watcher<Level>, fits: Fits) -> JoinHandle<Follower> {
    let world = world.clone();
    tokio::spawn(async move {
        let alarm = Alarm(world);
        let world = &alarm.0;
        let mut finished = world.last.subscribe();
        let mut follower = Follower::default();
        loop {
            if let Some(last) = world.last(fits)
                && follower.states() == last
            {
                return follower;
            }
            tokio::select! {
                event = watcher.next() => match event {
                    Ok(event) => follower.apply(event),
                    Err(_) => drop(world.errors.fetch_add(1, Ordering::Relaxed)),
                },
                _ = finished.changed() => {}
            }
        }
    })
}
