use crate::api::v1::FlowSchema;
use crate::watch::watcher::matches::*;

fn object(name: &str, version: u64) -> FlowSchema {
    let mut schema = FlowSchema::default();
    schema.metadata.name = Some(name.into());
    schema.metadata.resource_version = Some(version.to_string());
    schema
}

/// Whether the state is new.
fn applied(matches: &mut Matches<FlowSchema>, selection: usize, version: u64) -> bool {
    let object = Decoded::from(object("x", version));
    matches.applied(selection, object, Instant::now()).is_some()
}

fn is_new(matches: &mut Matches<FlowSchema>, object: FlowSchema) -> bool {
    matches
        .applied(0, Decoded::from(object), Instant::now())
        .is_some()
}

/// The deletion to report, if any.
fn next_deletion(
    matches: &mut Matches<FlowSchema>,
    reached: &[Option<&str>],
    now: Instant,
) -> Option<FlowSchema> {
    match matches.next(reached, now) {
        Some(Change::Deleted(object)) => Some(object.value),
        Some(Change::Applied(_)) => panic!("expected a deletion"),
        None => None,
    }
}

fn deleted(matches: &mut Matches<FlowSchema>, selection: usize, version: u64, now: Instant) {
    matches.deleted(selection, Decoded::from(object("x", version)), now);
}

#[test]
fn an_object_of_several_selections_is_reported_once() {
    let (mut matches, now) = (Matches::new(), Instant::now());
    assert!(applied(&mut matches, 0, 1));
    assert!(!applied(&mut matches, 1, 1));
    assert!(applied(&mut matches, 1, 2));
    assert!(!applied(&mut matches, 0, 2));
    deleted(&mut matches, 0, 3, now);
    assert!(next_deletion(&mut matches, &[Some("3"), Some("3")], now).is_none());
    deleted(&mut matches, 1, 3, now);
    assert!(next_deletion(&mut matches, &[Some("3"), Some("3")], now).is_some());
    assert!(
        next_deletion(&mut matches, &[Some("3"), Some("3")], now).is_none(),
        "once"
    );
}

#[test]
fn a_move_between_selections_is_no_deletion_in_either_order() {
    let now = Instant::now();
    let mut deletion_first = Matches::new();
    assert!(applied(&mut deletion_first, 0, 1));
    deleted(&mut deletion_first, 0, 2, now);
    assert!(next_deletion(&mut deletion_first, &[Some("2"), Some("1")], now).is_none());
    assert!(applied(&mut deletion_first, 1, 2));
    assert!(next_deletion(&mut deletion_first, &[Some("2"), Some("2")], now + PATIENCE).is_none());

    let mut match_first = Matches::new();
    assert!(applied(&mut match_first, 0, 1));
    assert!(applied(&mut match_first, 1, 2));
    deleted(&mut match_first, 0, 2, now);
    assert!(next_deletion(&mut match_first, &[Some("2"), Some("2")], now + PATIENCE).is_none());
    // A third selection reports the same state.
    assert!(!applied(&mut match_first, 2, 2));
}

#[test]
fn a_deletion_waits_for_all_selections_but_not_for_ever() {
    let now = Instant::now();
    for (reached, later) in [("1", PATIENCE), ("2", Duration::ZERO)] {
        let mut matches = Matches::new();
        assert!(applied(&mut matches, 0, 1));
        deleted(&mut matches, 0, 2, now);
        assert_eq!(matches.next_deadline(), Some(now + PATIENCE));
        let deletion = next_deletion(&mut matches, &[Some("2"), Some(reached)], now + later);
        assert_eq!(deletion, Some(object("x", 2)));
        assert_eq!(matches.next_deadline(), None);
    }
}

#[test]
fn older_states_of_a_slow_selection_are_not_reported() {
    let (mut matches, now) = (Matches::new(), Instant::now());
    assert!(applied(&mut matches, 0, 1));
    deleted(&mut matches, 0, 5, now);
    let slow = [Some("5"), Some("1")];
    assert!(next_deletion(&mut matches, &slow, now + PATIENCE).is_some());
    matches.forget_deleted(&slow);
    // The slow one now reports the states before the deletion.
    assert!(!applied(&mut matches, 1, 1));
    assert!(!applied(&mut matches, 1, 3));
    deleted(&mut matches, 1, 5, now);
    assert!(next_deletion(&mut matches, &[Some("5"), Some("5")], now + PATIENCE).is_none());
    // And then an object created after it.
    assert!(applied(&mut matches, 1, 6));
}

#[test]
fn deletions_are_forgotten_when_all_selections_have_passed_them() {
    let (mut matches, now) = (Matches::new(), Instant::now());
    assert!(applied(&mut matches, 0, 1));
    deleted(&mut matches, 0, 2, now);
    let ends = [Some("2"), None];
    assert!(next_deletion(&mut matches, &ends, now + PATIENCE).is_some());
    assert!(!matches.forget_deleted(&ends));
    assert_eq!(matches.objects.len(), 1);
    assert!(!matches.forget_deleted(&[Some("2"), Some("2")]));
    assert!(matches.objects.is_empty() && matches.deleted.is_empty());
}

