//! The controller: stores, owners, pauses, shutdown and election.

use crate::controller::leading::{Candidate, server};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration as Level};
use k8s_flowcontrol::client::ResourceKind;
use k8s_flowcontrol::controller::lease::Lease;
use k8s_flowcontrol::controller::{Action, Controller, ControllerError, WorkQueue};
use k8s_flowcontrol::watch::{ObjectKey, Store};
use k8s_flowcontrol::{ApiVersion, Client, Kind, Resource};
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

type Ended = JoinHandle<Result<(), ControllerError>>;

/// Runs a controller that reports its keys.
fn report<Q: Clone + Ord + Send + Sync + 'static>(
    controller: Controller<Q>,
) -> (mpsc::UnboundedReceiver<Q>, oneshot::Sender<()>, Ended) {
    let (sender, keys) = mpsc::unbounded_channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let reconcile = move |key| {
        sender.send(key).unwrap();
        async { Ok::<_, Infallible>(Action::AwaitChange) }
    };
    let stop_when = async { drop(stopped.await) };
    let running = crate::spawn(controller.run(stop_when, reconcile, |_, never| match *never {}));
    (keys, stop, running)
}

async fn next<Q>(keys: &mut mpsc::UnboundedReceiver<Q>) -> Q {
    let next = timeout(Duration::from_secs(60), keys.recv()).await;
    next.unwrap().unwrap()
}

/// Waits until the keys are these, in any order and number.
async fn all<Q: Ord + Debug>(keys: &mut mpsc::UnboundedReceiver<Q>, expected: &[Q]) {
    let mut missing: Vec<_> = expected.iter().collect();
    while !missing.is_empty() {
        let key = next(keys).await;
        assert!(expected.contains(&key), "{key:?}");
        missing.retain(|one| **one != key);
    }
}

fn level(name: &str, owner: Option<&FlowSchema>) -> Level {
    let owners = owner.map(|owner| {
        json!({"apiVersion": FlowSchema::API_VERSION, "kind": "FlowSchema", "controller": true,
            "name": owner.name(), "uid": owner.metadata.uid})
    });
    serde_json::from_value(json!({
        "metadata": {"name": name, "ownerReferences": Vec::from_iter(owners)},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }))
    .unwrap()
}

fn schema(name: &str) -> FlowSchema {
    let mut schema = FlowSchema::default();
    schema.metadata.name = Some(name.to_owned());
    schema.spec.priority_level_configuration.name = format!("{name}-level");
    schema
}

