//! Waits: which failures end them.

use super::{LONG, NONE, bookmark, change, code, list, short, watch};
use crate::script::{Reply, Script};
use k8s_flowcontrol::wait;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_wait_lists_again_after_a_watch_without_events() {
    let quarter = Duration::from_secs(73);
    let marks = (0..4).fold(Reply::ok(""), |watch, _| {
        watch.data(bookmark("5", false)).pause(quarter)
    });
    let replies = [
        list("5"),
        marks,
        watch(&[], NONE),
        list("5"),
        watch(&[], LONG),
        list("5"),
        Reply::ok("").stays_open(),
    ];
    let script = Script::of(replies);
    let schemas = script.client().flow_schemas();
    let wait = schemas.wait_for("b", wait::is_not_dangling());
    let limited = wait.timeout(Duration::from_secs(400));
    assert!(limited.await.unwrap_err().is_timeout());
    let requests: Vec<_> = script.sent().iter().map(short).collect();
    let expected = [
        "list", "watch 5", "watch 5", "list", "watch 5", "list", "watch 5",
    ];
    assert_eq!(requests, expected);
}

/// The name of the object, and the error's code, after these replies.
async fn waited(replies: Vec<Reply>) -> Result<Option<String>, Option<u16>> {
    let script = Script::of(replies);
    let schemas = script.client().flow_schemas();
    let found = schemas.wait_for("a", wait::exists()).await;
    found
        .map(|schema| schema.and_then(|schema| schema.metadata.name))
        .map_err(|error| error.code())
}

#[tokio::test(start_paused = true)]
async fn failures_of_the_server_do_not_end_a_wait() {
    let found = Ok(Some("a".to_owned()));
    for failure in [500, 501, 502, 503, 504, 408, 429] {
        let replies = vec![code(failure), list("5")];
        assert_eq!(waited(replies).await, found, "{failure}");
    }
    for failure in [400, 401, 403, 404, 405, 409, 422] {
        let replies = vec![code(failure), list("5")];
        assert_eq!(waited(replies).await, Err(Some(failure)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_without_an_end_is_not_called_a_watch() {
    for (size, limit) in [(500, "150s"), (0, "1500s")] {
        let script = Script::of([Reply::ok("").stays_open()]);
        let watcher = script.client().flow_schemas().watcher();
        let mut watcher = watcher.streaming_lists(false).page_size(size);
        let error = loop {
            match watcher.next().await {
                Some(Err(error)) => break error,
                Some(Ok(_)) => {}
                None => unreachable!(),
            }
        };
        let text = error.to_string();
        let expected =
            format!("the response was not complete within {limit}, and the request was abandoned");
        assert!(text.ends_with(&expected), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_is_over_is_not_the_reason_of_a_timeout() {
    let after = |replies: Vec<Reply>| async move {
        let script = Script::of(replies);
        let schemas = script.client().flow_schemas();
        let wait = schemas.wait_for("b", wait::exists()).timeout(LONG);
        wait.await.unwrap_err()
    };
    let quiet = || Reply::ok("").stays_open();
    let over = after(vec![
        code(500),
        list("5"),
        Reply::closes(),
        list("5"),
        quiet(),
    ])
    .await;
    assert!(std::error::Error::source(&over).is_none(), "{over:?}");
    let text = over.to_string();
    assert!(
        text.contains("`b`, which does not exist, did not"),
        "{text}"
    );

    let failing = (0..200).map(|_| code(500));
    let lasting = after([list("5")].into_iter().chain(failing).collect()).await;
    let source = std::error::Error::source(&lasting).unwrap().to_string();
    assert!(source.contains("500"), "{source}");
    // It may exist by now.
    let text = lasting.to_string();
    assert!(!text.contains("which does not exist"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_without_an_end_may_succeed_later() {
    let slow = (0..16).fold(Reply::ok(""), |list, _| {
        list.data(change("1")).pause(Duration::from_secs(100))
    });
    let script = Script::of([slow]);
    let mut watcher = script.client().flow_schemas().watcher();
    let error = loop {
        if let Some(Err(error)) = watcher.next().await {
            break error;
        }
    };
    let text = error.to_string();
    assert!(text.contains("was not complete within 1500s"), "{text}");
    assert!(error.is_timeout() && error.is_retryable(), "{text}");
}