#[test]
fn clearing_returns_the_reported_objects() {
    let (mut matches, now) = (Matches::new(), Instant::now());
    assert!(is_new(&mut matches, object("a", 1)));
    assert!(is_new(&mut matches, object("b", 2)));
    matches.deleted(0, Decoded::from(object("b", 3)), now);
    assert!(next_deletion(&mut matches, &[Some("3")], now).is_some());
    let reported: Vec<ObjectKey> = matches.clear().collect();
    assert_eq!(reported, [ObjectKey::new("a")]);
    assert!(!matches.is_reported(&ObjectKey::new("a")));
    assert!(is_new(&mut matches, object("a", 1)));
    assert!(matches.is_reported(&ObjectKey::new("a")));
}

#[test]
fn versions_that_are_no_numbers_count_as_new() {
    let (mut matches, now) = (Matches::new(), Instant::now());
    let odd = |version: &str| {
        let mut schema = object("x", 0);
        schema.metadata.resource_version = Some(version.into());
        schema
    };
    assert!(is_new(&mut matches, odd("b")));
    assert!(is_new(&mut matches, odd("a")));
    matches.deleted(0, Decoded::from(odd("c")), now);
    assert!(next_deletion(&mut matches, &[Some("c"), Some("a")], now).is_some());
}

/// Every interleaving of the events of three selections about one object leads to the same end, and no state is reported
/// after a newer one.
#[test]
fn any_order_leads_to_the_same_end() {
    // The selections that match at the versions 1 to 6; the last version is the deletion.
    let life: [&[usize]; 6] = [&[0], &[0, 1], &[1], &[2], &[0, 2], &[]];
    let events_of = |selection: usize| {
        let mut held = false;
        let mut events = Vec::new();
        for (version, matching) in (1u64..).zip(life) {
            let holds = matching.contains(&selection);
            match (held, holds) {
                (_, true) => events.push((version, true)),
                (true, false) => events.push((version, false)),
                (false, false) => {}
            }
            held = holds;
        }
        events
    };
    let events: Vec<Vec<(u64, bool)>> = (0..3).map(events_of).collect();
    let mut orders = 0;
    let mut stack = vec![(vec![0usize; 3], Vec::new())];
    while let Some((at, order)) = stack.pop() {
        let mut is_end = true;
        for selection in 0..3 {
            if at[selection] < events[selection].len() {
                is_end = false;
                let (mut at, mut order) = (at.clone(), order.clone());
                order.push((selection, events[selection][at[selection]]));
                at[selection] += 1;
                stack.push((at, order));
            }
        }
        if is_end {
            orders += 1;
            check_order(&order);
        }
    }
    assert!(orders > 1000, "{orders}");
}

fn check_order(order: &[(usize, (u64, bool))]) {
    let (mut matches, mut now) = (Matches::new(), Instant::now());
    let mut reached = [String::from("0"), String::from("0"), String::from("0")];
    let mut last = 0;
    let mut there = false;
    let report_deletions =
        |matches: &mut Matches<FlowSchema>, reached: &[String; 3], now, there: &mut bool| {
            let reached: Vec<_> = reached.iter().map(|text| Some(text.as_str())).collect();
            while next_deletion(matches, &reached, now).is_some() {
                assert!(std::mem::take(there), "deleted twice in {order:?}");
            }
            assert!(!matches.forget_deleted(&reached));
        };
    for (selection, (version, holds)) in order {
        reached[*selection] = version.to_string();
        if *holds {
            if applied(&mut matches, *selection, *version) {
                assert!(last < *version, "{version} after {last} in {order:?}");
                last = *version;
                there = true;
            }
        } else {
            deleted(&mut matches, *selection, *version, now);
        }
        report_deletions(&mut matches, &reached, now, &mut there);
    }
    now += PATIENCE;
    report_deletions(&mut matches, &reached, now, &mut there);
    assert!(!there, "still there after {order:?}");
}

fn with_uid(uid: &str, version: u64) -> Decoded<FlowSchema> {
    let mut schema = object("x", version);
    schema.metadata.uid = Some(uid.into());
    Decoded::from(schema)
}

/// The changes to report, as `+uid` and `-uid`.
fn changes(matches: &mut Matches<FlowSchema>, reached: &[Option<&str>], now: Instant) -> String {
    let mut changes = String::new();
    while let Some(change) = matches.next(reached, now) {
        let (sign, object) = match change {
            Change::Applied(object) => ('+', object),
            Change::Deleted(object) => ('-', object),
        };
        changes.push(sign);
        changes.push_str(&object.value.metadata.uid.unwrap_or_default());
    }
    changes
}

