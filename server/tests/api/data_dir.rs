//! Servers with a data folder.

use crate::api::support::{Api, LEVELS, level, names, schema};
use k8s_flowcontrol_server::{ApiServer, Builder};
use redb::{Database, TableDefinition};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that does not exist yet, removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("k8s-flowcontrol-data-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub(crate) async fn start(&self, release: &str) -> Api {
        Api::with(|builder| builder.kubernetes(release).data_dir(&self.0)).await
    }

    /// The error of a server that cannot start with this folder.
    async fn error(&self) -> String {
        let started = ApiServer::builder().data_dir(&self.0).start().await;
        started.unwrap_err().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _removed = std::fs::remove_dir_all(&self.0);
    }
}

fn revision(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str().unwrap();
    text.parse().unwrap()
}

#[tokio::test]
async fn objects_survive_and_resource_versions_go_on() {
    let folder = Folder::new();
    let api = folder.start("1.31").await;
    api.send("POST", LEVELS, Some(level("a", 5))).await;
    api.send("POST", LEVELS, Some(level("b", 5))).await;
    api.send("POST", "v1/flowschemas", Some(schema("s"))).await;
    let path = format!("{LEVELS}/a");
    let merge = "application/merge-patch+json";
    let a = api
        .patch(&path, merge, json!({"metadata": {"labels": {"x": "y"}}}))
        .await;
    api.send("DELETE", &format!("{LEVELS}/b"), None).await;
    let (levels, schemas) = (
        api.get(LEVELS).await.body,
        api.get("v1/flowschemas").await.body,
    );
    api.server.stop().await;

    let api = folder.start("1.31").await;
    // Nothing was written by the start, so even the resource version of the lists is the same.
    assert_eq!(api.get(LEVELS).await.body, levels);
    assert_eq!(api.get("v1/flowschemas").await.body, schemas);
    assert_eq!(api.get(&path).await.body, a.body);
    let c = api.send("POST", LEVELS, Some(level("c", 5))).await;
    assert_eq!(revision(&c.body), revision(&levels) + 1);
    api.server.stop().await;
}

#[tokio::test]
async fn older_resource_versions_are_expired() {
    let folder = Folder::new();
    let api = folder.start("1.31").await;
    let before = revision(&api.send("POST", LEVELS, Some(level("a", 5))).await.body);
    let last = revision(&api.send("POST", LEVELS, Some(level("b", 5))).await.body);
    let first_page = api.get(&format!("{LEVELS}?limit=1")).await.body;
    let token = first_page["metadata"]["continue"]
        .as_str()
        .unwrap()
        .to_owned();
    api.server.stop().await;

    let api = folder.start("1.31").await;
    let watch = |from: u64| format!("{LEVELS}?watch=1&resourceVersion={from}&timeoutSeconds=1");
    let expired = api.get(&watch(before)).await;
    assert_eq!(
        expired.body["object"]["reason"], "Expired",
        "{}",
        expired.body
    );
    assert_eq!(api.get(&watch(last)).await.code, 200);
    // The pages go on at the present resource version, which is still that of the first page.
    assert_eq!(
        api.get(&format!("{LEVELS}?limit=1&continue={token}"))
            .await
            .code,
        200
    );
    api.send("POST", LEVELS, Some(level("c", 5))).await;
    api.server.stop().await;

    let api = folder.start("1.31").await;
    assert_eq!(
        api.get(&format!("{LEVELS}?limit=1&continue={token}"))
            .await
            .code,
        410
    );
    api.server.stop().await;
}

#[tokio::test]
async fn a_start_as_another_release_is_an_upgrade() {
    let (folder, live) = (
        Folder::new(),
        Api::with(|builder| builder.kubernetes("1.28")).await,
    );
    let api = folder.start("1.28").await;
    let level = |shares| {
        let mut level = level("old", shares);
        level["apiVersion"] = "flowcontrol.apiserver.k8s.io/v1beta3".into();
        level
    };
    let old_path = "v1beta3/prioritylevelconfigurations";
    for api in [&api, &live] {
        let created = api.send("POST", old_path, Some(level(7))).await;
        assert_eq!(created.code, 201, "{}", created.body);
    }
    api.server.stop().await;
    let api = folder.start("1.32").await;
    live.server.upgrade("1.32").await.unwrap();
    let levels = |list: Value| -> Vec<_> {
        let items = list["items"].as_array().unwrap();
        items
            .iter()
            .map(|item| (item["metadata"]["name"].clone(), item["spec"].clone()))
            .collect()
    };
    assert_eq!(
        levels(api.get(LEVELS).await.body),
        levels(live.get(LEVELS).await.body)
    );
    // An upgraded server keeps what it writes.
    api.server.upgrade("1.33").await.unwrap();
    api.send("POST", LEVELS, Some(crate::api::support::level("new", 5)))
        .await;
    let before = api.get(LEVELS).await.body;
    api.server.stop().await;
    let api = folder.start("1.33").await;
    assert_eq!(api.get(LEVELS).await.body, before);
    api.server.stop().await;
}

