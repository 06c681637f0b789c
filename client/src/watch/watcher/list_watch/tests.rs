mod lost_connections;

use crate::watch::watcher::failure::WatchFailure;
use crate::watch::watcher::list_watch::*;

const NONE: Duration = Duration::ZERO;
const AT_ONCE: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(150);

fn settings(streaming_lists: bool) -> Settings {
    Settings {
        streaming_lists,
        page_size: Some(10),
        min_backoff: Duration::from_secs(1),
        max_backoff: Duration::from_secs(8),
        idle_timeout: IDLE,
        watch_timeout: LONG,
        ..Settings::default()
    }
}

fn list_watch(streaming: bool) -> ListWatch {
    ListWatch::new(&settings(streaming))
}

/// The state after a list at resource version 5.
fn watching() -> ListWatch {
    let mut state = list_watch(false);
    list_again(&mut state);
    state
}

fn list_again(state: &mut ListWatch) {
    assert_eq!(state.page(Some("5".into()), None, 1), Ok(false));
    assert!(state.listed());
}

/// A request that the server rejected.
fn fail(state: &mut ListWatch, failure: WatchFailure) -> Duration {
    state.failed(failure, NONE, None)
}

/// A watch that delivers these resource versions, lives this long, and is ended by the server.
fn watch_ends(state: &mut ListWatch, versions: &[&str], lived: Duration) -> (Duration, bool) {
    state.opened();
    for version in versions {
        assert!(state.received(version));
    }
    state.ended(lived)
}

fn list(limit: Option<u32>, token: Option<&str>) -> Step {
    let token = token.map(str::to_owned);
    Step::List { limit, token }
}

fn watch(after: &str) -> Step {
    let after = after.to_owned();
    Step::Watch { after }
}

#[test]
fn pages_then_a_watch() {
    let mut state = list_watch(false);
    assert_eq!(state.step(), list(Some(10), None));
    assert_eq!(state.page(Some("5".into()), Some("t".into()), 1), Ok(true));
    assert_eq!(state.step(), list(Some(10), Some("t")));
    // The resource version of the first page counts; all pages have the same one.
    let last = state.page(Some("6".into()), Some(String::new()), 1);
    assert_eq!(last, Ok(false));
    assert!(state.listed());
    assert_eq!(state.step(), watch("5"));
    state.opened();
    assert!(state.received("7"));
    assert_eq!(state.step(), watch("7"));
    assert!(state.received(""));
    assert_eq!(state.step(), watch("7"));
}

#[test]
fn a_list_without_a_resource_version_is_repeated() {
    for version in [None, Some(String::new())] {
        let mut state = list_watch(false);
        assert_eq!(state.page(version, None, 1), Ok(false));
        assert!(!state.listed());
        assert_eq!(state.step(), list(Some(10), None));
    }
}

#[test]
fn a_list_whose_tokens_do_not_end_is_replaced_by_one_in_one_piece() {
    let page = |state: &mut ListWatch, token: String| state.page(Some("5".into()), Some(token), 1);
    let mut state = list_watch(false);
    for token in ["a", "b", "c"] {
        assert_eq!(page(&mut state, token.into()), Ok(true));
    }
    assert_eq!(
        page(&mut state, "b".into()),
        Err(EndlessList::RepeatedToken)
    );
    assert!(state.endless() > NONE);
    assert_eq!(state.step(), list(None, None));
    // The tokens of another list do not count.
    assert_eq!(page(&mut state, "b".into()), Ok(true));
}

#[test]
fn a_streaming_list_then_a_watch() {
    let mut state = list_watch(true);
    assert_eq!(state.step(), Step::StreamingList);
    state.opened();
    state.streamed("5");
    assert_eq!(state.step(), watch("5"));
}

#[test]
fn streaming_lists_end_when_the_server_rejects_or_ignores_them() {
    let mut rejected = list_watch(true);
    assert_eq!(fail(&mut rejected, WatchFailure::Rejected), NONE);
    let mut ignored = list_watch(true);
    ignored.streaming_ignored();
    for mut state in [rejected, ignored] {
        assert_eq!(state.step(), list(Some(10), None));
        list_again(&mut state);
        state.relist();
        assert_eq!(
            state.step(),
            list(Some(10), None),
            "streaming is not tried again"
        );
    }
}

