use super::*;

const NONE: Duration = Duration::ZERO;

fn list_watch(streaming: bool) -> ListWatch {
    let delays = Delays::new(Duration::from_secs(1), Duration::from_secs(8));
    ListWatch::new(streaming, Some(10), delays)
}

/// The state after a list at resource version 5.
fn watching() -> ListWatch {
    let mut state = list_watch(false);
    assert!(state.page(Some("5".into()), None));
    assert!(state.listed());
    state
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
    assert!(!state.page(Some("5".into()), Some("t".into())));
    assert_eq!(state.step(), list(Some(10), Some("t")));
    // The resource version of the first page counts; all pages have the same one.
    assert!(state.page(Some("6".into()), Some(String::new())));
    assert!(state.listed());
    assert_eq!(state.step(), watch("5"));
    state.progress("7");
    assert_eq!(state.step(), watch("7"));
    state.progress("");
    assert_eq!(state.step(), watch("7"));
}

#[test]
fn a_list_without_a_resource_version_is_repeated() {
    for version in [None, Some(String::new())] {
        let mut state = list_watch(false);
        assert!(state.page(version, None));
        assert!(!state.listed());
        assert_eq!(state.step(), list(Some(10), None));
    }
}

#[test]
fn a_streaming_list_then_a_watch() {
    let mut state = list_watch(true);
    assert_eq!(state.step(), Step::StreamingList);
    state.streamed("5");
    assert_eq!(state.step(), watch("5"));
}

#[test]
fn streaming_lists_end_when_the_server_rejects_or_ignores_them() {
    let mut rejected = list_watch(true);
    assert_eq!(rejected.failed(Failure::Rejected, None), NONE);
    let mut ignored = list_watch(true);
    ignored.streaming_ignored();
    for mut state in [rejected, ignored] {
        assert_eq!(state.step(), list(Some(10), None));
        state.page(Some("5".into()), None);
        state.listed();
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
    let failure: [fn(&mut ListWatch) -> Duration; 3] = [
        |state| state.ended(true),
        |state| state.silent(),
        |state| state.failed(Failure::Other, None),
    ];
    for fail in failure {
        let mut state = list_watch(true);
        for _ in 0..MAX_INCOMPLETE {
            assert_eq!(state.step(), Step::StreamingList);
            assert!(fail(&mut state) > NONE);
        }
        assert_eq!(state.step(), list(Some(10), None));
        state.page(Some("5".into()), None);
        state.listed();
        state.relist();
        assert_eq!(state.step(), Step::StreamingList);
    }
}

#[test]
fn a_watch_continues_from_its_version_after_a_failure() {
    for failure in [Failure::Temporary, Failure::Other, Failure::Undecodable] {
        let mut state = watching();
        assert!(state.failed(failure, None) > NONE);
        assert_eq!(state.step(), watch("5"), "{failure:?}");
    }
    assert_eq!(watching().ended(true), NONE);
    assert!(watching().ended(false) > NONE, "no tight loop");
}

#[test]
fn failures_that_lead_to_a_list() {
    for failure in [Failure::Expired, Failure::TooNew, Failure::Rejected] {
        let mut state = watching();
        state.failed(failure, None);
        assert_eq!(state.step(), list(Some(10), None), "{failure:?}");
    }
    let mut undecodable = watching();
    for _ in 1..MAX_UNDECODABLE {
        undecodable.failed(Failure::Undecodable, None);
        // Other failures in between neither count nor reset the count.
        undecodable.failed(Failure::Temporary, None);
        assert_eq!(undecodable.step(), watch("5"));
    }
    undecodable.failed(Failure::Undecodable, None);
    assert_eq!(undecodable.step(), list(Some(10), None));

    let mut silent = watching();
    for _ in 1..MAX_SILENT {
        silent.silent();
        assert_eq!(silent.step(), watch("5"));
    }
    silent.silent();
    assert_eq!(silent.step(), list(Some(10), None));
}

#[test]
fn progress_resets_the_counts() {
    let mut state = watching();
    for _ in 0..10 {
        state.failed(Failure::Undecodable, None);
        state.silent();
        state.progress("6");
    }
    assert_eq!(state.step(), watch("6"));
    assert!(state.failed(Failure::Temporary, None) <= Duration::from_secs(1));
}

#[test]
fn only_the_first_expired_version_leads_to_a_list_without_delay() {
    let mut state = watching();
    assert_eq!(state.failed(Failure::Expired, None), NONE);
    for _ in 0..5 {
        state.page(Some("5".into()), None);
        state.listed();
        assert!(state.failed(Failure::Expired, None) > NONE);
    }
    state.page(Some("5".into()), None);
    state.listed();
    state.progress("6");
    assert_eq!(state.failed(Failure::Expired, None), NONE);
}

#[test]
fn failures_of_pages() {
    let mut state = list_watch(false);
    state.page(Some("5".into()), Some("t".into()));
    assert!(state.failed(Failure::Temporary, None) > NONE);
    assert_eq!(state.step(), list(Some(10), Some("t")));
    assert!(state.failed(Failure::Undecodable, None) > NONE);
    assert_eq!(state.step(), list(Some(10), None));
    // After an expired token one list is in one piece.
    state.page(Some("5".into()), Some("t".into()));
    assert_eq!(state.failed(Failure::Expired, None), NONE);
    assert_eq!(state.step(), list(None, None));
    assert!(state.failed(Failure::Expired, None) > NONE);
    state.page(Some("5".into()), None);
    state.listed();
    state.relist();
    assert_eq!(state.step(), list(Some(10), None));
}

#[test]
fn the_server_may_set_a_longer_delay() {
    let retry_after = Duration::from_secs(60);
    assert!(watching().failed(Failure::Temporary, Some(retry_after)) > retry_after);
    assert!(list_watch(true).failed(Failure::Temporary, Some(retry_after)) > retry_after);
    assert!(list_watch(false).failed(Failure::Temporary, Some(retry_after)) > retry_after);
}
