//! Random faults between client and server while objects change. Afterwards every copy equals the server's objects, and
//! no consumer got an impossible event.

use crate::watching::model::{Follower, State, Step, Subscriber};
use crate::watching::proxy::{NetworkFault, Proxy};
use crate::watching::random::Random;
use crate::watching::support::soon;
use crate::watching::world::{Matching, World, everything, in_team_a, is_marked_in_a_team};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{Store, Watcher};
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::JoinHandle;

fn tries_all() -> bool {
    std::env::var_os("FLOWCONTROL_TEST_ALL").is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_copy_is_exact_after_hundreds_of_faults() {
    chaos(if tries_all() { 1_000 } else { 300 }, 2).await;
}

/// `cargo test --release --test workspace watching:: -- --ignored --nocapture`, with another number of faults in
/// `FLOWCONTROL_TEST_FAULTS`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn every_copy_is_exact_after_a_hundred_thousand_faults() {
    let faults = std::env::var("FLOWCONTROL_TEST_FAULTS");
    let faults = faults.map_or(100_000, |text| text.parse().expect("a number"));
    chaos(faults, 6).await;
}

/// Runs until `faults` faults have happened, with `consumers` consumers of each kind.
async fn chaos(faults: usize, consumers: usize) {
    let begun = std::time::Instant::now();
    let seed = Random::seed();
    println!("FLOWCONTROL_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    // A short history, so that long interruptions lead to 410 Gone.
    let server = server(400).await;
    let proxy = Proxy::start(address(&server), &NetworkFault::ALL, random.fork()).await;
    let client = Client::from_url(proxy.url()).unwrap();
    let world = World::new(&server);

    let mut subscribers = Vec::new();
    let mut followers = Vec::new();
    for _ in 0..consumers {
        let streaming = Store::start(watcher(&client));
        subscribers.push(subscribe(&world, &streaming, 0, random.fork(), everything));
        let paged = watcher(&client).streaming_lists(false).page_size(7);
        let paged = Store::builder(paged).kept_events(16).start();
        subscribers.push(subscribe(&world, &paged, 5, random.fork(), everything));
        let some = watcher(&client)
            .label_selector("team")
            .label_selector("marked");
        subscribers.push(subscribe(
            &world,
            &Store::start(some),
            0,
            random.fork(),
            is_marked_in_a_team,
        ));
        followers.push(follower(&world, watcher(&client), everything));
        let team = watcher(&client)
            .streaming_lists(false)
            .label_selector("team=a");
        followers.push(follower(&world, team, in_team_a));
    }
    let writer = crate::spawn(world.clone().write(random.fork()));
    let answers = server_faults(&world, &server, &proxy, faults, random.fork()).await;

    proxy.set_calm(true);
    server.clear_faults();
    world.stop.store(true, Ordering::Relaxed);
    let written = writer.await.unwrap();
    world.finish().await;

    let mut snapshots = 0;
    let mut lists = 0;
    let mut vanished = 0;
    for subscriber in subscribers {
        let subscriber = soon(subscriber).await.unwrap();
        written.has_all(&subscriber.seen);
        snapshots += subscriber.snapshots;
    }
    for follower in followers {
        let follower = soon(follower).await.unwrap();
        written.has_all(&follower.seen);
        lists += follower.lists;
        vanished += follower.vanished;
    }
    let met = proxy.done() + answers;
    println!(
        "{met} faults in {:?} ({answers} answers of the server, {:?}), {} writes, {} errors seen, {lists} lists of \
         watchers, {vanished} objects disappeared, {snapshots} snapshots",
        begun.elapsed(),
        proxy.counts(),
        written.states.len(),
        world.errors.load(Ordering::Relaxed),
    );
    assert!(met >= faults);
    assert!(lists > 2 * consumers, "no watcher had to list again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_while_the_server_remembers() {
    let seed = Random::seed();
    println!("FLOWCONTROL_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let server = server(1_000_000).await;
    let world = World::new(&server);

    // All stores are ready before the first write, so that each write is an event.
    let mut proxies = Vec::new();
    let mut stores = Vec::new();
    for number in 0..4 {
        let faults = &NetworkFault::PASSING;
        let proxy = Proxy::start_with_progress(address(&server), faults, random.fork()).await;
        let client = Client::from_url(proxy.url()).unwrap();
        proxies.push(proxy);
        // Long enough that a slow machine does not look like a silent connection.
        let watcher = watcher(&client).idle_timeout(Duration::from_secs(60));
        let watcher = watcher.streaming_lists(number % 2 == 0);
        let store = Store::builder(watcher).kept_events(1_000_000).start();
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
    let writer = crate::spawn(world.clone().write(random.fork()));
    let faults = if tries_all() { 300 } else { 100 };
    while proxies.iter().map(Proxy::done).sum::<usize>() < faults {
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for proxy in &proxies {
        proxy.set_calm(true);
    }
    world.stop.store(true, Ordering::Relaxed);
    let written = writer.await.unwrap();
    world.finish().await;
    for subscriber in subscribers {
        let subscriber = soon(subscriber).await.unwrap();
        assert_eq!(subscriber.snapshots, 1);
        let mut steps = subscriber.steps;
        // The last event is not the writer's.
        assert!(matches!(steps.pop(), Some(Step::Is(state)) if state.name == "marker"));
        assert_eq!(steps.len(), written.steps.len());
        assert!(steps == written.steps, "another history");
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

/// Injects bad responses and expired history until there were enough faults. Returns the number of injected ones.
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
        // Writes must succeed, so that the result of each is known.
        server.inject(fault.on_method("GET"));
        injected += 1;
    }
}

/// Marks the world as broken when a consumer panics, so that the run ends.
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
    matches: Matching,
) -> JoinHandle<Subscriber> {
    let subscriber = Subscriber::new(store.subscribe());
    follow_changes(world, subscriber, pauses, random, matches)
}

/// Reads the events of a store, with pauses of up to `20 * pauses` milliseconds, until its copy is the expected one.
fn follow_changes(
    world: &World,
    mut subscriber: Subscriber,
    pauses: u64,
    mut random: Random,
    matches: Matching,
) -> JoinHandle<Subscriber> {
    let world = world.clone();
    crate::spawn(async move {
        let alarm = Alarm(world);
        let world = &alarm.0;
        let mut finished = world.last.subscribe();
        loop {
            if let Some(last) = world.last(matches)
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

/// Keeps a copy by a watcher's events until it is the expected one.
fn follower(world: &World, mut watcher: Watcher<Level>, matches: Matching) -> JoinHandle<Follower> {
    let world = world.clone();
    crate::spawn(async move {
        let alarm = Alarm(world);
        let world = &alarm.0;
        let mut finished = world.last.subscribe();
        let mut follower = Follower::default();
        loop {
            if let Some(last) = world.last(matches)
                && follower.states() == last
            {
                return follower;
            }
            tokio::select! {
                event = watcher.next() => match event.unwrap() {
                    Ok(event) => follower.apply(event),
                    Err(_) => drop(world.errors.fetch_add(1, Ordering::Relaxed)),
                },
                _ = finished.changed() => {}
            }
        }
    })
}
