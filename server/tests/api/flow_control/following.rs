//! The flow control in force follows the objects: after any writes it equals the flow control of a server that starts with these objects.

use crate::api::support::{Api, LEVELS, SCHEMAS, level, schema};
use crate::random::generator::Generator;
use k8s_flowcontrol_analysis::dumps::parse_queues;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const TOKENS: &str = "admin,admin,1,system:masters\nu0,u0,2,kubeadm:cluster-admins\nu1,u1,3,kubeadm:cluster-admins\nu2,u2,4\n";
const USERS: [&str; 3] = ["u0", "u1", "u2"];
const PATHS: [&str; 2] = [
    "/version",
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
];

fn tries_all() -> bool {
    std::env::var_os("FLOWCONTROL_TEST_ALL").is_some()
}

/// What clients see of flow control: the flow schema and level of requests, and the number of queues of each level.
#[derive(Debug)]
struct InForce {
    taken: Vec<[String; 2]>,
    queues: BTreeMap<String, usize>,
}

impl InForce {
    /// Whether it is that of a new server. A level with fewer queues than before loses the others only when they were used.
    fn is_that_of(&self, new: &Self) -> bool {
        self.taken == new.taken
            && self.queues.keys().eq(new.queues.keys())
            && self
                .queues
                .values()
                .zip(new.queues.values())
                .all(|(queues, new)| queues >= new)
    }
}

async fn send(api: &Api, method: &str, path: &str, body: Option<&Value>) -> u16 {
    let path = format!("/apis/flowcontrol.apiserver.k8s.io/{path}");
    let mut request = api.request(method, &path);
    if let Some(body) = body {
        request = request.json(body);
    }
    let request = request.header("authorization", "Bearer admin");
    request.send().await.code()
}

async fn text(api: &Api, path: &str) -> String {
    let request = api.request("GET", path);
    let request = request.header("authorization", "Bearer admin");
    request.send().await.text().await
}

async fn items(api: &Api, path: &str) -> Vec<Value> {
    let path = format!("/apis/flowcontrol.apiserver.k8s.io/{path}");
    let list: Value = serde_json::from_str(&text(api, &path).await).unwrap();
    list["items"].as_array().unwrap().clone()
}

async fn in_force(api: &Api, throttles: bool) -> InForce {
    let mut taken = Vec::new();
    let [schemas, levels] = [items(api, SCHEMAS).await, items(api, LEVELS).await];
    for user in USERS {
        for path in PATHS {
            let request = api.request("GET", path);
            let request = request.header("authorization", &format!("Bearer {user}"));
            let response = request.send().await;
            let name = |header: &str, objects: &[Value]| {
                let uid = response.headers()[header].to_str().unwrap();
                let found = objects
                    .iter()
                    .find(|object| object["metadata"]["uid"] == uid);
                found.map_or_else(String::new, |object| object["metadata"]["name"].to_string())
            };
            taken.push([
                name("x-kubernetes-pf-flowschema-uid", &schemas),
                name("x-kubernetes-pf-prioritylevel-uid", &levels),
            ]);
        }
    }
    let mut queues = BTreeMap::new();
    if throttles {
        let dump = text(api, "/debug/api_priority_and_fairness/dump_queues").await;
        for row in parse_queues(&dump).unwrap().rows {
            *queues.entry(row.priority_level).or_default() += 1;
        }
    }
    InForce { taken, queues }
}

/// A new server with the objects of another one.
async fn fresh(api: &Api, throttles: bool) -> Api {
    let mut objects = Vec::new();
    for (path, kind) in [
        (LEVELS, "PriorityLevelConfiguration"),
        (SCHEMAS, "FlowSchema"),
    ] {
        objects.extend(items(api, path).await.into_iter().map(|object| {
            json!({
                "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
                "kind": kind,
                "metadata": {"name": object["metadata"]["name"]},
                "spec": object["spec"],
            })
        }));
    }
    Api::with(|builder| {
        let builder = builder.bootstrap(false).tokens(TOKENS).objects(objects);
        builder.flow_control(throttles)
    })
    .await
}

/// Compares a server with a new one. Without queues, a large configuration is followed with some delay.
async fn assert_is_followed(api: &Api, throttles: bool, context: &str) {
    let expected = in_force(&fresh(api, throttles).await, throttles).await;
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let found = in_force(api, throttles).await;
        if found.is_that_of(&expected) {
            return;
        }
        assert!(
            !throttles && Instant::now() < end,
            "{context}: {found:?} is not {expected:?}"
        );
    }
}

fn a_schema(generator: &mut Generator, name: &str) -> Value {
    let mut new = schema(name);
    let subject = json!({"kind": "User", "user": {"name": generator.pick(&USERS)}});
    let paths = json!([{"verbs": ["*"], "nonResourceURLs": ["*"]}]);
    let resources =
        json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true}]);
    let rule = match generator.below(3) {
        0 => json!({"subjects": [subject], "nonResourceRules": paths}),
        1 => json!({"subjects": [subject], "resourceRules": resources}),
        _ => json!({"subjects": [subject], "resourceRules": resources, "nonResourceRules": paths}),
    };
    new["spec"] = json!({
        "matchingPrecedence": 100 + generator.below(4),
        // The level need not be there.
        "priorityLevelConfiguration": {"name": generator.pick(&["a", "b", "c"])},
        "rules": [rule],
    });
    new
}

