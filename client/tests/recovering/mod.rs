//! The requests of a watcher, one after the other, and the delays between them. The clock is stopped.

mod delays;
mod lost;
mod waits;

use crate::script::{Reply, Script, Sent, unreachable};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::watch::Watcher;
use std::time::Duration;

const NONE: Duration = Duration::ZERO;
const LONG: Duration = Duration::from_secs(10);
/// Half of a quiet time.
const QUIET: Duration = Duration::from_secs(75);
const IDLE: Duration = Duration::from_secs(150);

/// A page of a list.
fn page(version: &str, token: &str) -> Reply {
    Reply::ok(format!(
        r#"{{"metadata":{{"resourceVersion":"{version}","continue":"{token}"}},"items":[{{"metadata":{{"name":"a"}}}}]}}"#
    ))
}

fn list(version: &str) -> Reply {
    page(version, "")
}

/// The line of a change.
fn change(version: &str) -> String {
    format!(
        "{{\"type\":\"ADDED\",\"object\":{{\"metadata\":{{\"name\":\"a\",\"resourceVersion\":\"{version}\"}}}}}}\n"
    )
}

/// The line of a bookmark; `ends` is that of a streaming list.
fn bookmark(version: &str, ends: bool) -> String {
    format!(
        "{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{{\"resourceVersion\":\"{version}\",\
         \"annotations\":{{\"k8s.io/initial-events-end\":\"{ends}\"}}}}}}}}\n"
    )
}

/// A watch with these changes that lives this long, and is ended by the server.
fn watch(versions: &[&str], lived: Duration) -> Reply {
    let lines: String = versions.iter().map(|version| change(version)).collect();
    Reply::ok(lines).pause(lived)
}

/// A watch that begins with the objects, and their end at a version.
fn streamed(version: &str, lived: Duration) -> Reply {
    Reply::ok(change("1") + &bookmark(version, true)).pause(lived)
}

