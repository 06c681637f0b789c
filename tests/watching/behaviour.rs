//! The events of a watcher, in each situation.

use crate::watching::support::{
    create, delete, next, relabel, server, server_of, soon, start_in_place, take, watcher,
    while_away,
};
use k8s_flowcontrol::watch::{Store, StoreEvent, WatcherEvent};
use k8s_flowcontrol::{Client, Resource};
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::time::Duration;

/// The value of a query parameter of each GET that arrived, or `-`.
fn sent(server: &ApiServer, parameter: &str) -> Vec<String> {
    let requests = server
        .requests()
        .into_iter()
        .filter(|request| request.method == "GET");
    let value = |query: Vec<(String, String)>| {
        let found = query.into_iter().find(|(name, _)| name == parameter);
        found.map_or("-".to_owned(), |(_, value)| value)
    };
    requests.map(|request| value(request.query)).collect()
}

#[tokio::test]
async fn objects_from_the_first_to_the_last_change() {
    for (release, streams) in [
        ("1.36", true),
        ("1.36", false),
        ("1.29", true),
        ("1.25", true),
    ] {
        let (server, client) = server_of(release).await;
        // Of a release that serves no v1 the same through v1beta2.
        let levels = if release == "1.25" {
            client.negotiated().await.unwrap().watcher()
        } else {
            watcher(&client)
        };
        let mut watcher = levels.streaming_lists(streams);
        if release == "1.25" {
            assert_eq!(take(&mut watcher, 2).await, ["begin", "end"]);
            continue;
        }
        create(&client, "a", &[]).await;
        create(&client, "b", &[]).await;
        assert_eq!(
            take(&mut watcher, 4).await,
            ["begin", "item a", "item b", "end"]
        );
        create(&client, "c", &[]).await;
        relabel(&client, "a", "x", Some("y")).await;
        delete(&client, "b").await;
        assert_eq!(
            take(&mut watcher, 3).await,
            ["applied c", "applied a", "deleted b"]
        );

        let expected: &[&str] = match (release, streams) {
            // One request for the objects and for what follows.
            ("1.36", true) => &["true"],
            // An older server rejects that; then there is a list and a watch.
            (_, true) => &["true", "-", "-"],
            _ => &["-", "-"],
        };
        assert_eq!(sent(&server, "sendInitialEvents"), expected, "{release}");
    }
}

#[tokio::test]
async fn lists_come_in_pages_of_one_resource_version() {
    let (server, client) = server().await;
    for name in ["a", "b", "c", "d", "e"] {
        create(&client, name, &[]).await;
    }
    let mut watcher = watcher(&client).streaming_lists(false).page_size(2);
    assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "item b"]);
    // All pages are of one resource version, so this object comes after the list.
    create(&client, "f", &[]).await;
    let rest = ["item c", "item d", "item e", "end", "applied f"];
    assert_eq!(take(&mut watcher, 5).await, rest);
    assert_eq!(sent(&server, "limit"), ["2", "2", "2", "-"]);
}

#[tokio::test]
async fn after_an_expired_page_the_list_is_in_one_piece() {
    let (server, client) = server().await;
    for name in ["a", "b", "c"] {
        create(&client, name, &[]).await;
    }
    let mut watcher = watcher(&client).streaming_lists(false).page_size(1);
    assert_eq!(take(&mut watcher, 2).await, ["begin", "item a"]);
    delete(&client, "a").await;
    server.expire_history();
    let rest = ["error 410", "begin", "item b", "item c", "end -a"];
    assert_eq!(take(&mut watcher, 5).await, rest);
    create(&client, "d", &[]).await;
    assert_eq!(next(&mut watcher).await, "applied d");
    assert_eq!(sent(&server, "limit"), ["1", "1", "-", "-"]);
}

#[tokio::test]
async fn a_page_that_fails_is_requested_again() {
    let (server, client) = server().await;
    for name in ["a", "b"] {
        create(&client, name, &[]).await;
    }
    let mut watcher = watcher(&client).streaming_lists(false).page_size(1);
    assert_eq!(take(&mut watcher, 2).await, ["begin", "item a"]);
    // More often than the client's own retries.
    server.inject(Fault::unavailable().times(20));
    let mut events = Vec::new();
    while events.last().is_none_or(|last| last != "end") {
        events.push(next(&mut watcher).await);
    }
    events.retain(|event| event != "error 503");
    assert_eq!(events, ["item b", "end"]);
}

