//! The delays after failures.

use super::{NONE, Requests, bookmark, code, error_line, list, page, timed, watch};
use crate::script::Reply;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::watch::Watcher;
use std::time::Duration;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A response that asks to come back after some seconds.
fn after(seconds: u64) -> Reply {
    code(503).header("retry-after", &seconds.to_string())
}

/// The delays before the requests after these replies.
async fn delays(min: u64, max: u64, replies: Vec<Reply>) -> Vec<Duration> {
    let set = |watcher: Watcher<FlowSchema>| {
        let watcher = watcher.streaming_lists(false).backoff(ms(min), ms(max));
        watcher.max_retry_after(ms(9000))
    };
    let requests: Requests = timed(set, replies).await;
    requests[1..].iter().map(|(_, delay)| *delay).collect()
}

/// Timers have milliseconds.
fn is_within(delay: Duration, least: u64, most: u64) {
    let range = ms(least)..=ms(most + 1);
    assert!(range.contains(&delay), "{delay:?} of {range:?}");
}

#[tokio::test(start_paused = true)]
async fn delays_grow_to_the_longest_until_a_success() {
    let mut replies: Vec<_> = (0..6).map(|_| code(503)).collect();
    replies.extend([list("5"), watch(&["6"], Duration::ZERO)]);
    let delays = delays(100, 1000, replies).await;
    for (delay, full) in delays.iter().zip([100, 200, 400, 800, 1000, 1000]) {
        is_within(*delay, full / 2, full);
    }
    is_within(delays[6], 0, 0);
    is_within(delays[7], 50, 100);
}

#[tokio::test(start_paused = true)]
async fn the_server_may_set_a_longer_delay_up_to_a_maximum() {
    let replies = [5, 9, 3600, 0].map(after).into();
    let delays = delays(100, 100, replies).await;
    for (delay, seconds) in delays.into_iter().zip([5, 9, 9, 0]) {
        is_within(delay, 1000 * seconds + 50, 1000 * seconds + 100);
    }
}

#[tokio::test(start_paused = true)]
async fn delays_of_the_server_do_not_grow_unless_other_failures_come_between() {
    let mut replies: Vec<_> = (0..20).map(|_| after(1)).collect();
    replies.extend([code(503), after(1)]);
    replies.extend([code(503), code(503), code(503), after(1)]);
    let delays = delays(100, 10_000, replies).await;
    for delay in &delays[..20] {
        is_within(*delay, 1050, 1100);
    }
    is_within(delays[21], 1050, 1100);
    is_within(delays[25], 1400, 1800);
}

#[tokio::test(start_paused = true)]
async fn no_delay_is_zero() {
    let delays = delays(0, 0, vec![code(503), code(503)]).await;
    assert!(delays.into_iter().all(|delay| delay > Duration::ZERO));
}

/// Watches that deliver a change, and then fail so that a list follows.
#[tokio::test(start_paused = true)]
async fn delays_before_lists_grow_until_watches_last() {
    let ends: [fn(Reply) -> Reply; 4] = [
        |watch| watch.data(error_line(410)),
        |watch| watch.data(error_line(500)),
        |watch| watch.data(bookmark("1", false)),
        // The check shows a lower version.
        Reply::breaks,
    ];
    for (number, end) in ends.into_iter().enumerate() {
        let is_checked = number == 3;
        let fail = |version: u32, lived| {
            let mut replies = vec![end(watch(&[&version.to_string()], lived))];
            replies.extend(is_checked.then(|| list("1")));
            replies
        };
        let mut replies = vec![list("5")];
        for _ in 0..6 {
            replies.extend(fail(6, NONE));
            replies.push(list("5"));
        }
        // They have lasted for the longest delay, but not in a row.
        replies.extend([watch(&["6"], ms(600)), watch(&["7"], ms(600))]);
        replies.extend(fail(8, NONE));
        let delays = delays(100, 1000, replies).await;
        // Each change ends the row of other delays.
        let step = if is_checked { 3 } else { 2 };
        let lists: Vec<_> = delays.chunks_exact(step).map(|row| row[step - 1]).collect();
        let first = if number == 1 || number == 2 { 100 } else { 0 };
        for (delay, full) in lists.iter().zip([first, 200, 400, 800, 1000, 1000]) {
            is_within(*delay, full / 2, full);
        }
        is_within(delays[delays.len() - 1], first / 2, first);
    }
}

#[tokio::test(start_paused = true)]
async fn the_server_may_delay_every_request() {
    let hour = || [after(60), after(3600)];
    let begins: [(bool, Vec<Reply>); 3] = [
        (false, vec![list("5")]),
        (false, vec![page("5", "t")]),
        (true, vec![]),
    ];
    for (streams, mut replies) in begins {
        replies.extend(hour());
        let requests = timed(|watcher| watcher.streaming_lists(streams), replies).await;
        for (_, delay) in &requests[requests.len() - 2..] {
            // The default maximum.
            is_within(*delay, 60_000, 61_000);
        }
    }
}
