//! Futures that are dropped at each of their await points leave nothing behind, and the client works on.

use crate::requests::support::{config, hasty, schema};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::BoxFuture;
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::controller::lease::coordination_v1;
use k8s_flowcontrol::controller::{Action, Controller, Election, WorkQueue};
use k8s_flowcontrol::watch::{Store, WatchEvent};
use k8s_flowcontrol::{Client, Resource as _};
use k8s_flowcontrol_pace::Pace;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

/// The output of a future that is polled this many times and then dropped; `None` if it was not finished by then.
pub(crate) async fn abandon<T>(future: impl Future<Output = T>, mut polls: usize) -> Option<T> {
    let mut future = Box::pin(future);
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if polls <= 1 => Poll::Ready(None),
        Poll::Pending => {
            polls -= 1;
            Poll::Pending
        }
    })
    .await
}

pub(super) type Operation = fn(Client) -> BoxFuture<()>;

/// The operations of the public face, each in a form that may be repeated. An abandoned write may have taken effect.
pub(super) const OPERATIONS: [(&str, Operation); 34] = [
    ("try_default", |client| {
        Box::pin(async move {
            // The environment decides about the outcome.
            let _either = Client::try_default().await;
            client.version().await.unwrap();
        })
    }),
    ("version", |client| {
        Box::pin(async move { drop(client.version().await.unwrap()) })
    }),
    ("release", |client| {
        Box::pin(async move { assert!(client.release().await.is_ok()) })
    }),
    ("negotiated", |client| {
        Box::pin(async move {
            let schemas = client.negotiated::<v1::FlowSchema>().await.unwrap();
            schemas.list().await.unwrap();
        })
    }),
    ("list", |client| {
        Box::pin(async move { drop(client.flow_schemas().list().await.unwrap()) })
    }),
    ("items", |client| {
        Box::pin(async move {
            let mut items = client.flow_schemas().list().limit(3).items();
            while let Some(item) = items.next().await {
                item.unwrap();
            }
        })
    }),
    ("create", |client| {
        Box::pin(async move {
            match client.flow_schemas().create(&schema("new")).await {
                Ok(_) => {}
                Err(error) => assert!(error.is_already_exists(), "{error}"),
            }
        })
    }),
    ("update_with", |client| {
        Box::pin(async move {
            let update = client.flow_schemas().update_with("new", |schema| {
                *schema.spec.matching_precedence.get_or_insert(1) += 1;
            });
            update.await.unwrap();
        })
    }),
    ("patch", |client| {
        Box::pin(async move {
            let patch = serde_json::json!({"metadata": {"labels": {"a": "b"}}});
            client
                .flow_schemas()
                .patch("new")
                .merge(&patch)
                .await
                .unwrap();
        })
    }),
    ("apply", |client| {
        Box::pin(async move {
            let apply = client.flow_schemas().apply(&schema("new"));
            apply.field_manager("me").force().await.unwrap();
        })
    }),
    ("delete", |client| {
        Box::pin(async move {
            match client.flow_schemas().delete("new").await {
                Ok(_) => {}
                Err(error) => assert!(error.is_not_found(), "{error}"),
            }
        })
    }),
    ("watch", |client| {
        Box::pin(async move {
            let mut events = client.flow_schemas().watch().await.unwrap();
            for _ in 0..5 {
                events.next().await.unwrap().unwrap();
            }
        })
    }),
    ("watcher", |client| {
        Box::pin(async move {
            let mut watcher = client.flow_schemas().watcher();
            for _ in 0..5 {
                watcher.next().await.unwrap().unwrap();
            }
        })
    }),
    ("store", |client| {
        Box::pin(async move {
            let store = Store::start(client.flow_schemas().watcher());
            store.wait_ready().await.unwrap();
            assert!(store.get("exempt").is_some());
        })
    }),
    ("wait_for", |client| {
        Box::pin(async move {
            let wait = client
                .flow_schemas()
                .wait_for("exempt", |found| found.is_some());
            wait.await.unwrap();
        })
    }),
    ("get_opt and replace", |client| {
        Box::pin(async move {
            let schemas = client.flow_schemas();
            let Some(found) = schemas.get_opt("global-default").await.unwrap() else {
                return;
            };
            schemas.replace(&found).await.unwrap();
        })
    }),
    ("create_or_update", |client| {
        Box::pin(async move {
            let schemas = client.flow_schemas();
            let made = schemas.create_or_update("made", |made| {
                *made = schema("made");
            });
            made.await.unwrap();
        })
    }),
    ("patch_status", |client| {
        Box::pin(async move {
            let patch = serde_json::json!({"metadata": {"labels": {"a": "b"}}});
            let schemas = client.flow_schemas();
            schemas.get_status("exempt").await.unwrap();
            schemas.patch_status("exempt").merge(&patch).await.unwrap();
        })
    }),
    ("delete_collection", |client| {
        Box::pin(async move {
            let delete = client.flow_schemas().delete_collection();
            delete.label_selector("none=none").await.unwrap();
        })
    }),
    ("pages", |client| {
        Box::pin(async move {
            let mut pages = client.flow_schemas().metadata().list().limit(3).pages();
            while let Some(page) = pages.next().await {
                page.unwrap();
            }
        })
    }),
    ("discovery", |client| {
        Box::pin(async move {
            client.api_groups().await.unwrap();
            client
                .api_resources("flowcontrol.apiserver.k8s.io", "v1")
                .await
                .unwrap();
        })
    }),
    ("log", |client| {
        Box::pin(async move {
            let mut lines = client.flow_schemas().log("exempt").await.unwrap();
            let mut count = 0;
            while let Some(line) = lines.next().await {
                line.unwrap();
                count += 1;
            }
            assert!(count > 0);
        })
    }),
    ("subscription", |client| {
        Box::pin(async move {
            let store = Store::start(client.flow_schemas().watcher());
            let mut changes = store.subscribe();
            changes.next().await.unwrap();
        })
    }),
    ("negotiated watcher", |client| {
        Box::pin(async move {
            let schemas = client.negotiated::<v1::FlowSchema>().await.unwrap();
            let mut watcher = schemas.watcher();
            watcher.next().await.unwrap().unwrap();
        })
    }),
    ("delete_if_exists", |client| {
        Box::pin(async move {
            client
                .flow_schemas()
                .delete_if_exists("made")
                .await
                .unwrap();
        })
    }),
    ("raw", |client| {
        Box::pin(async move { drop(client.raw(Method::GET, "/livez").await.unwrap()) })
    }),
    ("stream", |client| {
        Box::pin(async move {
            let stream = client.get_raw("/openapi/v2").stream().await.unwrap();
            let mut body = stream.into_inner();
            while let Some(chunk) = body.next().await {
                chunk.unwrap();
            }
        })
    }),
    ("forward", |client| {
        Box::pin(async move {
            let request = http::Request::get("/livez").body(Bytes::new()).unwrap();
            let response = client.forward(request).await.unwrap();
            assert_eq!(response.status(), 200);
            response.into_body().collect().await.unwrap();
        })
    }),
    ("subresource", |client| {
        Box::pin(async move {
            let status = client.flow_schemas().get_subresource("exempt", "status");
            let found = status.read_as::<v1::FlowSchema>().await.unwrap();
            assert_eq!(found.name(), "exempt");
        })
    }),
    ("layer", |client| {
        Box::pin(async move {
            let pace = Pace::builder().max_limit(1).build();
            let paced = pace.clone();
            let client = client.layer(move |request, next| {
                let pace = paced.clone();
                async move { pace.send(request, |request| next.run(request)).await }
            });
            let schemas = client.flow_schemas();
            let (list, get) = tokio::join!(schemas.list(), schemas.get("exempt"));
            list.unwrap();
            get.unwrap();
        })
    }),
    ("work queue", |_client| {
        Box::pin(async move {
            let queue = WorkQueue::new();
            queue.add_after("key", Duration::from_millis(2));
            let item = queue.next().await.unwrap();
            let (drained, ()) = tokio::join!(queue.drained(), async {
                tokio::task::yield_now().await;
                drop(item);
            });
            drained
        })
    }),
    ("election", |client| {
        Box::pin(async move {
            let leadership = election(&client).acquire().await.unwrap();
            leadership.release().await.unwrap();
        })
    }),
    ("lost leadership", |client| {
        Box::pin(async move {
            let leases = client.namespaced_api::<coordination_v1::Lease>("system");
            leases.delete_if_exists("lost").await.unwrap();
            let election = Election::new(&client, "system", "lost", "me");
            let pause = Duration::from_millis(2);
            let election =
                election.with_times(Duration::from_secs(15), Duration::from_secs(10), pause);
            let leadership = election.acquire().await.unwrap();
            let take = leases.update_with("lost", |lease| {
                lease.spec.get_or_insert_default().holder_identity = Some("other".to_owned());
            });
            take.await.unwrap();
            assert_eq!(leadership.lost().await.holder(), Some("other"));
        })
    }),
    ("controller", |client| {
        Box::pin(async move {
            let store = Store::start(client.flow_schemas().watcher());
            let controller = Controller::new()
                .watch(&store, |schema| [schema.name().to_owned()])
                .election(election(&client));
            let reconciled = Arc::new(Notify::new());
            let stop = reconciled.clone();
            let run = controller.run(
                async move { stop.notified().await },
                move |_| {
                    reconciled.notify_one();
                    async { Ok::<_, Infallible>(Action::AwaitChange) }
                },
                |_, never| match *never {},
            );
            run.await.unwrap();
        })
    }),
];