#[test]
fn incomplete_streaming_lists_lead_to_one_list_in_pages() {
    let failure: [fn(&mut ListWatch) -> Duration; 4] = [
        |state| state.ended(LONG).0,
        |state| state.idle_timed_out(IDLE),
        |state| fail(state, WatchFailure::Other),
        |state| fail(state, WatchFailure::ErrorEvent),
    ];
    for fail in failure {
        let mut state = list_watch(true);
        for _ in 0..MAX_INCOMPLETE {
            assert_eq!(state.step(), Step::StreamingList);
            state.opened();
            assert!(fail(&mut state) > NONE);
        }
        assert_eq!(state.step(), list(Some(10), None));
        list_again(&mut state);
        state.relist();
        assert_eq!(state.step(), Step::StreamingList);
    }
}

#[test]
fn a_watch_continues_from_its_version() {
    for failure in [
        WatchFailure::Temporary,
        WatchFailure::Other,
        WatchFailure::Unprocessed,
    ] {
        let mut state = watching();
        assert!(fail(&mut state, failure) > NONE);
        assert_eq!(state.step(), watch("5"), "{failure:?}");
    }
    // The normal end of a watch, with or without events.
    let mut state = watching();
    for _ in 0..10 {
        assert_eq!(watch_ends(&mut state, &[], LONG), (NONE, false));
        assert_eq!(state.step(), watch("5"));
    }
    assert_eq!(watch_ends(&mut state, &["6"], LONG), (NONE, false));
    let (delay, failed) = watch_ends(&mut state, &["7"], AT_ONCE);
    assert!(delay > NONE && !failed, "no tight loop");
    assert_eq!(state.step(), watch("7"));
}

#[test]
fn a_list_follows_at_once() {
    for failure in [
        WatchFailure::Expired,
        WatchFailure::TooNew,
        WatchFailure::Rejected,
        WatchFailure::ErrorEvent,
    ] {
        let mut state = watching();
        state.opened();
        state.failed(failure, LONG, None);
        assert_eq!(state.step(), list(Some(10), None), "{failure:?}");
    }
}

#[test]
fn a_list_follows_a_few_failed_watches() {
    let failures: [fn(&mut ListWatch) -> Duration; 4] = [
        |state| fail(state, WatchFailure::Temporary),
        |state| fail(state, WatchFailure::Other),
        // The server ends the watch at once, without progress.
        |state| watch_ends(state, &[], AT_ONCE).0,
        |state| watch_ends(state, &["5"], AT_ONCE).0,
    ];
    for fail_once in failures {
        let mut state = watching();
        for _ in 1..MAX_FAILED_WATCHES {
            assert!(fail_once(&mut state) > NONE);
            // This neither counts nor ends the row.
            fail(&mut state, WatchFailure::Unprocessed);
            assert_eq!(state.step(), watch("5"));
            assert!(state.watches_fail());
        }
        for _ in 0..3 {
            assert!(fail_once(&mut state) > NONE);
            assert_eq!(state.step(), list(Some(10), None));
            list_again(&mut state);
            assert!(state.watches_fail(), "a list does not change that");
        }
        // The delays have grown, so that the lists are rare.
        assert!(fail_once(&mut state) >= Duration::from_secs(4));
        list_again(&mut state);
        assert!(!watch_ends(&mut state, &[], LONG).1);
        assert!(!state.watches_fail());
        fail_once(&mut state);
        assert_eq!(state.step(), watch("5"), "another row");
    }
}

#[test]
fn a_broken_watch_that_has_worked_is_no_failed_watch() {
    let mut state = watching();
    for version in 6..16_u32 {
        state.opened();
        state.received(&version.to_string());
        assert!(state.failed(WatchFailure::Other, AT_ONCE, None) <= Duration::from_secs(1));
    }
    for _ in 0..10 {
        state.opened();
        state.failed(WatchFailure::Temporary, LONG, None);
    }
    assert_eq!(state.step(), watch("15"));
    assert!(!state.watches_fail());
}