#[tokio::test]
async fn a_watch_that_breaks_continues() {
    let (server, client) = server().await;
    create(&client, "a", &[]).await;
    for streams in [true, false] {
        server.clear_faults();
        let mut watcher = watcher(&client)
            .streaming_lists(streams)
            .watch_timeout(Duration::from_secs(1));
        assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "end"]);
        // Each watch from now on breaks in the middle of its second line.
        server.inject(Fault::cut_watch(1).times(1000));
        let mut applied = 0;
        let mut broke = 0;
        relabel(&client, "a", "n", Some("0")).await;
        while applied < 5 || broke < 2 {
            match soon(watcher.next()).await.unwrap() {
                Ok(WatcherEvent::Applied { object, .. }) => {
                    assert_eq!(object.metadata.labels["n"], applied.to_string());
                    applied += 1;
                    relabel(&client, "a", "n", Some(&applied.to_string())).await;
                }
                Ok(other) => panic!("{other:?}"),
                Err(error) => {
                    assert!(error.is_retryable(), "{error}");
                    broke += 1;
                }
            }
        }
    }
}

#[tokio::test]
async fn an_expired_version_leads_to_a_list_that_reports_disappeared_objects() {
    for streams in [true, false] {
        let (server, client) = server().await;
        for name in ["a", "b", "c"] {
            create(&client, name, &[]).await;
        }
        let mut watcher = watcher(&client)
            .streaming_lists(streams)
            .watch_timeout(Duration::from_secs(1));
        let first = ["begin", "item a", "item b", "item c", "end"];
        assert_eq!(take(&mut watcher, 5).await, first);
        while_away(&server, &mut watcher, async || {
            delete(&client, "b").await;
            create(&client, "d", &[]).await;
            relabel(&client, "c", "x", Some("y")).await;
            server.expire_history();
        })
        .await;
        let rest = ["error 410", "begin", "item a", "item c", "item d", "end -b"];
        assert_eq!(take(&mut watcher, 6).await, rest);
        delete(&client, "a").await;
        assert_eq!(next(&mut watcher).await, "deleted a");
    }
}

#[tokio::test]
async fn permanent_errors_are_reported_again_and_again() {
    let server = ApiServer::builder()
        .tls()
        .tokens("admin-token,admin,1,\"system:masters\"\nbob-token,bob,2")
        .start()
        .await
        .unwrap();
    let config = |token: &str| {
        k8s_flowcontrol::config::Config::new(server.url())
            .unwrap()
            .with_certificate_authority(server.ca_pem().unwrap())
            .with_token(k8s_flowcontrol::config::Secret::new(token))
    };
    for (token, expected) in [("wrong", "error 401"), ("bob-token", "error 403")] {
        let client = Client::new(config(token)).unwrap();
        let mut watcher = watcher(&client);
        assert_eq!(take(&mut watcher, 6).await, [expected; 6]);
    }
    // A version that is not served.
    let (_server, client) = server_of("1.25").await;
    assert_eq!(take(&mut watcher(&client), 6).await, ["error 404"; 6]);
}

#[tokio::test]
async fn each_selector_narrows_what_is_watched() {
    let (_server, client) = server().await;
    create(&client, "a", &[("team", "a"), ("env", "prod")]).await;
    create(&client, "b", &[("team", "a"), ("env", "test")]).await;
    create(&client, "c", &[("team", "a"), ("env", "prod")]).await;
    let mut watcher = watcher(&client)
        .label_selector("team=a")
        .label_selector("env=prod")
        .field_selector("metadata.name!=c");
    assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "end"]);
    relabel(&client, "b", "env", Some("prod")).await;
    relabel(&client, "a", "team", None).await;
    assert_eq!(take(&mut watcher, 2).await, ["applied b", "deleted a"]);
}

