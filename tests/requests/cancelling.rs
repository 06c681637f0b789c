//! Futures that are dropped at each of their await points leave nothing behind, and the client works on.

use crate::requests::cancelling_operations::OPERATIONS;
use crate::requests::support::{config, hasty};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::controller::lease::coordination_v1;
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol::{Client, Resource as _};
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

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