/// The line of a watch that fails.
fn error_line(code: u16) -> String {
    let status = format!(r#"{{"kind":"Status","code":{code}}}"#);
    format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n")
}

/// A watch that fails.
fn error_event(code: u16) -> Reply {
    Reply::ok(error_line(code))
}

fn code(code: u16) -> Reply {
    Reply::new(code, "")
}

/// A version that the server has not reached.
fn too_new() -> Reply {
    Reply::new(
        504,
        r#"{"kind":"Status","code":504,"reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}}"#,
    )
}

/// A request in short: `stream`, `watch 5`, `check`, `list`, `list t` with a token, `list whole`.
fn short(sent: &Sent) -> String {
    let query = sent.query();
    let value = |name: &str| {
        let parts = query.split('&');
        parts
            .filter_map(|part| part.split_once('='))
            .find_map(|(found, value)| (found == name).then_some(value))
    };
    let limit = value("limit");
    match (value("resourceVersion"), value("continue")) {
        (Some(version), _) => format!("watch {version}"),
        _ if query.contains("sendInitialEvents") => "stream".to_owned(),
        _ if limit == Some("1") => "check".to_owned(),
        (_, Some(token)) => format!("list {token}"),
        _ if limit.is_none() => "list whole".to_owned(),
        _ => "list".to_owned(),
    }
}

/// The requests, and the delay before each.
type Requests = Vec<(String, Duration)>;

fn requests(sent: &[Sent], replies: Vec<Duration>) -> Requests {
    let mut ends = None;
    let mut requests = Vec::new();
    for (number, sent) in sent.iter().enumerate() {
        let delay = ends.map_or(NONE, |end| sent.at - end);
        requests.push((short(sent), delay));
        ends = replies.get(number).map(|lasts| sent.at + *lasts);
    }
    requests
}

/// The requests up to the one after the last reply, which gets no response.
async fn timed(
    set: impl FnOnce(Watcher<FlowSchema>) -> Watcher<FlowSchema>,
    replies: Vec<Reply>,
) -> Requests {
    let lasts: Vec<Duration> = replies.iter().map(|reply| reply.lasts(IDLE)).collect();
    let open = std::iter::once(Reply::ok("").stays_open());
    let script = Script::of(replies.into_iter().chain(open));
    let watcher = script.client().flow_schemas().watcher();
    let watcher = watcher
        .page_size(10)
        .backoff(Duration::from_secs(1), Duration::from_secs(8))
        .idle_timeout(IDLE)
        .watch_timeout(LONG);
    let mut watcher = set(watcher);
    while script.sent().len() <= lasts.len() {
        let _event = watcher.next().await;
    }
    requests(&script.sent(), lasts)
}

/// The requests in short, with a `+` before each that is sent after a delay.
fn marked(requests: &Requests) -> Vec<String> {
    let mark = |(request, delay): &(String, Duration)| {
        // Timers have milliseconds.
        let is_late = *delay > Duration::from_millis(2);
        format!("{}{request}", if is_late { "+" } else { "" })
    };
    requests.iter().map(mark).collect()
}

/// The requests of a watcher that lists in pages.
async fn paged(replies: Vec<Reply>) -> Vec<String> {
    marked(&timed(|watcher| watcher.streaming_lists(false), replies).await)
}

/// The requests of a watcher that tries streaming lists.
async fn streaming(replies: Vec<Reply>) -> Vec<String> {
    marked(&timed(|watcher| watcher, replies).await)
}

#[tokio::test(start_paused = true)]
async fn pages_then_a_watch() {
    let nameless = Reply::ok(change("")).pause(LONG);
    let replies = vec![page("5", "t"), page("6", ""), watch(&["7"], LONG), nameless];
    // The resource version of the first page counts; all pages have the same one.
    let expected = ["list", "list t", "watch 5", "watch 7", "watch 7"];
    assert_eq!(paged(replies).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_resource_version_is_repeated() {
    assert_eq!(
        paged(vec![list(""), list("5")]).await,
        ["list", "+list", "watch 5"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_whose_tokens_do_not_end_is_replaced_by_one_in_one_piece() {
    let tokens = ["a", "b", "c", "b"].map(|token| page("5", token));
    // The tokens of another list do not count.
    let replies = tokens.into_iter().chain([page("5", "b"), list("5")]);
    let requests = paged(replies.collect()).await;
    let expected = [
        "list",
        "list a",
        "list b",
        "list c",
        "+list whole",
        "list b",
        "watch 5",
    ];
    assert_eq!(requests, expected);
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_then_a_watch() {
    let requests = streaming(vec![streamed("5", LONG)]).await;
    assert_eq!(requests, ["stream", "watch 5"]);
}

#[tokio::test(start_paused = true)]
async fn streaming_lists_end_when_the_server_rejects_or_ignores_them() {
    let ignored = Reply::ok(change("1") + &bookmark("5", false));
    for first in [code(400), code(422), ignored] {
        let requests = streaming(vec![first, list("5"), code(410), list("5")]).await;
        let expected = ["stream", "list", "watch 5", "list", "watch 5"];
        assert_eq!(requests, expected, "streaming is not tried again");
    }
}

#[tokio::test(start_paused = true)]
async fn incomplete_streaming_lists_lead_to_one_list_in_pages() {
    let failures: [fn() -> Reply; 4] = [
        || watch(&["1"], LONG),
        || watch(&["1"], NONE).stays_open(),
        || code(403),
        || error_event(500),
    ];
    for fail in failures {
        let replies = vec![fail(), fail(), fail(), list("5"), code(410)];
        let expected = ["stream", "+stream", "+stream", "+list", "watch 5", "stream"];
        assert_eq!(streaming(replies).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_that_has_not_begun_is_not_incomplete() {
    for refused in [true, false] {
        let mut replies = Vec::new();
        for _ in 0..9 {
            replies.push(match refused {
                true => Reply::fails(unreachable().await),
                false => code(429),
            });
        }
        replies.extend([code(503), code(429), code(503), streamed("5", LONG)]);
        let requests = streaming(replies).await;
        assert_eq!(requests[1..13], ["+stream"; 12]);
        assert_eq!(requests[13], "watch 5");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_continues_from_its_version() {
    for failure in [503, 403, 429] {
        let requests = paged(vec![list("5"), code(failure)]).await;
        assert_eq!(requests, ["list", "watch 5", "+watch 5"], "{failure}");
    }
    // The normal end of a watch, with or without events.
    let mut replies = vec![list("5")];
    replies.extend((0..10).map(|_| watch(&[], LONG)));
    replies.extend([watch(&["6"], LONG), watch(&["7"], NONE)]);
    let requests = paged(replies).await;
    assert_eq!(requests[1..=11], ["watch 5"; 11]);
    assert_eq!(requests[12..], ["watch 6", "+watch 7"], "no tight loop");
}

#[tokio::test(start_paused = true)]
async fn a_list_follows_some_failures() {
    for failure in [code(410), too_new(), code(400), code(422), error_event(500)] {
        let requests = paged(vec![list("5"), failure]).await;
        assert_eq!(requests[2].trim_start_matches('+'), "list");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_follows_a_few_failed_watches() {
    let failures: [fn() -> Reply; 4] = [
        || code(503),
        || code(403),
        // The server ends the watch at once, without progress.
        || watch(&[], NONE),
        || watch(&["5"], NONE),
    ];
    for fail in failures {
        let mut replies = vec![list("5")];
        // A 429 neither counts nor ends the row.
        replies.extend([fail(), code(429), fail(), code(429), fail()]);
        // The row goes on through the lists.
        for _ in 0..3 {
            replies.extend([list("5"), fail()]);
        }
        // Then a watch works.
        replies.extend([list("5"), watch(&["5"], LONG), fail()]);
        let set = |watcher: Watcher<FlowSchema>| watcher.streaming_lists(false);
        let requests = timed(set, replies).await;
        let shown = marked(&requests);
        assert_eq!(shown[..2], ["list", "watch 5"]);
        assert_eq!(shown[2..6], ["+watch 5"; 4]);
        for pair in shown[6..12].chunks(2) {
            assert_eq!(pair, ["+list", "watch 5"]);
        }
        assert_eq!(shown[12..], ["+list", "watch 5", "watch 5", "+watch 5"]);
        // The delays have grown, so that the lists are rare.
        assert!(requests[12].1 >= Duration::from_secs(4), "{requests:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_follows_a_long_silence() {
    // Each is quiet for half of the limit, with the requests that show whether the server has gone back.
    let parts: [fn() -> Vec<Reply>; 3] = [
        || vec![Reply::ok("").stays_open(), list("5")],
        || vec![watch(&[], QUIET), watch(&[], QUIET)],
        || {
            let breaks = || watch(&[], QUIET).breaks();
            vec![breaks(), list("5"), breaks(), list("5")]
        },
    ];
    for (number, first) in parts.iter().enumerate() {
        for second in parts {
            let mut replies = vec![list("5")];
            replies.extend(first());
            // A bookmark with the same version ends the silence.
            replies.push(Reply::ok(bookmark("5", false)).pause(LONG));
            replies.extend(second());
            replies.extend(first());
            // The list is instead of the last check.
            if number != 1 {
                replies.pop();
            }
            let lists = replies.len();
            replies.push(list("5"));
            replies.extend(second());
            let requests = paged(replies).await;
            let found = requests.iter().enumerate();
            let found = found.filter(|(_, request)| request.ends_with("list"));
            let places: Vec<_> = found.map(|(place, _)| place).collect();
            assert_eq!(places, [0, lists], "{requests:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn versions_never_go_back() {
    for (listed, changes, next) in [
        ("5", &["5", "10", "11"][..], "watch 11"),
        ("5", &["5", "10", "11", "9"], "list"),
        ("9", &["10"], "watch 10"),
        ("007", &["7"], "watch 007"),
        ("99999999999999999999999999", &["1"], "list"),
        // Versions that are not numbers cannot be compared.
        ("5", &["10", "x", "11"], "watch 11"),
        ("5", &["10", "x", "9"], "watch 9"),
        ("5", &[""], "watch 5"),
    ] {
        let requests = paged(vec![list(listed), watch(changes, LONG)]).await;
        assert_eq!(
            requests[2].trim_start_matches('+'),
            next,
            "{listed} {changes:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_first_expired_version_leads_to_a_list_without_delay() {
    let mut replies = vec![list("5"), code(410)];
    for _ in 0..5 {
        replies.extend([list("5"), code(410)]);
    }
    replies.extend([list("5"), watch(&["6"], LONG), code(410)]);
    let requests = paged(replies).await;
    assert_eq!(requests[..4], ["list", "watch 5", "list", "watch 5"]);
    for pair in requests[4..14].chunks(2) {
        assert_eq!(pair, ["+list", "watch 5"]);
    }
    assert_eq!(requests[14..], ["watch 6", "list"]);
}

#[tokio::test(start_paused = true)]
async fn failures_of_pages() {
    let first = || page("5", "t");
    let requests = paged(vec![first(), code(503), code(429), code(403)]).await;
    assert_eq!(requests, ["list", "list t", "+list t", "+list t", "+list"]);
    // It is not the empty last page.
    let requests = paged(vec![first(), Reply::ok("null")]).await;
    assert_eq!(requests, ["list", "list t", "+list"]);
    // After an expired token one list is in one piece.
    let requests = paged(vec![first(), code(410), code(410), first()]).await;
    assert_eq!(
        requests,
        ["list", "list t", "list whole", "+list", "list t"]
    );
    // A token that never works.
    let failures = (0..30).map(|_| code(503));
    let requests = paged([first()].into_iter().chain(failures).collect()).await;
    assert_eq!(requests[1], "list t");
    assert_eq!(requests[2..31], ["+list t"; 29]);
    assert_eq!(requests[31], "+list");
}
