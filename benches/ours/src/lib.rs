//! Our side of the comparison.

use bench_data::{Meter, Outcome, decode, encode, list, report_events, report_store};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::watch::{Store, Watcher};
use k8s_flowcontrol::{Client, List, Resource, json};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::hint::black_box;

type Schemas = List<FlowSchema>;

/// Does the work that the arguments of the program name.
///
/// # Errors
/// For other arguments, and for work that fails.
pub async fn run() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["decode", count, rounds] => {
            decode(count.parse()?, rounds.parse()?, json::from_str::<Schemas>)
        }
        ["encode", count, rounds] => {
            let list: Schemas = json::from_str(&list(count.parse()?))?;
            encode(&list, rounds.parse()?, |list| {
                Ok::<_, Infallible>(json::to_vec(list))
            })
        }
        // The same through serde_json, as programs that nest our types in theirs do it.
        ["serde-decode", count, rounds] => decode(count.parse()?, rounds.parse()?, |text| {
            serde_json::from_slice::<Schemas>(text.as_bytes())
        }),
        ["serde-encode", count, rounds] => {
            let list: Schemas = serde_json::from_str(&list(count.parse()?))?;
            encode(&list, rounds.parse()?, serde_json::to_vec)
        }
        ["watch", url, count] => watch(url, count.parse()?).await,
        ["store", url, count] => store(url, count.parse()?, Part::Whole).await,
        ["store-projected", url, count] => store(url, count.parse()?, Part::Projected).await,
        ["store-metadata", url, count] => store(url, count.parse()?, Part::Metadata).await,
        _ => Err("usage: decode COUNT ROUNDS | encode COUNT ROUNDS | serde-decode COUNT ROUNDS | serde-encode COUNT ROUNDS | watch URL|kubeconfig COUNT | store URL COUNT | store-projected URL COUNT | store-metadata URL COUNT".into()),
    }
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
    report_events(&meter, count);
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
    report_store(&meter);
    assert_eq!(store.len(), count);
    Ok(())
}
