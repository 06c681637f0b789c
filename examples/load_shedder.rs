//! Gives up optional work while a server rejects requests, so that the necessary requests get the seats.
//!
//! `cargo run --example load_shedder` runs on an embedded server that rejects some requests.

mod support;

use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use support::Outcome;

/// How much the last responses tell about the server: each rejection adds, each success takes away.
#[derive(Clone, Debug, Default)]
struct Pressure(Arc<AtomicU32>);

impl Pressure {
    /// The same client, which reports every attempt here.
    fn observe(&self, client: Client) -> Client {
        let pressure = self.0.clone();
        client.on_request(move |attempt| {
            let update = |now: u32| match attempt.code() {
                Some(429 | 503) | None => now.saturating_add(4).min(12),
                _ => now.saturating_sub(1),
            };
            let _ = pressure.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| {
                Some(update(now))
            });
        })
    }

    fn is_high(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 4
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let server = ApiServer::start().await?;
    let pressure = Pressure::default();
    let client = pressure.observe(Client::from_url(server.url())?);
    let levels = client.priority_level_configurations();
    let schemas = client.flow_schemas();
    server.inject(
        Fault::rejected(0)
            .times(2)
            .on_path("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/exempt"),
    );

    let (mut done, mut shed) = (0, 0);
    for round in 1..=10 {
        // Necessary: the client repeats it.
        levels.get("exempt").await?;
        // Optional: at most one attempt, and none under pressure.
        if pressure.is_high() {
            shed += 1;
            println!("round {round}: shed");
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        }
        let report = schemas.list().limit(5).retry_policy(RetryPolicy::none());
        match report.await {
            Ok(_) => done += 1,
            Err(error) if error.is_too_many_requests() => shed += 1,
            Err(error) => return Err(error.into()),
        }
    }
    println!("optional work: {done} done, {shed} shed");
    Ok(())
}
