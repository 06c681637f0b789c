//! Random requests, valid and invalid: the server responds to each, and its objects stay consistent.
//!
//! A failure prints the seed; `FLOWCONTROL_SEED` runs the same requests again and
//! `FLOWCONTROL_REQUESTS` more or fewer of them. Requests run at the same time, so their order may differ.

mod bodies;
mod consistency;
pub(crate) mod generator;
mod requests;
mod wire;

use generator::Generator;
use k8s_flowcontrol_server::ApiServer;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;

const REQUESTS: u64 = 1500;
const AT_ONCE: u64 = 8;
const RELEASES: [&str; 5] = ["1.25", "1.27", "1.29", "1.31", "1.36"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_gets_a_response_and_the_store_stays_consistent() {
    let number = |name: &str| Some(std::env::var(name).ok()?.parse::<u64>().unwrap());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = number("FLOWCONTROL_SEED").unwrap_or(now.as_nanos() as u64);
    let requests = number("FLOWCONTROL_REQUESTS").unwrap_or(REQUESTS);
    let release = RELEASES[(seed % RELEASES.len() as u64) as usize];
    println!("FLOWCONTROL_SEED={seed} with Kubernetes {release}");

    let server = ApiServer::builder()
        .kubernetes(release)
        .all_versions()
        .bootstrap_interval(Duration::from_secs(3600));
    let server = server.start().await.unwrap();
    let start = consistency::revision(server.port()).await;
    let mut clients = JoinSet::new();
    for client in 0..AT_ONCE {
        let port = server.port();
        clients.spawn(async move {
            let mut generator = Generator::new(seed ^ client.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut codes = BTreeMap::<u16, u64>::new();
            for index in 0..requests / AT_ONCE {
                let request = requests::random(&mut generator);
                let answer = wire::send(port, &request).await;
                let answer = answer.unwrap_or_else(|error| {
                    panic!(
                        "client {client}, request {index}: {error}\n{}",
                        request.shown()
                    )
                });
                if let Err(why) = answer.check() {
                    panic!(
                        "client {client}, request {index}: {why}\n{}",
                        request.shown()
                    );
                }
                *codes.entry(answer.code).or_default() += 1;
            }
            codes
        });
    }
    let mut codes = BTreeMap::<u16, u64>::new();
    while let Some(finished) = clients.join_next().await {
        for (code, count) in finished.unwrap() {
            *codes.entry(code).or_default() += count;
        }
    }
    println!("{codes:?}");
    // Enough requests must succeed.
    for expected in [200, 201, 400, 404, 405, 409, 415, 422] {
        assert!(
            codes.contains_key(&expected) || requests < REQUESTS,
            "no {expected}: {codes:?}"
        );
    }
    consistency::check(server.port(), start).await;
    server.stop().await;
}