#[test]
fn another_object_with_the_name_comes_after_the_deletion() {
    let now = Instant::now();
    let slow = [Some("6"), Some("1")];
    // The same selection matches both, and another one lags behind.
    for lagging_matches in [false, true] {
        let mut matches = Matches::new();
        assert!(matches.applied(0, with_uid("a", 1), now).is_some());
        if lagging_matches {
            assert!(matches.applied(1, with_uid("a", 1), now).is_none());
        }
        matches.deleted(0, with_uid("a", 5), now);
        assert_eq!(changes(&mut matches, &slow, now), "");
        assert!(matches.applied(0, with_uid("b", 6), now).is_none());
        assert_eq!(changes(&mut matches, &slow, now), "-a+b");
        // The lagging one catches up.
        matches.deleted(1, with_uid("a", 5), now);
        assert!(matches.applied(1, with_uid("b", 6), now).is_none());
        assert_eq!(changes(&mut matches, &slow, now + PATIENCE), "");
        matches.deleted(0, with_uid("b", 7), now);
        matches.deleted(1, with_uid("b", 7), now);
        let even = [Some("7"), Some("7")];
        assert_eq!(changes(&mut matches, &even, now), "-b");
    }

    // Another selection reports the new object first.
    let mut matches = Matches::new();
    assert!(matches.applied(0, with_uid("a", 1), now).is_some());
    assert!(matches.applied(1, with_uid("b", 6), now).is_none());
    assert_eq!(changes(&mut matches, &[Some("1"), Some("6")], now), "");
    matches.deleted(0, with_uid("a", 5), now);
    assert_eq!(changes(&mut matches, &[Some("5"), Some("6")], now), "-a+b");
    assert!(matches.applied(0, with_uid("b", 6), now).is_none());

    // It waits for a selection that is down, but not for ever.
    assert!(matches.applied(1, with_uid("c", 9), now).is_none());
    assert_eq!(changes(&mut matches, &slow, now), "");
    assert_eq!(changes(&mut matches, &slow, now + PATIENCE), "+c");
}

/// The life of an object and of the next one with its name: at each version the UID and the matching selections.
type Lives = [(&'static str, &'static [usize])];

#[test]
fn any_order_reports_the_deletion_before_the_next_object() {
    let lives: [&Lives; 4] = [
        &[
            ("a", &[0]),
            ("a", &[0, 1]),
            ("a", &[]),
            ("b", &[0]),
            ("b", &[0, 1]),
        ],
        &[("a", &[0, 1]), ("a", &[]), ("b", &[1]), ("b", &[0])],
        &[
            ("a", &[0]),
            ("a", &[]),
            ("b", &[1]),
            ("b", &[]),
            ("c", &[0]),
        ],
        &[
            ("a", &[0, 1]),
            ("a", &[1]),
            ("a", &[]),
            ("b", &[0, 1]),
            ("b", &[]),
        ],
    ];
    for life in lives {
        let events = [0, 1].map(|selection| events_of(life, selection));
        let last = life.last().filter(|(_, selections)| !selections.is_empty());
        let total = events[0].len() + events[1].len();
        for choices in 0..1_u32 << total {
            if choices.count_ones() as usize == events[1].len() {
                check_lives(&events, choices, last.map(|(uid, _)| *uid));
            }
        }
    }
}

/// The version, the UID, and whether the object matches.
type LifeEvent = (u64, &'static str, bool);

fn events_of(life: &Lives, selection: usize) -> Vec<LifeEvent> {
    let mut held = None;
    let mut events = Vec::new();
    for (version, (uid, selections)) in (1_u64..).zip(life) {
        if selections.contains(&selection) {
            events.push((version, *uid, true));
            held = Some(*uid);
        } else if held.take().is_some() {
            events.push((version, *uid, false));
        }
    }
    events
}

/// Each bit of `choices` is the selection of the next event.
fn check_lives(events: &[Vec<LifeEvent>; 2], choices: u32, last: Option<&str>) {
    let (mut matches, now) = (Matches::new(), Instant::now());
    let mut rest = events.each_ref().map(|events| events.iter());
    let mut reached = [String::from("0"), String::from("0")];
    let mut there: Option<String> = None;
    let mut report = |change: Change<FlowSchema>| match change {
        Change::Applied(object) => {
            let uid = object.value.metadata.uid.unwrap();
            assert!(
                there.as_ref().is_none_or(|there| *there == uid),
                "{uid} replaces {there:?} in {events:?}, {choices:b}"
            );
            there = Some(uid);
        }
        Change::Deleted(object) => assert_eq!(there.take(), object.value.metadata.uid),
    };
    for at in 0..events[0].len() + events[1].len() {
        let selection = (choices >> at & 1) as usize;
        let (version, uid, holds) = *rest[selection].next().unwrap();
        if holds {
            let new = matches.applied(selection, with_uid(uid, version), now);
            new.into_iter().for_each(|new| report(Change::Applied(new)));
        } else {
            matches.deleted(selection, with_uid(uid, version), now);
        }
        reached[selection] = version.to_string();
        let reached = reached.each_ref().map(|text| Some(text.as_str()));
        while let Some(change) = matches.next(&reached, now) {
            report(change);
        }
    }
    while let Some(change) = matches.next(&[Some("0"), Some("0")], now + PATIENCE) {
        report(change);
    }
    assert_eq!(there.as_deref(), last, "{events:?}, {choices:b}");
}
