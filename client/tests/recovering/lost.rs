//! A watch that may have missed events without a notice: the version of the server is checked.

use super::{IDLE, LONG, NONE, code, list, paged, watch};
use crate::script::{Reply, unreachable};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn after_a_lost_connection_the_version_of_the_server_is_checked() {
    for lost in 0..4 {
        let mut replies = vec![list("5")];
        let lose = async || match lost {
            0 => Reply::fails(unreachable().await),
            1 => Reply::closes(),
            2 => Reply::ok("").stays_open(),
            // Earlier than requested.
            _ => watch(&[], LONG / 2),
        };
        // It is checked until it is known.
        replies.extend([lose().await, Reply::fails(unreachable().await), list("5")]);
        // The watches after it are ordinary ones.
        replies.extend([watch(&["6"], LONG), lose().await, list("5"), list("5")]);
        let requests = paged(replies).await;
        let late = if lost == 3 { "check" } else { "+check" };
        assert_eq!(
            requests,
            [
                "list", "watch 5", late, "+check", "watch 5", "watch 6", late, "list", "watch 5"
            ]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_watch_that_has_worked_is_no_failed_watch() {
    let mut replies = vec![list("5")];
    for version in 6..16_u32 {
        let version = version.to_string();
        let breaks = watch(&[&version], NONE).breaks();
        replies.extend([breaks, list(&version)]);
    }
    for _ in 0..10 {
        replies.extend([watch(&[], LONG).breaks(), list("15")]);
    }
    let requests = super::timed(|watcher| watcher.streaming_lists(false), replies).await;
    let mut expected = vec!["list".to_owned()];
    for version in (5..15).chain([15; 10]) {
        expected.extend([format!("watch {version}"), "check".to_owned()]);
    }
    expected.push("watch 15".to_owned());
    let names: Vec<_> = requests.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names, expected);
    for (_, delay) in &requests[..21] {
        assert!(*delay <= Duration::from_millis(1001), "{delay:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_lost_connection_nothing_is_checked() {
    let nearly = IDLE - Duration::from_secs(1);
    let replies = vec![
        list("5"),
        watch(&["6"], NONE),
        watch(&["7"], Duration::from_millis(1)),
        watch(&["8"], nearly),
        watch(&["9"], LONG)
            .data(super::bookmark("9", false))
            .pause(nearly),
        code(429),
        code(503),
        code(403),
    ];
    let requests = paged(replies).await;
    let (ends, failures) = requests.split_at(5);
    assert_eq!(ends, ["list", "watch 5", "+watch 6", "+watch 7", "watch 8"]);
    assert_eq!(failures, ["watch 9", "+watch 9", "+watch 9", "+watch 9"]);
    // Versions that are not numbers cannot be compared.
    let requests = paged(vec![list("5"), Reply::closes(), list("x")]).await;
    assert_eq!(requests, ["list", "watch 5", "+check", "watch 5"]);
}
