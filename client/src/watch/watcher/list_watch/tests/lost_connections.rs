//! A watch that may have missed events without a notice: the version of the server is checked.

use crate::watch::watcher::list_watch::tests::*;

#[test]
fn after_a_lost_connection_the_version_of_the_server_is_checked() {
    type Lost = fn(&mut ListWatch) -> Duration;
    let lost: [Lost; 4] = [
        |state| fail(state, WatchFailure::Unreachable),
        |state| fail(state, WatchFailure::Lost),
        |state| state.idle_timed_out(IDLE),
        // Earlier than requested.
        |state| watch_ends(state, &[], LONG / 2).0,
    ];
    for lost in lost {
        let mut state = watching();
        lost(&mut state);
        assert_eq!(state.step(), Step::Check);
        // Until it is known.
        fail(&mut state, WatchFailure::Unreachable);
        assert_eq!(state.step(), Step::Check);
        assert!(!state.checked("5"));
        assert_eq!(state.step(), watch("5"));
        // The watches after it are ordinary ones.
        watch_ends(&mut state, &["6"], LONG);
        assert_eq!(state.step(), watch("6"));

        lost(&mut state);
        assert!(state.checked("5"));
        assert_eq!(state.step(), list(Some(10), None));
        list_again(&mut state);
        assert_eq!(state.step(), watch("5"));
    }
}

#[test]
fn without_a_lost_connection_nothing_is_checked() {
    let mut state = watching();
    let ends = [
        NONE,
        AT_ONCE,
        Duration::from_secs(289),
        Duration::from_secs(580),
    ];
    for (version, lived) in ["6", "7", "8", "9"].into_iter().zip(ends) {
        watch_ends(&mut state, &[version], lived);
        assert_eq!(state.step(), watch(version));
    }
    for failure in [
        WatchFailure::Unprocessed,
        WatchFailure::Temporary,
        WatchFailure::Other,
    ] {
        fail(&mut state, failure);
        assert_eq!(state.step(), watch("9"));
    }
    // Versions that are not numbers cannot be compared.
    fail(&mut state, WatchFailure::Lost);
    assert!(!state.checked("x"));
}