#[tokio::test]
async fn an_invalid_selector_is_an_error() {
    let (_server, client) = server().await;
    let mut watcher = watcher(&client).label_selector("a in (");
    assert_eq!(take(&mut watcher, 2).await, ["error 400", "error 400"]);
}

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let server = ApiServer::builder()
        .bootstrap(false)
        // No bookmarks during the test.
        .bookmark_interval(Duration::from_secs(3600))
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    create(&client, "a", &[]).await;
    // Longer than a busy machine stops a program.
    let mut watcher = watcher(&client).idle_timeout(Duration::from_secs(1));
    assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "end"]);
    // After two it lists, in case the server has lost its history.
    let silent = ["error timeout", "error timeout", "begin", "item a", "end"];
    assert_eq!(take(&mut watcher, 5).await, silent);
    let error = soon(watcher.next()).await.unwrap().unwrap_err();
    let text = "GET /apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations: the watch was silent for 1s and \
                was closed";
    assert_eq!(error.to_string(), text);
}

#[tokio::test]
async fn a_server_restored_from_a_backup_leads_to_a_list() {
    let (server, client) = server().await;
    let port = server.port();
    for name in ["a", "b", "c", "d"] {
        create(&client, name, &[]).await;
    }
    let mut watcher = watcher(&client).idle_timeout(Duration::from_millis(300));
    let first = ["begin", "item a", "item b", "item c", "item d", "end"];
    assert_eq!(take(&mut watcher, 6).await, first);
    server.stop().await;
    // A server in its place, as restored from an old backup: its resource versions are smaller.
    let restored = ApiServer::builder()
        .bootstrap(false)
        .bookmark_interval(Duration::from_millis(20));
    let _server = start_in_place(restored, port).await;
    create(&client, "c", &[]).await;
    let mut events = Vec::new();
    while events
        .last()
        .is_none_or(|last: &String| !last.starts_with("end"))
    {
        let event = next(&mut watcher).await;
        if !event.starts_with("error") {
            events.push(event);
        }
    }
    assert_eq!(events, ["begin", "item c", "end -a -b -d"]);
}

#[tokio::test]
async fn a_store_notices_a_restored_server_at_the_next_connection() {
    let (server, client) = server().await;
    let port = server.port();
    for name in ["a", "b", "c", "d"] {
        create(&client, name, &[]).await;
    }
    // With the default timeouts, so that the server's silence tells nothing for minutes.
    let store = Store::start(watcher(&client));
    let mut events = store.subscribe();
    assert!(matches!(
        soon(events.next()).await,
        Some(StoreEvent::Snapshot(_))
    ));
    // Without a goodbye.
    drop(server);
    let restored = ApiServer::builder().bootstrap(false).record_requests();
    let restored = start_in_place(restored, port).await;
    for name in ["a", "b", "c", "d"] {
        match soon(events.next()).await {
            Some(StoreEvent::Deleted { object }) => assert_eq!(object.name(), name),
            other => panic!("{other:?}"),
        }
    }
    let limits = sent(&restored, "limit");
    assert_eq!(limits.iter().filter(|limit| *limit == "1").count(), 1);
}

#[tokio::test]
async fn managed_fields_can_be_dropped() {
    let (_server, client) = server().await;
    create(&client, "a", &[]).await;
    for streams in [true, false] {
        for drops in [true, false] {
            let mut watcher = watcher(&client).streaming_lists(streams);
            if drops {
                watcher = watcher.drop_managed_fields();
            }
            soon(watcher.next()).await.unwrap().unwrap();
            let WatcherEvent::ListItem { object: item, .. } =
                soon(watcher.next()).await.unwrap().unwrap()
            else {
                panic!("expected an item");
            };
            assert_eq!(item.metadata.managed_fields.is_empty(), drops);
            soon(watcher.next()).await.unwrap().unwrap();
            relabel(&client, "a", "x", Some(&format!("{streams}-{drops}"))).await;
            let WatcherEvent::Applied {
                object: changed, ..
            } = soon(watcher.next()).await.unwrap().unwrap()
            else {
                panic!("expected a change");
            };
            assert_eq!(changed.metadata.managed_fields.is_empty(), drops);
        }
    }
}

#[tokio::test]
async fn changed_settings_lead_to_a_list() {
    let (_server, client) = server().await;
    create(&client, "a", &[("team", "a")]).await;
    create(&client, "b", &[("team", "b")]).await;
    let mut watcher = watcher(&client);
    assert_eq!(take(&mut watcher, 2).await, ["begin", "item a"]);
    let mut watcher = watcher.label_selector("team=b");
    assert_eq!(take(&mut watcher, 3).await, ["begin", "item b", "end"]);
}
