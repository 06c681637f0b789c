//! The fake of kube: a client that stores objects in its own process, without HTTP and without watches.

use bench_data::{Meter, report, report_starts};
use k8s_openapi::api::flowcontrol::v1::PriorityLevelConfiguration;
use kube::{Api, Client};
use kube_fake_client::ClientBuilder;
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use tokio::task::JoinSet;

/// The number of concurrent clients, as beside it.
const CLIENTS: usize = 8;

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Outcome = Result<(), Failure>;

#[tokio::main]
async fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["starts", count] => starts(count.parse()?).await,
        ["requests", count] => requests(count.parse()?).await,
        _ => Err("usage: bench-fake starts COUNT | requests COUNT".into()),
    }
}

async fn start() -> Result<Client, Failure> {
    let level: PriorityLevelConfiguration = serde_json::from_value(json!({
        "metadata": {"name": "workload-low"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 100, "lendablePercent": 90,
            "limitResponse": {"type": "Queue", "queuing": {"queues": 128, "handSize": 6, "queueLengthLimit": 50}},
        }},
    }))?;
    Ok(ClientBuilder::new().with_object(level).build().await?)
}

async fn starts(count: usize) -> Outcome {
    let mut times = Vec::new();
    let meter = Meter::start();
    for _ in 0..count {
        let begin = Instant::now();
        let levels = Api::<PriorityLevelConfiguration>::all(start().await?);
        black_box(levels.get("workload-low").await?);
        times.push(begin.elapsed());
    }
    report_starts(times, &meter);
    Ok(())
}

async fn requests(count: usize) -> Outcome {
    let client = start().await?;
    let mut tasks = JoinSet::new();
    let meter = Meter::start();
    for _ in 0..CLIENTS {
        let levels = Api::<PriorityLevelConfiguration>::all(client.clone());
        tasks.spawn(async move {
            for _ in 0..count / CLIENTS {
                black_box(levels.get("workload-low").await?);
            }
            Ok::<_, Failure>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    let (wall, cpu) = meter.stop();
    report(&[
        ("requests/s", count as f64 / wall.as_secs_f64()),
        ("per cpu second", count as f64 / cpu.as_secs_f64()),
    ]);
    Ok(())
}
