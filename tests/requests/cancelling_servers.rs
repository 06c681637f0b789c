//! Servers whose start, upgrade or stop is dropped at each of its await points: no task and no port is left, and a server that lives
//! serves on.

use crate::requests::cancelling::{abandon, no_task_is_left, runtime};
use crate::requests::support::{config, hasty};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::{Answer, ApiServer, Builder, Mode, Receiver, Torture};
use std::time::Duration;
use tokio::net::TcpStream;

/// A server with TLS or without.
fn builder(is_secure: bool) -> Builder {
    let builder = ApiServer::builder().kubernetes("1.33");
    if is_secure { builder.tls() } else { builder }
}

fn client(server: &ApiServer, is_secure: bool) -> Client {
    let config = match is_secure {
        true => config(server),
        false => Config::new(server.url()).unwrap(),
    };
    Client::new(config.with_retry_policy(hasty())).unwrap()
}

/// An open watch, so that the server has a connection to end.
async fn watch(client: &Client) -> impl Sized + use<> {
    let mut events = client.flow_schemas().watch().await.unwrap();
    events.next().await.unwrap().unwrap();
    events
}

/// The minor version that the server reports.
async fn minor(client: &Client) -> String {
    client.version().await.unwrap().minor
}

/// Waits until nobody listens on a port.
async fn port_is_free(port: u16, what: &str) {
    let freed = async {
        while TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    let freed = tokio::time::timeout(Duration::from_secs(20), freed).await;
    assert!(freed.is_ok(), "{what}: the port is still in use");
}

#[test]
fn a_dropped_start_leaves_nothing_behind() {
    for is_secure in [false, true] {
        runtime().block_on(async {
            let mut polls = 1;
            let server = loop {
                if let Some(started) = abandon(builder(is_secure).start(), polls).await {
                    break started.unwrap();
                }
                no_task_is_left("a start").await;
                polls += 1;
                assert!(polls < 1000, "the start does not end");
            };
            let client = client(&server, is_secure);
            assert_eq!(minor(&client).await, "33");
            // The server is ready when the start returns; dropping it is enough.
            let events = watch(&client).await;
            let port = server.port();
            drop(server);
            port_is_free(port, "a dropped server").await;
            drop((events, client));
            no_task_is_left("a dropped server").await;
        });
    }
}

#[test]
fn a_dropped_upgrade_happens_or_not_and_the_server_serves_on() {
    for is_secure in [false, true] {
        let mut dropped = 0;
        for polls in 1.. {
            assert!(polls < 1000, "the upgrade does not end");
            let done = runtime().block_on(async {
                let server = builder(is_secure).start().await.unwrap();
                let client = client(&server, is_secure);
                let events = watch(&client).await;
                let done = abandon(server.upgrade("1.34"), polls).await.is_some();
                let found = minor(&client).await;
                match done {
                    true => assert_eq!(found, "34"),
                    false => assert!(["33", "34"].contains(&&*found), "{found}"),
                }
                // A dropped upgrade is in the way of no other one.
                server.upgrade("1.35").await.unwrap();
                assert_eq!(minor(&client).await, "35");
                let schemas = client.flow_schemas().list().await.unwrap();
                assert!(
                    schemas
                        .items
                        .iter()
                        .any(|one| one.metadata.name.as_deref() == Some("exempt"))
                );
                server.stop().await;
                drop((events, client));
                no_task_is_left("an upgrade").await;
                done
            });
            if done {
                break;
            }
            dropped += 1;
        }
        assert!(dropped > 0, "it was never dropped early");
    }
}

#[test]
fn a_dropped_stop_stops_the_server() {
    for is_secure in [false, true] {
        let mut dropped = 0;
        for polls in 1.. {
            assert!(polls < 1000, "the stop does not end");
            let done = runtime().block_on(async {
                let server = builder(is_secure).start().await.unwrap();
                let port = server.port();
                let client = client(&server, is_secure);
                let events = watch(&client).await;
                let done = abandon(server.stop(), polls).await.is_some();
                port_is_free(port, "a stop").await;
                let again = ApiServer::builder().port(port).start().await.unwrap();
                again.stop().await;
                drop((events, client));
                no_task_is_left("a stop").await;
                done
            });
            if done {
                break;
            }
            dropped += 1;
        }
        assert!(dropped > 0, "it was never dropped early");
    }
}

#[test]
fn a_dropped_start_or_stop_of_the_other_servers_leaves_nothing_behind() {
    let mut dropped = 0;
    for polls in 1.. {
        assert!(polls < 1000, "the stop does not end");
        let done = runtime().block_on(async {
            let server = ApiServer::start().await.unwrap();
            let torture = Torture::new([Mode::Slow]);
            let torture = abandon(torture.start(server.upstream()), polls).await;
            let receiver = abandon(Receiver::builder().start(), polls).await;
            let mut done = torture.is_some();
            if let Some(torture) = torture {
                drop(torture.unwrap());
            }
            if let Some(receiver) = receiver {
                let (receiver, mut posts) = receiver.unwrap();
                let url = receiver.url();
                let client = Client::new(Config::new(&url).unwrap()).unwrap();
                let ask = crate::spawn(async move { client.get_raw("/livez").await });
                // The stop waits for the answer to this request.
                let post = posts.recv().await.unwrap();
                let stopped = abandon(receiver.stop(), polls).await;
                done &= stopped.is_some();
                post.answer(Answer::new(200, "text/plain", "ok"));
                let _failed = ask.await.unwrap();
                let port = url.rsplit(':').next().unwrap().parse().unwrap();
                port_is_free(port, "a receiver").await;
            }
            server.stop().await;
            no_task_is_left("the other servers").await;
            done
        });
        if done {
            break;
        }
        dropped += 1;
    }
    assert!(dropped > 0, "it was never dropped early");
}