/// Each time the same candidate, which may take its own lease at once.
fn election(client: &Client) -> Election {
    Election::new(client, "system", "tenants", "me")
}

/// A runtime for the client, which runs only the client's tasks.
pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Waits until no task of the runtime is left.
pub(crate) async fn no_task_is_left(what: &str) {
    let metrics = tokio::runtime::Handle::current().metrics();
    let gone = async {
        while metrics.num_alive_tasks() > 0 {
            tokio::task::yield_now().await;
        }
    };
    let gone = tokio::time::timeout(Duration::from_secs(20), gone).await;
    assert!(gone.is_ok(), "{what}: {} tasks", metrics.num_alive_tasks());
}

#[test]
fn a_dropped_future_leaves_nothing_behind() {
    let servers = Builder::new_multi_thread().enable_all().build().unwrap();
    for is_secure in [false, true] {
        let server = servers.block_on(async {
            let builder = ApiServer::builder().serve(coordination_v1::RESOURCES);
            let builder = if is_secure { builder.tls() } else { builder };
            builder.start().await.unwrap()
        });
        // The server has no logs; any text is one.
        let log = Fault::garbage().on_path("/log");
        server.inject(log.times(usize::MAX));
        // HTTP/2 with TLS, HTTP/1.1 without.
        let config = match is_secure {
            true => config(&server),
            false => Config::new(server.url()).unwrap(),
        };
        for (name, operation) in OPERATIONS {
            runtime().block_on(async {
                let client = Client::new(config.clone().with_retry_policy(hasty())).unwrap();
                let mut polls = 1;
                while abandon(operation(client.clone()), polls).await.is_none() {
                    polls += 1;
                    assert!(polls < 10_000, "{name} does not end");
                }
                assert!(polls > 1, "{name} was never dropped early");
                // The same client works on.
                client.flow_schemas().get("exempt").await.unwrap();
                drop(client);
                no_task_is_left(name).await;
            });
        }
    }
}

#[test]
fn a_dropped_next_loses_no_event() {
    let servers = Builder::new_multi_thread().enable_all().build().unwrap();
    let server = servers.block_on(async { ApiServer::builder().start().await.unwrap() });
    runtime().block_on(async {
        let client = Client::from_url(server.url()).unwrap();
        let schemas = client.flow_schemas();
        let expected: Vec<_> = schemas.list().await.unwrap().items;
        let expected: Vec<_> = expected.iter().map(|one| one.name().to_owned()).collect();
        let mut events = schemas.watch().await.unwrap();
        let mut seen = Vec::new();
        while seen.len() < expected.len() {
            match abandon(events.next(), 1).await {
                None => tokio::task::yield_now().await,
                Some(Some(Ok(WatchEvent::Added { object, .. }))) => {
                    seen.push(object.name().to_owned());
                }
                Some(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(seen, expected);
    });
}
