//! A server that queues and rejects requests.

mod deleted_levels;
mod following;
mod metrics;

use crate::api::http::Request;
use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, schema};
use k8s_flowcontrol_analysis::dumps::{parse_priority_levels, parse_queues, parse_requests};
use k8s_flowcontrol_server::Fault;
use metrics::value;
use serde_json::{Value, json};
use std::time::Duration;

const TOKENS: &str = "admin,admin,1,system:masters\nbob,bob,2,kubeadm:cluster-admins\n";
/// Longer than any test: such a request executes until its connection is closed.
const FOR_EVER: Duration = Duration::from_secs(3600);

/// A server whose level `narrow` has one seat, for the requests of bob.
async fn server(response: Value) -> Api {
    let level = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "PriorityLevelConfiguration", "metadata": {"name": "narrow"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 1, "borrowingLimitPercent": 0, "limitResponse": response}},
    });
    let mut bob = schema("bob");
    bob["spec"] = json!({
        "matchingPrecedence": 100,
        "priorityLevelConfiguration": {"name": "narrow"},
        "distinguisherMethod": {"type": "ByUser"},
        "rules": [{"subjects": [{"kind": "User", "user": {"name": "bob"}}],
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}],
    });
    Api::with(|builder| {
        let builder = builder.flow_control(true).server_seats(20).tokens(TOKENS);
        builder.objects([level, bob])
    })
    .await
}

fn queue() -> Value {
    json!({"type": "Queue", "queuing": {"queues": 2, "handSize": 1, "queueLengthLimit": 1}})
}

fn request(api: &Api, user: &str, path: &str) -> Request {
    api.request("GET", path)
        .header("authorization", &format!("Bearer {user}"))
}

async fn text(api: &Api, path: &str) -> String {
    request(api, "admin", path).send().await.text().await
}

async fn dump(api: &Api, name: &str) -> String {
    text(api, &format!("/debug/api_priority_and_fairness/{name}")).await
}

/// Waits until so many requests of the level execute and wait.
async fn until(api: &Api, executing: i64, waiting: i64) {
    loop {
        let levels = parse_priority_levels(&dump(api, "dump_priority_levels").await).unwrap();
        let narrow = levels.rows.iter().find(|row| row.name == "narrow").unwrap();
        let state = narrow.state.as_ref().unwrap();
        if (state.executing_requests, state.waiting_requests) == (executing, waiting) {
            return;
        }
    }
}

/// Sends a request that executes until the task is aborted.
async fn occupy(api: &Api) -> tokio::task::JoinHandle<()> {
    api.server
        .inject(Fault::delay(FOR_EVER).on_path("/version"));
    let slow = request(api, "bob", "/version");
    let slow = crate::spawn(async move {
        slow.send().await;
    });
    until(api, 1, 0).await;
    slow
}

#[tokio::test]
async fn delays_add_up_to_the_longest_time_at_most() {
    let api = server(json!({"type": "Reject"})).await;
    for _ in 0..2 {
        api.server
            .inject(Fault::delay(Duration::MAX).on_path("/version"));
    }
    let late = request(&api, "bob", "/version?timeout=1ms").send().await;
    assert_eq!(late.code(), 504);
}

#[tokio::test]
async fn a_level_without_free_seats_rejects() {
    let api = server(json!({"type": "Reject"})).await;
    let slow = occupy(&api).await;
    let path = format!("/apis/{GROUP}/{LEVELS}/narrow");
    let rejected = request(&api, "bob", &path).send().await;
    assert_eq!(rejected.code(), 429);
    assert_eq!(rejected.headers()["retry-after"], "1");
    assert_eq!(
        rejected.headers()["content-type"],
        "text/plain; charset=utf-8"
    );
    let uid = rejected.headers()["x-kubernetes-pf-prioritylevel-uid"].clone();
    assert_eq!(
        rejected.text().await,
        "Too many requests, please try again later.\n"
    );
    assert_eq!(
        request(&api, "admin", &path).send().await.code(),
        200,
        "exempt"
    );
    slow.abort();
    until(&api, 0, 0).await;
    let served = request(&api, "bob", &path).send().await;
    assert_eq!(served.code(), 200);
    assert_eq!(served.headers()["x-kubernetes-pf-prioritylevel-uid"], uid);
    let metrics = text(&api, "/metrics").await;
    let labels = "flow_schema=\"bob\",priority_level=\"narrow\"";
    for line in [
        format!("apiserver_flowcontrol_dispatched_requests_total{{{labels}}} 2\n"),
        format!(
            "apiserver_flowcontrol_rejected_requests_total{{{labels},reason=\"concurrency-limit\"}} 1\n"
        ),
        format!("apiserver_flowcontrol_current_executing_requests{{{labels}}} 0\n"),
        "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"narrow\"} 1\n".to_owned(),
    ] {
        assert!(metrics.contains(&line), "{line} is missing in\n{metrics}");
    }
}

