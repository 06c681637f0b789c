//! The invariants of a server's objects after any requests.

use crate::random::wire::{Request, send};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const RESOURCES: [&str; 2] = ["flowschemas", "prioritylevelconfigurations"];
const VERSIONS: [&str; 4] = ["v1", "v1beta3", "v1beta2", "v1beta1"];

async fn get(port: u16, version: &str, rest: &str) -> String {
    let path = format!("/apis/flowcontrol.apiserver.k8s.io/{version}/{rest}");
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let request = Request {
        head: head.into_bytes(),
        body: Vec::new(),
        is_watch: false,
    };
    let answer = send(port, &request).await.unwrap();
    assert_eq!(answer.code, 200, "{path}: {}", answer.body);
    answer.body
}

async fn list(port: u16, version: &str, resource: &str) -> Value {
    serde_json::from_str(&get(port, version, resource).await).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

/// The present revision of the store.
pub(crate) async fn revision(port: u16) -> u64 {
    number(&list(port, "v1", RESOURCES[0]).await["metadata"]["resourceVersion"])
}

/// Checks all invariants, with the changes since `start`.
pub(crate) async fn check(port: u16, start: u64) {
    let mut versions_of_objects = BTreeSet::new();
    for resource in RESOURCES {
        let newest = list(port, "v1", resource).await;
        let revision = number(&newest["metadata"]["resourceVersion"]);
        let objects = by_name(&newest);
        for (name, object) in &objects {
            let own = number(&object["metadata"]["resourceVersion"]);
            assert!(
                own <= revision,
                "{name} is of {own}, the list of {revision}"
            );
            assert!(
                versions_of_objects.insert(own),
                "{name}: {own} stands twice"
            );
        }
        for version in VERSIONS {
            let same = by_name(&list(port, version, resource).await);
            let identities = |objects: &BTreeMap<String, Value>| -> Vec<_> {
                objects
                    .iter()
                    .map(|(name, o)| (name.clone(), identity(o)))
                    .collect()
            };
            assert_eq!(
                identities(&same),
                identities(&objects),
                "{version} {resource}"
            );
        }
        replay(port, resource, start, &objects).await;
    }
}

fn identity(object: &Value) -> [String; 3] {
    ["uid", "resourceVersion", "generation"].map(|field| object["metadata"][field].to_string())
}

fn by_name(list: &Value) -> BTreeMap<String, Value> {
    let items = list["items"].as_array().unwrap().iter();
    let named = items.map(|item| {
        (
            item["metadata"]["name"].as_str().unwrap().to_owned(),
            item.clone(),
        )
    });
    named.collect()
}

/// Replays the watch of all changes, which leads to the present objects.
async fn replay(port: u16, resource: &str, start: u64, objects: &BTreeMap<String, Value>) {
    let now = format!("{resource}?resourceVersion={start}&resourceVersionMatch=Exact");
    let then = get(port, "v1", &now).await;
    let mut state = by_name(&serde_json::from_str(&then).unwrap());
    let watch = format!("{resource}?watch=true&resourceVersion={start}&timeoutSeconds=1");
    let mut last = start;
    for line in events(&get(port, "v1", &watch).await) {
        let object = &line["object"];
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let revision = number(&object["metadata"]["resourceVersion"]);
        assert!(revision > last, "{name}: {revision} comes after {last}");
        last = revision;
        let uid = |object: &Value| object["metadata"]["uid"].clone();
        let known = state.get(&name).map(uid);
        match line["type"].as_str().unwrap() {
            "ADDED" => {
                assert_eq!(known, None, "{name} was there");
                state.insert(name, object.clone());
            }
            "MODIFIED" => {
                assert_eq!(known, Some(uid(object)), "{name} is another");
                state.insert(name, object.clone());
            }
            "DELETED" => {
                assert_eq!(known, Some(uid(object)), "{name} is another");
                state.remove(&name);
            }
            other => panic!("{other}"),
        }
    }
    let typeless = |object: &Value| {
        let mut object = object.clone();
        for field in ["apiVersion", "kind"] {
            object.as_object_mut().unwrap().remove(field);
        }
        object
    };
    for state in state.values_mut() {
        *state = typeless(state);
    }
    let objects: BTreeMap<_, _> = objects
        .iter()
        .map(|(n, o)| (n.clone(), typeless(o)))
        .collect();
    assert_eq!(state, objects, "{resource}");
}

/// The lines of a stream that came in chunks.
fn events(body: &str) -> Vec<Value> {
    let lines = body.split("\r\n").flat_map(|piece| piece.split('\n'));
    let whole = lines.filter(|line| line.starts_with('{'));
    whole
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
