//! Our side of the comparison.

use bench_data::{Meter, list, report, resident};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::watch::{Store, Watcher};
use k8s_flowcontrol::{Client, List, Resource, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;

/// The outcome of work.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Does the work that the arguments of the program name.
///
/// # Errors
/// For other arguments, and for work that fails.
pub async fn run() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["decode", count, rounds] => decode(count.parse()?, rounds.parse()?),
        ["encode", count, rounds] => encode(count.parse()?, rounds.parse()?),
        ["serde-decode", count, rounds] => serde_decode(count.parse()?, rounds.parse()?),
        ["serde-encode", count, rounds] => serde_encode(count.parse()?, rounds.parse()?),
        ["watch", url, count] => watch(url, count.parse()?).await,
        ["store", url, count] => store(url, count.parse()?, Part::Whole).await,
        ["store-projected", url, count] => store(url, count.parse()?, Part::Projected).await,
        ["store-metadata", url, count] => store(url, count.parse()?, Part::Metadata).await,
        _ => Err("usage: decode COUNT ROUNDS | encode COUNT ROUNDS | serde-decode COUNT ROUNDS | serde-encode COUNT ROUNDS | watch URL|kubeconfig COUNT | store URL COUNT | store-projected URL COUNT | store-metadata URL COUNT".into()),
    }
}

fn decode(count: usize, rounds: usize) -> Outcome {
    let text = list(count);
    black_box(json::from_str::<List<FlowSchema>>(&text)?);
    let meter = Meter::start();
    for _ in 0..rounds {
        black_box(json::from_str::<List<FlowSchema>>(black_box(&text))?);
    }
    throughput(&meter, text.len() * rounds);
    Ok(())
}

fn encode(count: usize, rounds: usize) -> Outcome {
    let list: List<FlowSchema> = json::from_str(&list(count))?;
    let length = black_box(json::to_vec(&list)).len();
    let meter = Meter::start();
    for _ in 0..rounds {
        black_box(json::to_vec(black_box(&list)));
    }
    throughput(&meter, length * rounds);
    Ok(())
}

/// The same through serde_json, as programs that nest our types in theirs do it.
fn serde_decode(count: usize, rounds: usize) -> Outcome {
    let text = list(count).into_bytes();
    black_box(serde_json::from_slice::<List<FlowSchema>>(&text)?);
    let meter = Meter::start();
    for _ in 0..rounds {
        black_box(serde_json::from_slice::<List<FlowSchema>>(black_box(
            &text,
        ))?);
    }
    throughput(&meter, text.len() * rounds);
    Ok(())
}

fn serde_encode(count: usize, rounds: usize) -> Outcome {
    let list: List<FlowSchema> = serde_json::from_str(&list(count))?;
    let length = black_box(serde_json::to_vec(&list)?).len();
    let meter = Meter::start();
    for _ in 0..rounds {
        black_box(serde_json::to_vec(black_box(&list))?);
    }
    throughput(&meter, length * rounds);
    Ok(())
}

async fn watch(url: &str, count: usize) -> Outcome {
    let client = match url {
        // Over TLS and HTTP/2.
        "kubeconfig" => Client::try_default().await?,
        url => Client::from_url(url)?,
    };
    let schemas = client.flow_schemas();
    let meter = Meter::start();
    let mut events = schemas.watch().resource_version("0").await?;
    for _ in 0..count {
        black_box(events.next().await.ok_or("the watch ended early")??);
    }
    let (wall, cpu) = meter.stop();
    report(&[
        ("events/s", count as f64 / wall.as_secs_f64()),
        ("cpu µs per event", cpu.as_secs_f64() * 1e6 / count as f64),
    ]);
    Ok(())
}

/// The objects, or only what a program needs of them.
async fn store(url: &str, count: usize, part: Part) -> Outcome {
    let schemas = Client::from_url(url)?.flow_schemas();
    match part {
        Part::Whole => ready(schemas.watcher(), count).await,
        Part::Projected => {
            let watcher = schemas.watcher().drop_managed_fields().modify(|schema| {
                schema.metadata.annotations = BTreeMap::new();
                schema.status = None;
            });
            ready(watcher, count).await
        }
        Part::Metadata => ready(schemas.metadata().watcher(), count).await,
    }
}

enum Part {
    Whole,
    Projected,
    Metadata,
}

async fn ready<K: Resource>(watcher: Watcher<K>, count: usize) -> Outcome {
    let meter = Meter::start();
    let store = Store::start(watcher);
    store.wait_ready().await?;
    let (wall, cpu) = meter.stop();
    assert_eq!(store.len(), count);
    report(&[
        ("ready seconds", wall.as_secs_f64()),
        ("cpu seconds", cpu.as_secs_f64()),
        ("resident bytes", resident() as f64),
    ]);
    Ok(())
}

fn throughput(meter: &Meter, bytes: usize) {
    let (wall, cpu) = meter.stop();
    report(&[
        ("MB/s", bytes as f64 / 1e6 / wall.as_secs_f64()),
        ("MB per cpu second", bytes as f64 / 1e6 / cpu.as_secs_f64()),
    ]);
}
