//! The operations of the public face that `cancelling` drops.

use crate::requests::support::schema;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::BoxFuture;
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol::controller::lease::coordination_v1;
use k8s_flowcontrol::controller::{Action, Controller, Election, WorkQueue};
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{Client, Resource as _};
use k8s_flowcontrol_pace::Pace;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

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