#[tokio::test]
async fn initial_objects_are_created_once() {
    let folder = Folder::new();
    let configure = |builder: Builder| builder.data_dir(&folder.0).objects([level("first", 5)]);
    let api = Api::with(configure).await;
    api.send("DELETE", &format!("{LEVELS}/first"), None).await;
    api.server.stop().await;
    let api = Api::with(configure).await;
    assert!(!names(&api.get(LEVELS).await.body).contains(&"first".to_owned()));
    api.server.stop().await;
}

#[tokio::test]
async fn folders_that_cannot_be_used() {
    let folder = Folder::new();
    let api = folder.start("1.31").await;
    let error = folder.error().await;
    assert!(error.contains("another server uses it"), "{error}");
    assert!(error.contains(folder.0.to_str().unwrap()), "{error}");
    api.server.stop().await;

    let numbers: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
    let database = Database::open(folder.0.join("objects.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction
        .open_table(numbers)
        .unwrap()
        .insert("format", 2)
        .unwrap();
    transaction.commit().unwrap();
    drop(database);
    let error = folder.error().await;
    assert!(
        error.contains("a newer version of this program has written it (format 2)"),
        "{error}"
    );

    let file = folder.0.join("objects.redb");
    let whole = std::fs::read(&file).unwrap();
    for length in [1, 40, 4096, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&file, &whole[..length]).unwrap();
        let error = folder.error().await;
        assert!(error.contains("data folder"), "{length}: {error}");
    }
    assert!(
        folder
            .error()
            .await
            .contains("objects.redb is damaged; restore it")
    );
    let mut flipped = whole.clone();
    for byte in &mut flipped[4096..] {
        *byte ^= 0x55;
    }
    std::fs::write(&file, &flipped).unwrap();
    assert!(folder.error().await.contains("data folder"));

    std::fs::write(&file, "no database").unwrap();
    let error = folder.error().await;
    assert!(
        error.contains("the API server cannot start: data folder"),
        "{error}"
    );
    std::fs::remove_dir_all(&folder.0).unwrap();
    std::fs::write(&folder.0, "a file").unwrap();
    assert!(folder.error().await.contains("data folder"));
    std::fs::remove_file(&folder.0).unwrap();
}

/// A bit that changed on the disk is an error, or it changes nothing: no object comes back as another one.
#[tokio::test]
async fn a_flipped_bit_changes_no_object() {
    let flips = match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 150,
        None => 15,
    };
    let folder = Folder::new();
    let api = folder.start("1.31").await;
    for number in 0..20 {
        let created = api
            .send("POST", LEVELS, Some(level(&format!("level-{number}"), 5)))
            .await;
        assert_eq!(created.code, 201);
    }
    let all = |list: Value| -> Vec<Value> { list["items"].as_array().unwrap().clone() };
    let before = all(api.get(LEVELS).await.body);
    api.server.stop().await;
    let file = folder.0.join("objects.redb");
    let whole = std::fs::read(&file).unwrap();
    // Most of the file is unused.
    let used: Vec<_> = (0..whole.len()).filter(|at| whole[*at] != 0).collect();
    let (mut started, mut rejected) = (0, 0);
    for (turn, at) in used.iter().step_by(used.len() / flips).enumerate() {
        let mut flipped = whole.clone();
        flipped[*at] ^= 1 << (turn % 8);
        std::fs::write(&file, &flipped).unwrap();
        let builder = ApiServer::builder().kubernetes("1.31").data_dir(&folder.0);
        match builder.start().await {
            Ok(server) => {
                let api = Api::of(server);
                assert_eq!(
                    all(api.get(LEVELS).await.body),
                    before,
                    "bit {turn} of byte {at}"
                );
                api.server.stop().await;
                started += 1;
            }
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("data folder"), "byte {at}: {error}");
                rejected += 1;
            }
        }
    }
    assert!(started > 0 && rejected > 0, "{started} {rejected}");
}