#[tokio::test]
async fn a_level_with_queues_lets_requests_wait() {
    let api = server(queue()).await;
    let slow = occupy(&api).await;
    let path = format!("/apis/{GROUP}/{SCHEMAS}/bob");
    let second = request(&api, "bob", &path);
    let second = crate::spawn(async move { second.send().await.code() });
    until(&api, 1, 1).await;

    let queues = parse_queues(&dump(&api, "dump_queues").await).unwrap();
    let states = queues
        .rows
        .iter()
        .filter(|row| row.priority_level == "narrow");
    let states: Vec<_> = states.filter_map(|row| row.queue.as_ref()).collect();
    assert_eq!(states.len(), 2);
    assert_eq!(
        states
            .iter()
            .map(|state| state.pending_requests)
            .sum::<i64>(),
        1
    );
    assert_eq!(
        states
            .iter()
            .filter_map(|state| state.seats_in_use)
            .sum::<i64>(),
        1
    );
    let requests = parse_requests(&dump(&api, "dump_requests").await).unwrap();
    let of_level = requests
        .rows
        .iter()
        .filter(|row| row.priority_level == "narrow");
    assert_eq!(of_level.count(), 2);

    let third = request(&api, "bob", &path).send().await;
    assert_eq!(third.code(), 429, "the queue is full");
    slow.abort();
    assert_eq!(second.await.unwrap(), 200);
    let metrics = text(&api, "/metrics").await;
    assert!(
        metrics.contains("priority_level=\"narrow\",reason=\"queue-full\"} 1\n"),
        "{metrics}"
    );
}

#[tokio::test]
async fn a_request_waits_for_a_quarter_of_its_deadline() {
    let api = server(queue()).await;
    let slow = occupy(&api).await;
    let path = format!("/apis/{GROUP}/{SCHEMAS}/bob?timeout=40ms");
    assert_eq!(request(&api, "bob", &path).send().await.code(), 429);
    slow.abort();
}

#[tokio::test]
async fn a_client_that_leaves_frees_its_place() {
    let api = server(queue()).await;
    let slow = occupy(&api).await;
    let waiting = request(&api, "bob", "/version");
    let waiting = crate::spawn(async move {
        waiting.send().await;
    });
    until(&api, 1, 1).await;
    waiting.abort();
    until(&api, 1, 0).await;
    slow.abort();
    until(&api, 0, 0).await;
    // As a request that waited too long.
    let metrics = text(&api, "/metrics").await;
    assert!(
        metrics.contains("priority_level=\"narrow\",reason=\"time-out\"} 1\n"),
        "{metrics}"
    );
    let levels = parse_priority_levels(&dump(&api, "dump_priority_levels").await).unwrap();
    let narrow = levels.rows.iter().find(|row| row.name == "narrow").unwrap();
    let state = narrow.state.as_ref().unwrap();
    let counts = [
        state.rejected_requests,
        state.timedout_requests,
        state.cancelled_requests,
    ];
    assert_eq!(counts, [1, 0, 1].map(Some));
}

#[tokio::test]
async fn a_changed_level_counts_at_once_and_after_an_upgrade() {
    let api = server(json!({"type": "Reject"})).await;
    api.server.upgrade("1.33").await.unwrap();
    let slow = occupy(&api).await;
    let rejected = request(&api, "bob", "/version").send().await;
    assert_eq!(rejected.code(), 429);
    let path = format!("/apis/{GROUP}/{LEVELS}/narrow");
    let patched = api
        .request("PATCH", &path)
        .header("authorization", "Bearer admin")
        .header("content-type", "application/merge-patch+json")
        .body(json!({"spec": {"limited": {"nominalConcurrencyShares": 100}}}).to_string())
        .send()
        .await;
    assert_eq!(patched.code(), 200);
    assert_eq!(request(&api, "bob", "/version").send().await.code(), 200);
    slow.abort();
}

#[tokio::test]
async fn off_is_the_default() {
    let api = Api::start().await;
    assert!(!text(&api, "/metrics").await.contains("dispatched_requests"));
}

