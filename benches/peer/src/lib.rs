//! The peer's side of the comparison: kube and k8s-openapi.

use bench_data::{Meter, Outcome, decode, encode, list, report_events, report_store};
use futures_util::{StreamExt, TryStreamExt};
use k8s_openapi::List;
use k8s_openapi::api::flowcontrol::v1::FlowSchema;
use kube::api::WatchParams;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Config};
use std::hint::black_box;

/// Does the work that the arguments of the program name.
///
/// # Errors
/// For other arguments, and for work that fails.
pub async fn run() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["decode", count, rounds] => decode(count.parse()?, rounds.parse()?, |text| {
            serde_json::from_slice::<List<FlowSchema>>(text.as_bytes())
        }),
        ["encode", count, rounds] => {
            let list: List<FlowSchema> = serde_json::from_str(&list(count.parse()?))?;
            encode(&list, rounds.parse()?, serde_json::to_vec)
        }
        ["watch", url, count] => watch(url, count.parse()?).await,
        ["store", url, count] => store(url, count.parse()?, false).await,
        ["store-projected", url, count] => store(url, count.parse()?, true).await,
        _ => Err(
            "usage: decode COUNT ROUNDS | encode COUNT ROUNDS | watch URL|kubeconfig COUNT | store URL COUNT | store-projected URL COUNT"
                .into(),
        ),
    }
}

async fn watch(url: &str, count: usize) -> Outcome {
    let client = match url {
        // Over TLS, where this client has HTTP/1.1 alone.
        "kubeconfig" => Client::try_default().await?,
        url => Client::try_from(Config::new(url.parse()?))?,
    };
    let api: Api<FlowSchema> = Api::all(client);
    let meter = Meter::start();
    let mut events = api.watch(&WatchParams::default(), "0").await?.boxed();
    for _ in 0..count {
        black_box(events.try_next().await?.ok_or("the watch ended early")?);
    }
    report_events(&meter, count);
    Ok(())
}

async fn store(url: &str, count: usize, projected: bool) -> Outcome {
    let api: Api<FlowSchema> = Api::all(Client::try_from(Config::new(url.parse()?))?);
    let (reader, writer) = reflector::store();
    let meter = Meter::start();
    let changes = watcher(api, watcher::Config::default())
        // Without it the task spins when the runtime ends.
        .default_backoff()
        .modify(move |schema| {
            if projected {
                schema.metadata.managed_fields = None;
                schema.metadata.annotations = None;
                schema.status = None;
            }
        })
        .reflect(writer)
        .applied_objects();
    tokio::spawn(changes.for_each(|object| async move { drop(black_box(object)) }));
    reader.wait_until_ready().await?;
    report_store(&meter);
    assert_eq!(reader.len(), count);
    Ok(())
}
