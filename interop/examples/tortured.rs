//! The work of the example `tortured` of the main workspace with kube, written as its documentation suggests.
//!
//! `interop/torture/run` runs it against `kubectl flowcontrol serve --torture`.

use futures_util::StreamExt;
use k8s_openapi::api::flowcontrol::v1::PriorityLevelConfiguration as Level;
use kube::api::{Api, DeleteParams, ListParams, PostParams};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, ResourceExt};
use serde_json::json;
use std::error::Error;
use std::time::Duration;
use tokio::time::sleep;

const SELECTOR: &str = "example.com/tortured=yes";
const LEVELS: usize = 6;
const UPDATES: usize = 2;
const PAUSE: Duration = Duration::from_millis(100);

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let client = Client::try_default().await?;
    let api: Api<Level> = Api::all(client);
    let (store, writer) = reflector::store();
    let config = watcher::Config::default().labels(SELECTOR);
    let stream = watcher(api.clone(), config).default_backoff();
    let follow = stream.reflect(writer).for_each(|_| async {});
    let following = tokio::spawn(follow);

    for number in 0..LEVELS {
        let level: Level = serde_json::from_value(json!({
            "metadata": {"name": format!("tortured-{number}"), "labels": {"example.com/tortured": "yes"}},
            "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
        }))?;
        loop {
            match api.create(&PostParams::default(), &level).await {
                Ok(_) => break,
                Err(kube::Error::Api(status)) if status.code == 409 => break,
                Err(error) => pause(error).await?,
            }
            match api.get_opt(&level.name_any()).await {
                Ok(Some(_)) => break,
                Ok(None) => {}
                Err(error) => pause(error).await?,
            }
        }
    }
    let listed = loop {
        match list(&api).await {
            Ok(listed) => break listed,
            Err(error) => pause(error).await?,
        }
    };
    if listed != LEVELS {
        return Err("a list in pages is not complete".into());
    }
    let writers = ["a", "b", "c"].map(|writer| tokio::spawn(write(api.clone(), writer)));
    for writer in writers {
        writer.await??;
    }
    for number in LEVELS / 2..LEVELS {
        loop {
            let name = format!("tortured-{number}");
            match api.delete(&name, &DeleteParams::default()).await {
                Ok(_) => break,
                Err(kube::Error::Api(status)) if status.code == 404 => break,
                Err(error) => pause(error).await?,
            }
        }
    }
    let truth = loop {
        match api.list(&ListParams::default().labels(SELECTOR)).await {
            Ok(list) => break list.items,
            Err(error) => pause(error).await?,
        }
    };
    if truth.len() != LEVELS / 2 {
        return Err("objects are missing or doubled".into());
    }
    let done = truth.iter().flat_map(|level| level.annotations().values());
    if done.filter(|value| *value == "done").count() != 3 * UPDATES {
        return Err("an update was lost".into());
    }
    let versions = |levels: &mut dyn Iterator<Item = (String, Option<String>)>| {
        let mut versions: Vec<_> = levels.collect();
        versions.sort();
        versions
    };
    let truth = versions(
        &mut truth
            .iter()
            .map(|one| (one.name_any(), one.resource_version())),
    );
    loop {
        let seen = store.state();
        let seen = versions(
            &mut seen
                .iter()
                .map(|one| (one.name_any(), one.resource_version())),
        );
        if seen == truth {
            break;
        }
        sleep(PAUSE).await;
    }
    following.abort();
    println!("done");
    Ok(())
}

async fn list(api: &Api<Level>) -> Result<usize, kube::Error> {
    let mut params = ListParams::default().labels(SELECTOR).limit(2);
    let mut listed = 0;
    loop {
        let page = api.list(&params).await?;
        listed += page.items.len();
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params.continue_token = Some(token),
            None => return Ok(listed),
        }
    }
}

async fn write(api: Api<Level>, writer: &'static str) -> Result<(), Failure> {
    for number in 0..UPDATES {
        loop {
            let written = async {
                let mut level = api.get("tortured-0").await?;
                let key = format!("example.com/{writer}-{number}");
                level.annotations_mut().insert(key, "done".to_owned());
                api.replace("tortured-0", &PostParams::default(), &level)
                    .await
            };
            match written.await {
                Ok(_) => break,
                Err(error) => pause(error).await?,
            }
        }
    }
    Ok(())
}

/// Waits after an error, unless waiting does not help.
async fn pause(error: kube::Error) -> Result<(), Failure> {
    let seconds = match &error {
        kube::Error::Api(status) if [404, 409, 410, 429, 500, 503, 504].contains(&status.code) => {
            status
                .details
                .as_ref()
                .map(|details| details.retry_after_seconds)
        }
        kube::Error::Api(_) => return Err(error.into()),
        _ => None,
    };
    // The error of a rejection by flow control does not have the header Retry-After.
    let seconds = seconds.unwrap_or_default();
    sleep(Duration::from_secs(seconds.into()).max(PAUSE)).await;
    Ok(())
}
