use super::*;

const NONE: Duration = Duration::ZERO;

fn course(streams: bool) -> Course {
    let waits = Waits::new(Duration::from_secs(1), Duration::from_secs(8));
    Course::new(streams, Some(10), waits)
}

/// One that has read all objects, at version 5.
fn watching() -> Course {
    let mut course = course(false);
    assert!(course.page(Some("5".into()), None));
    assert!(course.listed());
    course
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
    let mut course = course(false);
    assert_eq!(course.step(), list(Some(10), None));
    assert!(!course.page(Some("5".into()), Some("t".into())));
    assert_eq!(course.step(), list(Some(10), Some("t")));
    // The version is that of the first page; they all have the same.
    assert!(course.page(Some("6".into()), Some(String::new())));
    assert!(course.listed());
    assert_eq!(course.step(), watch("5"));
    course.progress("7");
    assert_eq!(course.step(), watch("7"));
    course.progress("");
    assert_eq!(course.step(), watch("7"));
}

#[test]
fn a_list_without_a_version_cannot_be_watched() {
    for version in [None, Some(String::new())] {
        let mut course = course(false);
        assert!(course.page(version, None));
        assert!(!course.listed());
        assert_eq!(course.step(), list(Some(10), None));
    }
}

#[test]
fn a_streaming_list_then_a_watch() {
    let mut course = course(true);
    assert_eq!(course.step(), Step::StreamingList);
    course.streamed("5");
    assert_eq!(course.step(), watch("5"));
}

#[test]
fn streaming_lists_are_given_up_when_they_are_not_offered() {
    let mut refused = course(true);
    assert_eq!(refused.failed(Trouble::Refused, None), NONE);
    let mut ignored = course(true);
    ignored.not_offered();
    for mut course in [refused, ignored] {
        assert_eq!(course.step(), list(Some(10), None));
        course.page(Some("5".into()), None);
        course.listed();
        course.restart();
        assert_eq!(course.step(), list(Some(10), None), "it is not tried again");
    }
}

#[test]
fn streaming_lists_that_never_end_are_left_alone_for_once() {
    let trouble: [fn(&mut Course) -> Duration; 3] = [
        |course| course.ended(true),
        |course| course.silent(),
        |course| course.failed(Trouble::Lasting, None),
    ];
    for fail in trouble {
        let mut course = course(true);
        for _ in 0..MAX_UNFINISHED {
            assert_eq!(course.step(), Step::StreamingList);
            assert!(fail(&mut course) > NONE);
        }
        assert_eq!(course.step(), list(Some(10), None));
        course.page(Some("5".into()), None);
        course.listed();
        course.restart();
        assert_eq!(course.step(), Step::StreamingList);
    }
}

#[test]
fn a_watch_goes_on_after_passing_trouble() {
    for trouble in [Trouble::Passing, Trouble::Lasting, Trouble::Undecodable] {
        let mut course = watching();
        assert!(course.failed(trouble, None) > NONE);
        assert_eq!(course.step(), watch("5"), "{trouble:?}");
    }
    assert_eq!(watching().ended(true), NONE);
    assert!(watching().ended(false) > NONE, "no tight loop");
}

#[test]
fn a_watch_begins_anew_when_it_cannot_go_on() {
    for trouble in [Trouble::Expired, Trouble::TooNew, Trouble::Refused] {
        let mut course = watching();
        course.failed(trouble, None);
        assert_eq!(course.step(), list(Some(10), None), "{trouble:?}");
    }
    let mut undecodable = watching();
    for _ in 1..MAX_UNDECODABLE {
        undecodable.failed(Trouble::Undecodable, None);
        // Other trouble in between does not count, and does not help.
        undecodable.failed(Trouble::Passing, None);
        assert_eq!(undecodable.step(), watch("5"));
    }
    undecodable.failed(Trouble::Undecodable, None);
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
fn progress_makes_up_for_trouble() {
    let mut course = watching();
    for _ in 0..10 {
        course.failed(Trouble::Undecodable, None);
        course.silent();
        course.progress("6");
    }
    assert_eq!(course.step(), watch("6"));
    assert!(course.failed(Trouble::Passing, None) <= Duration::from_secs(1));
}

#[test]
fn only_the_first_restart_is_at_once() {
    let mut course = watching();
    assert_eq!(course.failed(Trouble::Expired, None), NONE);
    for _ in 0..5 {
        course.page(Some("5".into()), None);
        course.listed();
        assert!(course.failed(Trouble::Expired, None) > NONE);
    }
    course.page(Some("5".into()), None);
    course.listed();
    course.progress("6");
    assert_eq!(course.failed(Trouble::Expired, None), NONE);
}

#[test]
fn a_page_is_asked_for_again_unless_that_is_of_no_use() {
    let mut course = course(false);
    course.page(Some("5".into()), Some("t".into()));
    assert!(course.failed(Trouble::Passing, None) > NONE);
    assert_eq!(course.step(), list(Some(10), Some("t")));
    assert!(course.failed(Trouble::Undecodable, None) > NONE);
    assert_eq!(course.step(), list(Some(10), None));
    // Pages that expire are read in one piece, but only once.
    course.page(Some("5".into()), Some("t".into()));
    assert_eq!(course.failed(Trouble::Expired, None), NONE);
    assert_eq!(course.step(), list(None, None));
    assert!(course.failed(Trouble::Expired, None) > NONE);
    course.page(Some("5".into()), None);
    course.listed();
    course.restart();
    assert_eq!(course.step(), list(Some(10), None));
}

#[test]
fn the_server_may_ask_for_a_longer_wait() {
    let asked = Duration::from_secs(60);
    assert!(watching().failed(Trouble::Passing, Some(asked)) > asked);
    assert!(course(true).failed(Trouble::Passing, Some(asked)) > asked);
    assert!(course(false).failed(Trouble::Passing, Some(asked)) > asked);
}
