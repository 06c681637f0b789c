//! `serve --data-dir`: servers that are killed, and servers whose disk is full.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

#[allow(dead_code, reason = "each test file uses its part")]
mod common;

use common::{Folder, Served, code, run, stderr};
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Error, Resource};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// The resource versions of the last answered writes; `None` for a deletion.
type Answered = Arc<Mutex<BTreeMap<String, Option<u64>>>>;

fn client(served: &Served) -> Client {
    let config = Config::new(&served.url).unwrap();
    Client::new(config.with_retry_policy(RetryPolicy::none())).unwrap()
}

fn level(name: &str) -> PriorityLevelConfiguration {
    serde_json::from_value(json!({
        "metadata": {"name": name},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }))
    .unwrap()
}

fn revision(level: &PriorityLevelConfiguration) -> u64 {
    level
        .metadata
        .resource_version
        .as_ref()
        .unwrap()
        .parse()
        .unwrap()
}

/// Creates, changes and deletes levels until the server is gone. Adds a permit for each answer.
async fn write_until_killed(
    client: Client,
    prefix: String,
    answered: Answered,
    done: Arc<Semaphore>,
) {
    let levels = client.priority_level_configurations();
    let note = |name: &str, revision| {
        answered.lock().unwrap().insert(name.to_owned(), revision);
        done.add_permits(1);
    };
    let mut next = 0;
    // A write without an answer may have been carried out; its name is not used again.
    let _gone: Result<(), Error> = async {
        loop {
            let name = format!("{prefix}-{next}");
            next += 1;
            note(&name, Some(revision(&levels.create(&level(&name)).await?)));
            answered.lock().unwrap().remove(&name);
            let shares = json!({"spec": {"limited": {"nominalConcurrencyShares": 5}}});
            note(
                &name,
                Some(revision(&levels.patch(&name).merge(&shares).await?)),
            );
            if next % 3 == 0 {
                answered.lock().unwrap().remove(&name);
                levels.delete(&name).await?;
                note(&name, None);
            }
        }
    }
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_no_answered_write() {
    const ROUNDS: usize = 3;
    const WRITERS: usize = 4;
    const ANSWERS: u32 = 60;
    let folder = Folder::new();
    let data = folder.path("data");
    let answered = Answered::default();
    let mut highest = 0;
    for round in 0..=ROUNDS {
        let mut served = Served::start(&["--data-dir", &data]);
        let levels = client(&served).priority_level_configurations();
        let list = levels.list().await.unwrap();
        let found: BTreeMap<_, _> = list
            .items
            .iter()
            .map(|level| (level.name(), revision(level)))
            .collect();
        for (name, expected) in answered.lock().unwrap().iter() {
            assert_eq!(
                found.get(name.as_str()),
                expected.as_ref(),
                "{name} in round {round}"
            );
        }
        let start: u64 = list.metadata.resource_version.unwrap().parse().unwrap();
        assert!(start >= highest, "{start} < {highest} in round {round}");
        if round == ROUNDS {
            break;
        }
        let done = Arc::new(Semaphore::new(0));
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let prefix = format!("w-{round}-{writer}");
                let (answered, done) = (answered.clone(), done.clone());
                tokio::spawn(write_until_killed(client(&served), prefix, answered, done))
            })
            .collect();
        done.acquire_many(ANSWERS).await.unwrap().forget();
        // SIGKILL.
        served.child.kill().unwrap();
        for writer in writers {
            writer.await.unwrap();
        }
        let answered = answered.lock().unwrap();
        let last = answered.values().flatten().max().copied().unwrap();
        assert!(
            last > start,
            "{last} in round {round}, which started at {start}"
        );
        highest = last.max(highest);
    }
}

#[tokio::test]
async fn a_full_disk_fails_writes_and_loses_nothing() {
    let folder = Folder::new();
    let data = folder.path("data");
    // A limit of the size of files stands for the size of the disk.
    let limited = Served::start_limited(&["--data-dir", &data], 8 * 1024);
    let levels = client(&limited).priority_level_configurations();
    let mut stored = Vec::new();
    let failed = loop {
        let mut level = level(&format!("level-{}", stored.len()));
        level
            .metadata
            .annotations
            .insert("big".to_owned(), "x".repeat(200 * 1024));
        match levels.create(&level).await {
            Ok(level) => stored.push(level),
            Err(error) => {
                assert_eq!(error.code(), Some(500), "{error}");
                assert!(error.to_string().contains("data folder"), "{error}");
                break level;
            }
        }
    };
    assert!(!stored.is_empty());
    assert!(levels.get_opt(failed.name()).await.unwrap().is_none());
    let list = levels.list().await.unwrap();
    let last = stored.last().unwrap().metadata.resource_version.clone();
    assert_eq!(list.metadata.resource_version, last);

    // When there is room again, the same server writes again.
    let lifted = std::process::Command::new("prlimit")
        .args(["--fsize=unlimited:", "--pid", &limited.id().to_string()])
        .status();
    if lifted.is_ok_and(|status| status.success()) {
        stored.push(levels.create(&failed).await.unwrap());
        client(&limited).get_raw("/readyz").await.unwrap();
    }
    drop(limited);

    let served = Served::start(&["--data-dir", &data]);
    let levels = client(&served).priority_level_configurations();
    for level in stored {
        assert_eq!(levels.get(level.name()).await.unwrap(), level);
    }
    assert!(levels.get_opt("level-0").await.unwrap().is_some());
}

#[test]
fn one_folder_serves_one_server() {
    let folder = Folder::new();
    let data = folder.path("data");
    let _served = Served::start(&["--data-dir", &data]);
    let second = run(&["serve", "--data-dir", &data]);
    assert_eq!(code(&second), 3);
    assert!(
        stderr(&second).contains("another server uses it"),
        "{}",
        stderr(&second)
    );
}
