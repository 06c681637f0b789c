//! The layer of `k8s-flowcontrol-pace` around the client.

use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol_pace::Pace;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::time::Duration;

/// The load of `benches/pace`.
#[path = "../../benches/pace/src/load.rs"]
mod load;
#[allow(dead_code, reason = "the benchmark compares more ways")]
#[path = "../../benches/pace/src/pacer.rs"]
mod pacer;
#[path = "../../benches/pace/src/world.rs"]
mod world;

type Failure = Box<dyn std::error::Error + Send + Sync>;
/// The number of greedy clients.
const GREEDY: usize = 50;

fn paced(client: Client, pace: &Pace) -> Client {
    let pace = pace.clone();
    client.layer(move |request, next| {
        let pace = pace.clone();
        async move { pace.send(request, |request| next.run(request)).await }
    })
}

#[tokio::test]
async fn it_learns_the_level_and_leaves_watches_alone() {
    let server = ApiServer::start().await.unwrap();
    let pace = Pace::builder().max_limit(1).build();
    let client = paced(Client::from_url(server.url()).unwrap(), &pace);
    let levels = client.priority_level_configurations();
    let listed = levels.list().send().await.unwrap();
    // The watch stays open, and does not take a place.
    let mut events = levels.watch().await.unwrap();
    assert!(events.next().await.unwrap().is_ok());
    for _ in 0..5 {
        levels.list().await.unwrap();
    }
    let known = pace.snapshot();
    assert_eq!(known.len(), 1);
    assert_eq!(
        Some(&*known[0].priority_level_uid),
        listed.priority_level_uid()
    );
    assert_eq!((known[0].started, known[0].in_flight), (6, 0));
}

#[tokio::test]
async fn a_retry_finds_its_place_after_the_pause() {
    let server = ApiServer::start().await.unwrap();
    let pace = Pace::new();
    let client = paced(Client::from_url(server.url()).unwrap(), &pace)
        .with_retry_policy(RetryPolicy::default().with_initial_backoff(Duration::ZERO));
    client.flow_schemas().list().await.unwrap();
    server.inject(Fault::rejected(1));
    client.flow_schemas().list().await.unwrap();
    let level = &pace.snapshot()[0];
    assert_eq!((level.rejected, level.started), (1, 3));
}

/// Takes about four minutes. `benches/README.md` has the same for the embedded server.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a cluster in FLOWCONTROL_TEST_KUBECONFIG, and PACE_PATH, a path whose requests take 50 ms or more"]
async fn a_cluster_serves_fifty_callers_as_with_the_best_limit() {
    for variable in ["FLOWCONTROL_TEST_KUBECONFIG", "PACE_PATH"] {
        assert!(
            std::env::var_os(variable).is_some(),
            "{variable} is not set"
        );
    }
    let world = world::World::start().await.unwrap();
    let load = |greedy| load::Load {
        world: &world,
        greedy,
        small: 5,
        warm_up: Duration::from_secs(10),
        time: Duration::from_secs(20),
    };
    let run = async |greedy, pacer| {
        let outcome = load(greedy).run(pacer, false).await.unwrap();
        let rejected = 100.0 * outcome.rejected_part();
        let (per_second, p99) = (outcome.per_second(), outcome.p99());
        println!(
            "{greedy} greedy clients: {per_second:.1} requests/s, {rejected:.2} % rejected, p99 of small ones {p99:?}"
        );
        (per_second, rejected, p99)
    };
    let (_, _, alone) = run(0, pacer::Pacer::None).await;
    let mut best: f64 = 0.0;
    for limit in [8, 10, 11, 12, 16] {
        best = best.max(run(GREEDY, pacer::Pacer::Fixed(limit)).await.0);
    }
    let (per_second, rejected, p99) = run(GREEDY, pacer::Pacer::Adaptive).await;
    world.end().await.unwrap();
    assert!(per_second >= 0.95 * best, "{per_second} of {best}");
    assert!(rejected < 1.0, "{rejected} %");
    assert!(p99 <= alone.mul_f64(1.5), "{p99:?} beside {alone:?}");
}