fn a_level(generator: &mut Generator, name: &str) -> Value {
    let mut new = level(name, 5);
    new["spec"]["limited"]["limitResponse"] =
        json!({"type": "Queue", "queuing": {"queues": 1 + generator.below(9), "handSize": 1}});
    new
}

/// Writes an object in a way in which clients do.
async fn write(api: &Api, generator: &mut Generator) {
    let is_schema = generator.below(3) > 0;
    let (path, name) = match is_schema {
        true => (SCHEMAS, generator.pick(&["s0", "s1", "s2", "s3", "s4"])),
        false => (LEVELS, generator.pick(&["a", "b", "c"])),
    };
    let mut object = match is_schema {
        true => a_schema(generator, name),
        false => a_level(generator, name),
    };
    let own = format!("{path}/{name}");
    match generator.below(8) {
        0 => _ = send(api, "DELETE", &own, None).await,
        // The same name belongs to another object afterwards.
        1 => {
            send(api, "DELETE", &own, None).await;
            send(api, "POST", path, Some(&object)).await;
        }
        2 => {
            object["status"] = json!({"conditions": [{"type": "Own", "status": "True"}]});
            send(api, "PUT", &format!("{own}/status"), Some(&object)).await;
        }
        3 => {
            send(api, "PUT", &format!("{own}?dryRun=All"), Some(&object)).await;
        }
        // Creates the object if it does not exist.
        _ => {
            if send(api, "POST", path, Some(&object)).await == 409 {
                send(api, "PUT", &own, Some(&object)).await;
            }
        }
    }
}

/// With a short history, all objects are compared; with a long one, those that were written.
#[tokio::test]
async fn after_any_writes_it_is_that_of_a_new_server() {
    for (seed, throttles, history) in [(1, true, 1000), (2, true, 1), (3, false, 1000)] {
        let mut generator = Generator::new(seed);
        let api = Api::with(|builder| {
            let builder = builder.bootstrap(false).tokens(TOKENS);
            builder.flow_control(throttles).history(history)
        })
        .await;
        for round in 0..if tries_all() { 25 } else { 4 } {
            for _ in 0..generator.below(5) {
                write(&api, &mut generator).await;
            }
            let context = format!("seed {seed}, round {round}");
            assert_is_followed(&api, throttles, &context).await;
        }
        api.server.upgrade("1.29").await.unwrap();
        assert_is_followed(&api, throttles, "after an upgrade").await;
    }
}

#[cfg(feature = "data-dir")]
#[tokio::test]
async fn after_a_restart_it_is_that_of_the_objects_in_the_folder() {
    let name = format!("k8s-flowcontrol-following-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let start = async || {
        Api::with(|builder| {
            let builder = builder.bootstrap(false).tokens(TOKENS);
            builder.flow_control(true).data_dir(&folder)
        })
        .await
    };
    let mut generator = Generator::new(5);
    for round in 0..3 {
        let api = start().await;
        assert_is_followed(&api, true, &format!("start {round}")).await;
        for _ in 0..8 {
            write(&api, &mut generator).await;
        }
        assert_is_followed(&api, true, &format!("after start {round}")).await;
        api.server.stop().await;
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// One write among many objects.
#[tokio::test]
async fn one_change_of_many_objects_is_followed() {
    let number = if tries_all() { 3_000 } else { 510 };
    let many = (0..number).map(|index| schema(&format!("many-{index}")));
    let api = Api::with(|builder| {
        let builder = builder.flow_control(true).tokens(TOKENS);
        builder.bootstrap(false).history(1000).objects(many)
    })
    .await;
    assert_eq!(
        send(&api, "POST", LEVELS, Some(&level("own", 1))).await,
        201
    );
    let before = in_force(&api, true).await;
    let mut changed = schema("many-500");
    changed["spec"]["matchingPrecedence"] = json!(7);
    changed["spec"]["priorityLevelConfiguration"]["name"] = json!("own");
    changed["spec"]["rules"][0]["subjects"] = json!([{"kind": "User", "user": {"name": "u1"}}]);
    changed["spec"]["rules"][0]["nonResourceRules"][0]["nonResourceURLs"] = json!(["*"]);
    let path = format!("{SCHEMAS}/many-500");
    assert_eq!(send(&api, "PUT", &path, Some(&changed)).await, 200);
    let after = in_force(&api, true).await;
    let changes: Vec<_> = (0..after.taken.len())
        .filter(|at| before.taken[*at] != after.taken[*at])
        .collect();
    // The requests of u1 for a path that is not a resource.
    assert_eq!(changes, [2]);
    assert_eq!(after.taken[2][0], "\"many-500\"");
    assert_eq!(send(&api, "DELETE", &path, None).await, 200);
    assert_eq!(in_force(&api, true).await.taken, before.taken);
}
