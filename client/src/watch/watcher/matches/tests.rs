use super::*;
use crate::api::v1::FlowSchema;

fn object(name: &str, version: u64) -> FlowSchema {
    let mut schema = FlowSchema::default();
    schema.metadata.name = Some(name.into());
    schema.metadata.resource_version = Some(version.to_string());
    schema
}

/// Whether the state is new.
fn applied(matches: &mut Matches<FlowSchema>, selection: usize, version: u64) -> bool {
    matches.applied(selection, &object("x", version))
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
    assert!(
        matches
            .next_deletion(&[Some("3"), Some("3")], now)
            .is_none()
    );
    deleted(&mut matches, 1, 3, now);
    assert!(
        matches
            .next_deletion(&[Some("3"), Some("3")], now)
            .is_some()
    );
    assert!(
        matches
            .next_deletion(&[Some("3"), Some("3")], now)
            .is_none(),
        "once"
    );
}

#[test]
fn a_move_between_selections_is_no_deletion_in_either_order() {
    let now = Instant::now();
    let mut deletion_first = Matches::new();
    assert!(applied(&mut deletion_first, 0, 1));
    deleted(&mut deletion_first, 0, 2, now);
    assert!(
        deletion_first
            .next_deletion(&[Some("2"), Some("1")], now)
            .is_none()
    );
    assert!(applied(&mut deletion_first, 1, 2));
    assert!(
        deletion_first
            .next_deletion(&[Some("2"), Some("2")], now + PATIENCE)
            .is_none()
    );

    let mut match_first = Matches::new();
    assert!(applied(&mut match_first, 0, 1));
    assert!(applied(&mut match_first, 1, 2));
    deleted(&mut match_first, 0, 2, now);
    assert!(
        match_first
            .next_deletion(&[Some("2"), Some("2")], now + PATIENCE)
            .is_none()
    );
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
        let deletion = matches.next_deletion(&[Some("2"), Some(reached)], now + later);
        assert_eq!(
            deletion.map(|deletion| deletion.value),
            Some(object("x", 2))
        );
        assert_eq!(matches.next_deadline(), None);
    }
}

#[test]
fn older_states_of_a_slow_selection_are_not_reported() {
    let (mut matches, now) = (Matches::new(), Instant::now());
    assert!(applied(&mut matches, 0, 1));
    deleted(&mut matches, 0, 5, now);
    let slow = [Some("5"), Some("1")];
    assert!(matches.next_deletion(&slow, now + PATIENCE).is_some());
    matches.forget_deleted(&slow);
    // The slow one now reports the states before the deletion.
    assert!(!applied(&mut matches, 1, 1));
    assert!(!applied(&mut matches, 1, 3));
    deleted(&mut matches, 1, 5, now);
    assert!(
        matches
            .next_deletion(&[Some("5"), Some("5")], now + PATIENCE)
            .is_none()
    );
    // And then an object created after it.
    assert!(applied(&mut matches, 1, 6));
}

#[test]
fn deletions_are_forgotten_when_all_selections_have_passed_them() {
    let (mut matches, now) = (Matches::new(), Instant::now());
    assert!(applied(&mut matches, 0, 1));
    deleted(&mut matches, 0, 2, now);
    let ends = [Some("2"), None];
    assert!(matches.next_deletion(&ends, now + PATIENCE).is_some());
    assert!(!matches.forget_deleted(&ends));
    assert_eq!(matches.objects.len(), 1);
    assert!(!matches.forget_deleted(&[Some("2"), Some("2")]));
    assert!(matches.objects.is_empty() && matches.deleted.is_empty());
}

#[test]
fn clearing_returns_the_reported_objects() {
    let (mut matches, now) = (Matches::new(), Instant::now());
    assert!(matches.applied(0, &object("a", 1)));
    assert!(matches.applied(0, &object("b", 2)));
    matches.deleted(0, Decoded::from(object("b", 3)), now);
    assert!(matches.next_deletion(&[Some("3")], now).is_some());
    let reported: Vec<ObjectKey> = matches.clear().collect();
    assert_eq!(reported, [ObjectKey::new("a")]);
    assert!(!matches.is_reported(&ObjectKey::new("a")));
    assert!(matches.applied(0, &object("a", 1)));
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
    assert!(matches.applied(0, &odd("b")));
    assert!(matches.applied(0, &odd("a")));
    matches.deleted(0, Decoded::from(odd("c")), now);
    assert!(
        matches
            .next_deletion(&[Some("c"), Some("a")], now)
            .is_some()
    );
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
            while matches.next_deletion(&reached, now).is_some() {
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