#[tokio::test]
async fn changes_of_objects_and_of_what_they_own_make_keys_due() {
    let server = ApiServer::builder().bootstrap(false).start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let (schemas, levels) = (
        client.flow_schemas(),
        client.priority_level_configurations(),
    );
    let a = schemas.create(&schema("a")).await.unwrap();
    let b = schemas.create(&schema("b")).await.unwrap();
    let schema_store = Store::start(schemas.watcher());
    let level_store = Store::start(levels.watcher());
    let controller = Controller::for_objects(&schema_store)
        .owned(&level_store, ResourceKind::of::<FlowSchema>());
    let (mut keys, stop, running) = report(controller);
    let [key_a, key_b] = ["a", "b"].map(ObjectKey::new);
    all(&mut keys, &[key_a.clone(), key_b.clone()]).await;

    // An owned object appears, changes its owner, and disappears. Others do not count.
    levels.create(&level("other", None)).await.unwrap();
    let mut owned = levels.create(&level("owned", Some(&a))).await.unwrap();
    all(&mut keys, std::slice::from_ref(&key_a)).await;
    owned.metadata.owner_references = level("x", Some(&b)).metadata.owner_references;
    levels.replace(&owned).await.unwrap();
    all(&mut keys, &[key_a.clone(), key_b.clone()]).await;
    levels.delete("owned").await.unwrap();
    all(&mut keys, std::slice::from_ref(&key_b)).await;

    // A deleted object is due, too.
    schemas.delete("a").await.unwrap();
    all(&mut keys, std::slice::from_ref(&key_a)).await;
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn kinds_of_other_groups_and_kinds_known_at_run_time_have_controllers() {
    let server = server().await;
    let client = Client::from_url(server.url()).unwrap();
    let leases = client.namespaced_api::<Lease>("north");
    let dynamic = client.objects(Kind::FlowSchema, ApiVersion::V1);
    let lease_store = Store::start(client.api::<Lease>().watcher());
    let schema_store = Store::start(dynamic.watcher());
    // Two kinds, one type of keys.
    let controller = Controller::<(&str, String)>::new()
        .watch(&lease_store, |lease| {
            [("lease", ObjectKey::of(lease).to_string())]
        })
        .watch(&schema_store, |schema| {
            let wanted = schema.tree()["spec"]["matchingPrecedence"] == 7;
            wanted.then(|| ("schema", schema.name().to_owned()))
        });
    let (mut keys, stop, running) = report(controller);
    let mut lease = Lease::default();
    lease.metadata.name = Some("gate".to_owned());
    leases.create(&lease).await.unwrap();
    assert_eq!(next(&mut keys).await, ("lease", "north/gate".to_owned()));
    for (name, precedence) in [("skipped", 8), ("wanted", 7)] {
        let mut schema = schema(name);
        schema.spec.matching_precedence = Some(precedence);
        client.flow_schemas().create(&schema).await.unwrap();
    }
    all(&mut keys, &[("schema", "wanted".to_owned())]).await;
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn failures_pause_and_requeues_do_not_count_as_failures() {
    let queue = WorkQueue::new().with_backoff(Duration::from_secs(1), Duration::from_secs(60));
    let controller = Controller::new().with_queue(queue.clone());
    queue.add("a");
    let (times, begin) = (Arc::new(Mutex::new(Vec::new())), Instant::now());
    let (seen, (stop, stopped)) = (times.clone(), oneshot::channel::<()>());
    let reconcile = move |_key| {
        let mut times = seen.lock().unwrap();
        times.push(begin.elapsed().as_secs());
        let result = match times.len() {
            1 | 2 => Err(None),
            3 => Err(Some(Duration::from_secs(10))),
            4 => Ok(Action::Requeue(Duration::from_secs(30))),
            5 => Err(None),
            _ => Ok(Action::AwaitChange),
        };
        async move { result }
    };
    let stop_when = async { drop(stopped.await) };
    let running = crate::spawn(controller.run(stop_when, reconcile, |_, pause| *pause));
    sleep(Duration::from_secs(600)).await;
    assert_eq!(*times.lock().unwrap(), [0, 1, 3, 13, 43, 44]);
    let numbers = queue.snapshot();
    assert_eq!(
        (numbers.started, numbers.retried, numbers.failing),
        (6, 4, 0)
    );
    drop(stop);
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_finishes_the_keys_that_are_due() {
    let queue = WorkQueue::new();
    let controller = Controller::new().with_queue(queue.clone()).workers(2);
    for key in ["a", "b", "c"] {
        queue.add(key);
    }
    queue.add_after("later", Duration::from_secs(60));
    let done = Arc::new(Mutex::new(Vec::new()));
    let seen = done.clone();
    let reconcile = move |key| {
        let seen = seen.clone();
        async move {
            sleep(Duration::from_secs(10)).await;
            seen.lock().unwrap().push(key);
            Ok::<_, Infallible>(Action::Requeue(Duration::from_secs(1)))
        }
    };
    let begin = Instant::now();
    let stop = sleep(Duration::from_secs(5));
    let ended = controller.run(stop, reconcile, |_, never| match *never {});
    ended.await.unwrap();
    assert_eq!(*done.lock().unwrap(), ["a", "b", "c"]);
    assert_eq!(begin.elapsed().as_secs(), 20);
    let numbers = queue.snapshot();
    assert_eq!(
        (numbers.worked.as_secs(), numbers.waited.as_secs()),
        (30, 10)
    );
}

#[tokio::test]
async fn a_panic_reaches_the_caller() {
    let controller = Controller::new();
    controller.queue().add("a");
    let reconcile = |key: &'static str| async move {
        assert_ne!(key, "a", "on purpose");
        Ok::<_, Infallible>(Action::AwaitChange)
    };
    let running = controller.run(
        std::future::pending(),
        reconcile,
        |_, never| match *never {},
    );
    let ended = crate::spawn(running).await;
    assert!(ended.unwrap_err().is_panic());
}

#[tokio::test]
async fn a_store_that_cannot_be_read_is_an_error() {
    let server = ApiServer::builder()
        .kubernetes("1.28")
        .start()
        .await
        .unwrap();
    // The release does not serve this version.
    let client = Client::from_url(server.url()).unwrap();
    let store = Store::start(client.flow_schemas().watcher());
    let reconcile = |_| async { Ok::<_, Infallible>(Action::AwaitChange) };
    let running =
        Controller::for_objects(&store).run(std::future::pending(), reconcile, |_, never| {
            match *never {}
        });
    let error = running.await.unwrap_err();
    assert!(matches!(error, ControllerError::NotReady(_)), "{error}");
    // The store does, and nobody waits for it.
    assert!(!error.to_string().contains("tries again"), "{error}");
    // The output of a program that returns the error from `main`.
    assert_eq!(format!("{error:?}"), error.to_string());
}

/// Sends when it is dropped.
struct Guard(mpsc::UnboundedSender<&'static str>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _heard = self.0.send("abandoned");
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_leader_works_and_it_stops_when_it_has_lost() {
    let server = server().await;
    let (sender, mut events) = mpsc::unbounded_channel();
    let start = |name: &'static str| {
        let candidate = Candidate::new(&server, name);
        let controller = Controller::new().election(candidate.election());
        controller.queue().add("key");
        let sender = sender.clone();
        let reconcile = move |_key| {
            let sender = sender.clone();
            async move {
                let _guard = Guard(sender.clone());
                sender.send(name).unwrap();
                std::future::pending::<Result<Action, Infallible>>().await
            }
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let stop_when = async { drop(stopped.await) };
        let running = controller.run(stop_when, reconcile, |_, never| match *never {});
        (candidate, stop, crate::spawn(running))
    };
    let (one, _stop_one, running_one) = start("one");
    assert_eq!(next(&mut events).await, "one");
    let (_two, _stop_two, running_two) = start("two");
    sleep(Duration::from_secs(600)).await;
    assert!(events.try_recv().is_err(), "the second one does not work");

    one.cut_off();
    let ended = running_one.await.unwrap().unwrap_err();
    assert!(matches!(ended, ControllerError::LeaseLost(_)), "{ended}");
    // In this order: the work of the old leader has ended when the new one begins.
    assert_eq!(next(&mut events).await, "abandoned");
    assert_eq!(next(&mut events).await, "two");
    running_two.abort();
}

#[tokio::test(start_paused = true)]
async fn a_stopped_leader_releases_the_lease_and_a_waiting_one_ends() {
    let server = server().await;
    let start = |name: &'static str| {
        let controller =
            Controller::<&str>::new().election(Candidate::new(&server, name).election());
        report(controller)
    };
    let (_keys, stop_one, running_one) = start("one");
    sleep(Duration::from_secs(5)).await;
    let (_keys, stop_two, running_two) = start("two");
    sleep(Duration::from_secs(5)).await;
    stop_two.send(()).unwrap();
    running_two.await.unwrap().unwrap();
    stop_one.send(()).unwrap();
    running_one.await.unwrap().unwrap();
    let watcher = Candidate::new(&server, "watcher");
    let leases = watcher.client.namespaced_api::<Lease>("system");
    let lease = leases.get("tenants").await.unwrap().spec.unwrap();
    assert_eq!(lease.holder_identity.as_deref(), Some(""));
}