#[tokio::test]
async fn seats_do_not_leak_when_clients_leave_at_any_time() {
    let api = server(queue()).await;
    api.server
        .inject(Fault::delay(FOR_EVER).on_path("/version").times(100));
    for round in 0..20 {
        let clients: Vec<_> = (0..3)
            .map(|_| {
                let request = request(&api, "bob", "/version");
                crate::spawn(async move {
                    request.send().await;
                })
            })
            .collect();
        if round % 2 == 0 {
            until(&api, 1, 1).await;
        }
        for client in clients {
            client.abort();
        }
        until(&api, 0, 0).await;
    }
    let metrics = text(&api, "/metrics").await;
    let labels = "{flow_schema=\"bob\",priority_level=\"narrow\"}";
    for name in [
        "executing_requests",
        "executing_seats",
        "inqueue_requests",
        "inqueue_seats",
    ] {
        let line = format!("apiserver_flowcontrol_current_{name}{labels} ");
        assert_eq!(value(&metrics, &line), 0.0, "{name}");
    }
}

/// A user whose many requests are abandoned while they wait does not take the turns of another user.
#[tokio::test(flavor = "multi_thread")]
async fn abandoned_requests_take_no_turns() {
    const TURNS: usize = 20;
    let tokens = "admin,admin,1,system:masters\nbob,bob,2,kubeadm:cluster-admins\nalice,alice,3,kubeadm:cluster-admins\n";
    let level = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "PriorityLevelConfiguration", "metadata": {"name": "narrow"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 1, "borrowingLimitPercent": 0,
            "limitResponse": {"type": "Queue", "queuing": {"queues": 64, "handSize": 4, "queueLengthLimit": 5}}}},
    });
    let mut all = schema("all");
    all["spec"] = json!({
        "matchingPrecedence": 100, "priorityLevelConfiguration": {"name": "narrow"}, "distinguisherMethod": {"type": "ByUser"},
        "rules": [{"subjects": [{"kind": "Group", "group": {"name": "kubeadm:cluster-admins"}}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}],
    });
    let api = Api::with(|builder| {
        let builder = builder.flow_control(true).server_seats(20).tokens(tokens);
        builder.objects([level, all])
    })
    .await;
    api.server.inject(
        Fault::delay(Duration::from_millis(5))
            .on_path("/version")
            .times(usize::MAX),
    );
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let greedy: Vec<_> = (0..30)
        .map(|number| {
            let (stop, request) = (stop.clone(), {
                let (url, http) = (api.server.url(), crate::api::http::Http::new());
                move || {
                    http.request("GET", format!("{url}/version"))
                        .header("authorization", "Bearer bob")
                        .send()
                }
            });
            crate::spawn(async move {
                while !stop.load(std::sync::atomic::Ordering::SeqCst) {
                    // Some leave while they wait, some while they execute, some stay.
                    let patience = Duration::from_millis(1 + number % 9);
                    let _abandoned = tokio::time::timeout(patience, request()).await;
                }
            })
        })
        .collect();
    for _ in 0..TURNS {
        let served = request(&api, "alice", "/version").send().await;
        assert_eq!(served.code(), 200);
    }
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    for task in greedy {
        task.await.unwrap();
    }
    until(&api, 0, 0).await;
}

#[tokio::test]
async fn a_server_that_stops_ends_queued_requests() {
    let api = server(queue()).await;
    let slow = occupy(&api).await;
    let waiting = request(&api, "bob", "/version");
    let waiting = crate::spawn(async move {
        waiting.send().await;
    });
    until(&api, 1, 1).await;
    api.server.stop().await;
    // Both connections end, with or without a response.
    let _ended = slow.await;
    let _ended = waiting.await;
}

#[tokio::test]
async fn of_ten_million_queues_a_dump_lists_some() {
    let queuing = json!({"queues": 10_000_000, "handSize": 2, "queueLengthLimit": 1});
    let api = server(json!({"type": "Queue", "queuing": queuing})).await;
    let slow = occupy(&api).await;
    let path = format!("/apis/{GROUP}/{SCHEMAS}/bob");
    let second = request(&api, "bob", &path);
    let second = crate::spawn(async move {
        second.send().await;
    });
    until(&api, 1, 1).await;
    let path_of_dump = "/debug/api_priority_and_fairness/dump_queues";
    let dump = request(&api, "admin", path_of_dump);
    let dump = crate::spawn(async move { dump.send().await.text().await });
    // Health checks do not wait until its rows are text: then there would be 30 at most.
    let mut answered = 0;
    while !dump.is_finished() {
        assert_eq!(self::text(&api, "/livez").await, "ok");
        answered += 1;
    }
    assert!(answered > 100, "{answered}");
    let text = dump.await.unwrap();
    assert_eq!(
        text.lines().count(),
        100_002,
        "titles, queues, and a sentence"
    );
    let last = text.lines().last().unwrap();
    assert!(last.contains("more queues are left out"), "{last}");
    // A dump can take longer than requests wait.
    second.abort();
    slow.abort();
    assert_eq!(request(&api, "bob", &path).send().await.code(), 200);
}
