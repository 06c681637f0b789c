//! Exports the seats of each priority level, from a store, and the requests of this program, as metrics in Prometheus' text format.
//!
//! `cargo run --example exporter`; set `KUBECONFIG` to use a cluster.

mod support;

use k8s_flowcontrol::Release;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol::rules::limits::ServerLimits;
use k8s_flowcontrol::watch::Store;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use support::{Outcome, connect};

/// The seats of the server: `--max-requests-inflight` and `--max-mutating-requests-inflight` together.
const SEATS: u32 = 600;

/// The attempts by verb, resource and status code.
type Attempts = Arc<Mutex<BTreeMap<(String, String, u16), u64>>>;

#[tokio::main]
async fn main() -> Outcome {
    let (client, _server) = connect().await?;
    let attempts = Attempts::default();
    let counted = attempts.clone();
    let client = client.on_request(move |attempt| {
        let code = attempt.code().unwrap_or_default();
        let key = (
            attempt.verb().to_owned(),
            attempt.resource().to_owned(),
            code,
        );
        if let Ok(mut attempts) = counted.lock() {
            *attempts.entry(key).or_default() += 1;
        }
    });
    let levels = Store::start(client.priority_level_configurations().watcher());
    levels.wait_ready().await?;
    // A server of HTTP calls this for each scrape: a store is read without a request.
    let release = client.release().await?;
    print!("{}", page(&levels, &attempts, release));
    if let Some(left) = client.retry_budget_left() {
        println!("flowcontrol_client_retry_budget {left}");
    }
    Ok(())
}

fn page(
    levels: &Store<PriorityLevelConfiguration>,
    attempts: &Attempts,
    release: Release,
) -> String {
    let mut text = String::new();
    let snapshot = levels.snapshot();
    let limits = ServerLimits::new(snapshot.iter().map(|level| &**level), SEATS, release);
    for level in limits.levels() {
        let (name, seats) = (&level.name, level.nominal);
        // Writing to a string does not fail.
        let _ = writeln!(text, "flowcontrol_nominal_seats{{level={name:?}}} {seats}");
    }
    let stale = u8::from(levels.last_error().is_some());
    let _ = writeln!(text, "flowcontrol_store_stale {stale}");
    if let Ok(attempts) = attempts.lock() {
        for ((verb, resource, code), count) in &*attempts {
            let labels = format!("verb={verb:?},resource={resource:?},code=\"{code}\"");
            let _ = writeln!(
                text,
                "flowcontrol_client_attempts_total{{{labels}}} {count}"
            );
        }
    }
    text
}
