//! Servers on which watches do not work, or never end a list: no copy stays out of date, and the store reports it.

use crate::watching::fake::{Fake, Reply, answer, bookmark, ends, error_line, line, list, status};
use crate::watching::support::{next, soon, take, watcher};
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{Client, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

type Level = k8s_flowcontrol::api::v1::PriorityLevelConfiguration;

/// Waits until the store's last error is as wanted.
async fn until(store: &Store<Level>, wanted: impl Fn(Option<&Error>) -> bool) {
    soon(async {
        while !wanted(store.last_error().as_deref()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}

/// A watcher without streaming lists.
fn paged(client: &Client) -> k8s_flowcontrol::watch::Watcher<Level> {
    watcher(client).streaming_lists(false)
}

/// The first list has the level `a`, all others also `b`. Watches fail.
async fn broken(watch: fn() -> Reply) -> Fake {
    Fake::start(move |request| match (request.is_watch(), request.number) {
        (true, _) => watch(),
        (false, 0) => list(5, "", &[("a", 1)]),
        (false, _) => list(7, "", &[("a", 1), ("b", 7)]),
    })
    .await
}

#[tokio::test]
async fn watches_that_end_at_once_are_errors_and_lead_to_lists() {
    for lines in ["", "\n"] {
        let server = broken(if lines.is_empty() {
            || ends("")
        } else {
            || ends(bookmark(5, false))
        })
        .await;
        let mut watcher = paged(&server.client);
        assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "end"]);
        for _ in 0..3 {
            let error = soon(watcher.next()).await.unwrap().unwrap_err();
            assert!(error.is_retryable());
            let text = "GET /apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations: the server ended the \
                        watch within a second, without a new resource version";
            assert_eq!(error.to_string(), text);
        }
        let rest = ["begin", "item a", "item b", "end"];
        assert_eq!(take(&mut watcher, 4).await, rest);
        assert_eq!(
            server.requests(),
            ["list", "watch", "watch", "watch", "list"]
        );
    }
}

#[tokio::test]
async fn an_error_event_leads_to_a_list_unless_it_is_429() {
    for code in [400, 403, 410, 500, 503, 504] {
        let server = Fake::start(move |request| match request.number {
            0 => list(5, "", &[("a", 1)]),
            2 => list(7, "", &[("a", 1), ("b", 7)]),
            _ => ends(error_line(code)),
        })
        .await;
        let mut watcher = paged(&server.client);
        assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "end"]);
        assert_eq!(next(&mut watcher).await, format!("error {code}"));
        let rest = ["begin", "item a", "item b", "end"];
        assert_eq!(take(&mut watcher, 4).await, rest);
    }
    let server = Fake::start(|request| match request.number {
        0 => list(5, "", &[("a", 1)]),
        number if number < 20 => ends(error_line(429)),
        _ => Reply::Open(line("ADDED", "b", 7)),
    })
    .await;
    let mut watcher = paged(&server.client);
    assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "end"]);
    assert_eq!(take(&mut watcher, 19).await, ["error 429"; 19]);
    assert_eq!(next(&mut watcher).await, "applied b");
    assert_eq!(server.count("list"), 1);
}

#[tokio::test]
async fn a_store_reports_watches_that_fail_until_one_works() {
    for failure in [|| ends(""), || ends(error_line(500))] {
        let is_repaired = Arc::new(AtomicBool::new(false));
        let repaired = is_repaired.clone();
        let server = Fake::start(move |request| match request.is_watch() {
            true if repaired.load(Ordering::SeqCst) => Reply::Open(String::new()),
            true => failure(),
            false => list(5, "", &[("a", 1)]),
        })
        .await;
        let store = Store::start(paged(&server.client));
        soon(store.wait_ready()).await.unwrap();
        until(&store, |error| error.is_some()).await;
        // Neither the lists nor the opened watches hide it.
        let begun = server.count("list");
        soon(async {
            while server.count("list") < begun + 5 {
                assert!(store.last_error().is_some());
                tokio::task::yield_now().await;
            }
        })
        .await;
        // A watch without events works too.
        is_repaired.store(true, Ordering::SeqCst);
        until(&store, |error| error.is_none()).await;
        assert_eq!(store.len(), 1);
    }
}

#[tokio::test]
async fn a_failure_is_over_when_the_next_watch_works() {
    // Without events; with a bookmark of the same version; with a change.
    let lines = [String::new(), bookmark(5, false), line("ADDED", "b", 7)];
    for lines in lines {
        let server = Fake::start(move |request| match request.number {
            0 => list(5, "", &[("a", 1)]),
            1 | 2 => answer(503, "", status(503)),
            _ => Reply::Open(lines.clone()),
        })
        .await;
        let store = Store::start(paged(&server.client));
        until(&store, |error| {
            error.is_some_and(|error| error.code() == Some(503))
        })
        .await;
        until(&store, |error| error.is_none()).await;
        assert_eq!(server.requests(), ["list", "watch", "watch", "watch"]);
    }
}

#[tokio::test]
async fn a_retry_after_of_an_hour_is_bounded() {
    let server = Fake::start(|request| match request.number {
        0 => answer(503, "Retry-After: 3600\r\n", status(503)),
        1 => list(5, "", &[("a", 1)]),
        2 => answer(503, "Retry-After: 3600\r\n", status(503)),
        // In an ERROR event.
        3 => ends(
            r#"{"type":"ERROR","object":{"kind":"Status","code":429,"details":{"retryAfterSeconds":3600}}}"#,
        ),
        _ => Reply::Open(line("ADDED", "b", 7)),
    })
    .await;
    let mut watcher = paged(&server.client).max_retry_after(Duration::from_millis(20));
    let expected = [
        "error 503",
        "begin",
        "item a",
        "end",
        "error 503",
        "error 429",
        "applied b",
    ];
    assert_eq!(take(&mut watcher, 7).await, expected);
}

#[tokio::test]
async fn a_lower_version_leads_to_a_list() {
    for lines in [bookmark(3, false), line("ADDED", "b", 3)] {
        let server = Fake::start(move |request| match (request.is_watch(), request.number) {
            (false, 0) => list(5, "", &[("a", 1)]),
            (false, _) => list(3, "", &[("b", 3)]),
            (true, 1) => Reply::Open(lines.clone()),
            (true, _) => Reply::Open(bookmark(4, false)),
        })
        .await;
        let mut watcher = paged(&server.client);
        assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "end"]);
        let error = soon(watcher.next()).await.unwrap().unwrap_err();
        let text =
            "the server went back from resource version 5 to 3; was it restored from a backup?";
        assert!(error.to_string().ends_with(text), "{error}");
        assert_eq!(take(&mut watcher, 3).await, ["begin", "item b", "end -a"]);
    }
}
