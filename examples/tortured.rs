//! A program that gets its work done on a bad day: on a server or network that breaks, throttles and contradicts itself.
//!
//! It creates priority levels, lists them in pages, updates one side by side, deletes some, and compares a store with the server.
//! `interop/torture/run` runs it, and the same work with other clients, against `kubectl flowcontrol serve --torture`.
//!
//! - The client repeats requests where that is safe. Where it is not, the program looks whether the request took effect.
//! - An expired list starts again, and a conflict reads again.
//! - It waits as long as the server asks for.
//!
//! `cargo run --example tortured` works on the cluster of the kubeconfig.

use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::client::Negotiated;
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{Client, Error, Resource, from_value_strict};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;

const SELECTOR: &str = "example.com/tortured=yes";
const PREFIX: &str = "tortured-";
const PAUSE: Duration = Duration::from_millis(100);

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let client = Client::try_default().await?;
    work(&client, 6, 2).await?;
    println!("done");
    Ok(())
}

/// Does the work with this number of levels, and of updates by each of three writers.
pub(crate) async fn work(client: &Client, levels: usize, updates: usize) -> Result<(), Failure> {
    let api = patiently(|| async { client.negotiated::<Level>().await }).await?;
    let store = Store::start(api.watcher().label_selector(SELECTOR).page_size(5));
    let names: Vec<_> = (0..levels)
        .map(|number| format!("{PREFIX}{number}"))
        .collect();
    for name in &names {
        create(&api, &level(name)?).await?;
    }
    let listed = patiently(|| async {
        let mut pages = api.list().label_selector(SELECTOR).limit(2).pages();
        let mut listed = 0;
        while let Some(page) = pages.next().await {
            listed += page?.items.len();
        }
        Ok(listed)
    });
    check(listed.await? == levels, "a list in pages is not complete")?;

    let writers = ["a", "b", "c"].map(|writer| tokio::spawn(write(api.clone(), writer, updates)));
    for writer in writers {
        writer.await??;
    }
    for name in &names[levels / 2..] {
        patiently(|| async { api.delete_if_exists(name).await.map(drop) }).await?;
    }
    let truth = || async {
        let list = api.list().label_selector(SELECTOR).await?;
        Ok(list.items.iter().map(version).collect::<BTreeMap<_, _>>())
    };
    let truth = patiently(truth).await?;
    check(truth.len() == levels / 2, "objects are missing or doubled")?;
    let first = patiently(|| async { api.get(&format!("{PREFIX}0")).await }).await?;
    let done = first
        .metadata
        .annotations
        .values()
        .filter(|value| *value == "done");
    check(done.count() == 3 * updates, "an update was lost")?;
    agree(&store, &truth).await;
    // A store that starts late sees the same.
    agree(
        &Store::start(api.watcher().label_selector(SELECTOR).page_size(2)),
        &truth,
    )
    .await;
    Ok(())
}

/// Creates an object once. After an unknown outcome it looks.
async fn create(api: &Negotiated<Level>, level: &Level) -> Result<(), Failure> {
    loop {
        match api.create(level).await {
            Ok(_) => return Ok(()),
            Err(error) if error.is_already_exists() => return Ok(()),
            Err(error) => pause(error).await?,
        }
        if patiently(|| async { api.get_opt(level.name()).await })
            .await?
            .is_some()
        {
            return Ok(());
        }
    }
}

/// Sets annotations of an object that others write too.
async fn write(
    api: Negotiated<Level>,
    writer: &'static str,
    updates: usize,
) -> Result<(), Failure> {
    for number in 0..updates {
        let key = format!("example.com/{writer}-{number}");
        patiently(|| async {
            let update = api.update_with(&format!("{PREFIX}0"), |level| {
                level
                    .metadata
                    .annotations
                    .insert(key.clone(), "done".to_owned());
            });
            update.await.map(drop)
        })
        .await?;
    }
    Ok(())
}

/// Tries again after errors that may be over.
async fn patiently<T, F>(mut attempt: impl FnMut() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Error>>,
{
    loop {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) => pause(error).await?,
        }
    }
}

/// Waits after an error, unless waiting does not help.
async fn pause(error: Error) -> Result<(), Failure> {
    // The client repeats what is safe. The rest is safe here: a list begins again, an update reads again. While the servers of a cluster
    // disagree about versions, one of them does not find the objects.
    let may_be_over = error.is_retryable()
        || error.may_have_taken_effect()
        || error.is_expired()
        || error.is_conflict()
        || error.is_not_found();
    if !may_be_over {
        return Err(error.into());
    }
    sleep(error.retry_after().unwrap_or(PAUSE)).await;
    Ok(())
}

/// Waits until a store has these versions.
async fn agree(store: &Store<Level>, truth: &BTreeMap<String, Option<String>>) {
    while !store.is_ready()
        || store
            .snapshot()
            .iter()
            .map(|level| version(level))
            .collect::<BTreeMap<_, _>>()
            != *truth
    {
        sleep(PAUSE).await;
    }
}

fn version(level: &Level) -> (String, Option<String>) {
    (
        level.name().to_owned(),
        level.metadata.resource_version.clone(),
    )
}

fn level(name: &str) -> Result<Level, serde_json::Error> {
    from_value_strict(&json!({
        "metadata": {"name": name, "labels": {"example.com/tortured": "yes"}},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }))
}

fn check(holds: bool, wrong: &str) -> Result<(), Failure> {
    match holds {
        true => Ok(()),
        false => Err(wrong.into()),
    }
}