#[test]
fn a_list_follows_a_long_silence() {
    let part: [fn(&mut ListWatch) -> Duration; 3] = [
        |state| {
            let delay = state.idle_timed_out(IDLE);
            state.checked("5");
            delay
        },
        |state| watch_ends(state, &[], IDLE).0,
        |state| {
            state.opened();
            state.failed(WatchFailure::Temporary, IDLE, None)
        },
    ];
    for first in part {
        for second in part {
            let mut state = watching();
            first(&mut state);
            assert_eq!(state.step(), watch("5"));
            // A bookmark with the same version ends the silence.
            watch_ends(&mut state, &["5"], LONG);
            second(&mut state);
            assert_eq!(state.step(), watch("5"));
            first(&mut state);
            assert_eq!(state.step(), list(Some(10), None));
            list_again(&mut state);
            second(&mut state);
            assert_eq!(state.step(), watch("5"));
        }
    }
}

#[test]
fn a_wait_lists_again_after_a_watch_without_events() {
    let mut state = ListWatch::new(&Settings {
        lists_after_end: true,
        ..settings(false)
    });
    list_again(&mut state);
    watch_ends(&mut state, &["5"], LONG);
    assert_eq!(state.step(), watch("5"));
    for lived in [AT_ONCE, LONG] {
        let (delay, _) = watch_ends(&mut state, &[], lived);
        assert!(delay > NONE);
        assert_eq!(state.step(), list(Some(10), None));
        list_again(&mut state);
    }
}

#[test]
fn versions_never_go_back() {
    let mut state = watching();
    state.opened();
    assert!(state.received("5") && state.received("10") && state.received("x"));
    assert!(state.received("11"));
    assert!(!state.received("9"));
    assert_eq!(state.step(), watch("11"));
}

#[test]
fn only_the_first_expired_version_leads_to_a_list_without_delay() {
    let mut state = watching();
    assert_eq!(fail(&mut state, WatchFailure::Expired), NONE);
    assert!(!state.watches_fail(), "the list is the remedy");
    for _ in 0..5 {
        list_again(&mut state);
        assert!(fail(&mut state, WatchFailure::Expired) > NONE);
        assert!(state.watches_fail());
    }
    list_again(&mut state);
    state.received("6");
    assert_eq!(fail(&mut state, WatchFailure::Expired), NONE);
}

#[test]
fn failures_of_pages() {
    let mut state = list_watch(false);
    assert_eq!(state.page(Some("5".into()), Some("t".into()), 1), Ok(true));
    for failure in [WatchFailure::Temporary, WatchFailure::Unprocessed] {
        assert!(fail(&mut state, failure) > NONE);
        assert_eq!(state.step(), list(Some(10), Some("t")));
    }
    assert!(fail(&mut state, WatchFailure::Other) > NONE);
    assert_eq!(state.step(), list(Some(10), None));
    // After an expired token one list is in one piece.
    assert_eq!(state.page(Some("5".into()), Some("t".into()), 1), Ok(true));
    assert_eq!(fail(&mut state, WatchFailure::Expired), NONE);
    assert_eq!(state.step(), list(None, None));
    assert!(fail(&mut state, WatchFailure::Expired) > NONE);
    assert_eq!(state.step(), list(Some(10), None));
    // A token that never works.
    assert_eq!(state.page(Some("5".into()), Some("t".into()), 1), Ok(true));
    for _ in 0..MAX_FAILED_PAGES {
        assert_eq!(state.step(), list(Some(10), Some("t")));
        fail(&mut state, WatchFailure::Temporary);
    }
    assert_eq!(state.step(), list(Some(10), None));
}

#[test]
fn the_server_may_set_a_longer_delay() {
    let retry_after = Duration::from_secs(60);
    for mut state in [watching(), list_watch(true), list_watch(false)] {
        for wanted in [retry_after, 60 * retry_after] {
            let delay = state.failed(WatchFailure::Temporary, NONE, Some(wanted));
            assert!(delay > retry_after && delay < 2 * retry_after, "{delay:?}");
        }
    }
}
