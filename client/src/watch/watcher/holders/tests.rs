use super::*;
use crate::api::v1::FlowSchema;

fn object(name: &str, version: u64) -> FlowSchema {
    let mut schema = FlowSchema::default();
    schema.metadata.name = Some(name.into());
    schema.metadata.resource_version = Some(version.to_string());
    schema
}

/// Whether it is news.
fn applied(holders: &mut Holders<FlowSchema>, selection: usize, version: u64) -> bool {
    holders.applied(selection, object("x", version)).is_some()
}

fn deleted(holders: &mut Holders<FlowSchema>, selection: usize, version: u64, now: Instant) {
    holders.deleted(selection, object("x", version), now);
}

#[test]
fn what_several_hold_is_told_once() {
    let (mut holders, now) = (Holders::new(), Instant::now());
    assert!(applied(&mut holders, 0, 1));
    assert!(!applied(&mut holders, 1, 1));
    assert!(applied(&mut holders, 1, 2));
    assert!(!applied(&mut holders, 0, 2));
    deleted(&mut holders, 0, 3, now);
    assert!(holders.due(&[Some("3"), Some("3")], now).is_none());
    deleted(&mut holders, 1, 3, now);
    assert!(holders.due(&[Some("3"), Some("3")], now).is_some());
    assert!(holders.due(&[Some("3"), Some("3")], now).is_none(), "once");
}

#[test]
fn a_move_is_no_deletion_whoever_tells_it_first() {
    let now = Instant::now();
    let mut leaves_first = Holders::new();
    assert!(applied(&mut leaves_first, 0, 1));
    deleted(&mut leaves_first, 0, 2, now);
    assert!(leaves_first.due(&[Some("2"), Some("1")], now).is_none());
    assert!(applied(&mut leaves_first, 1, 2));
    assert!(
        leaves_first
            .due(&[Some("2"), Some("2")], now + PATIENCE)
            .is_none()
    );

    let mut comes_first = Holders::new();
    assert!(applied(&mut comes_first, 0, 1));
    assert!(applied(&mut comes_first, 1, 2));
    deleted(&mut comes_first, 0, 2, now);
    assert!(
        comes_first
            .due(&[Some("2"), Some("2")], now + PATIENCE)
            .is_none()
    );
    // A third one has it too; that is no news.
    assert!(!applied(&mut comes_first, 2, 2));
}

#[test]
fn a_deletion_waits_for_all_but_not_for_ever() {
    let now = Instant::now();
    for (reached, later) in [("1", PATIENCE), ("2", Duration::ZERO)] {
        let mut holders = Holders::new();
        assert!(applied(&mut holders, 0, 1));
        deleted(&mut holders, 0, 2, now);
        assert_eq!(holders.next_deadline(), Some(now + PATIENCE));
        let told = holders.due(&[Some("2"), Some(reached)], now + later);
        assert_eq!(told, Some(object("x", 2)));
        assert_eq!(holders.next_deadline(), None);
    }
}

#[test]
fn what_a_slow_selection_tells_of_the_past_is_no_news() {
    let (mut holders, now) = (Holders::new(), Instant::now());
    assert!(applied(&mut holders, 0, 1));
    deleted(&mut holders, 0, 5, now);
    let slow = [Some("5"), Some("1")];
    assert!(holders.due(&slow, now + PATIENCE).is_some());
    holders.forget(&slow);
    // The other one now tells of the life before.
    assert!(!applied(&mut holders, 1, 1));
    assert!(!applied(&mut holders, 1, 3));
    deleted(&mut holders, 1, 5, now);
    assert!(
        holders
            .due(&[Some("5"), Some("5")], now + PATIENCE)
            .is_none()
    );
    // And then of a new one.
    assert!(applied(&mut holders, 1, 6));
}

#[test]
fn deletions_are_forgotten_when_all_have_come_past_them() {
    let (mut holders, now) = (Holders::new(), Instant::now());
    assert!(applied(&mut holders, 0, 1));
    deleted(&mut holders, 0, 2, now);
    let ends = [Some("2"), None];
    assert!(holders.due(&ends, now + PATIENCE).is_some());
    assert!(!holders.forget(&ends));
    assert_eq!(holders.objects.len(), 1);
    assert!(!holders.forget(&[Some("2"), Some("2")]));
    assert!(holders.objects.is_empty() && holders.gone.is_empty());
}

#[test]
fn a_restart_forgets_everything_and_knows_what_was_told() {
    let (mut holders, now) = (Holders::new(), Instant::now());
    holders.applied(0, object("a", 1));
    holders.applied(0, object("b", 2));
    holders.deleted(0, object("b", 3), now);
    assert!(holders.due(&[Some("3")], now).is_some());
    let told: Vec<ObjectKey> = holders.restart().collect();
    assert_eq!(told, [ObjectKey::new("a")]);
    assert!(!holders.is_told(&ObjectKey::new("a")));
    assert!(holders.applied(0, object("a", 1)).is_some());
    assert!(holders.is_told(&ObjectKey::new("a")));
}

#[test]
fn versions_that_are_no_numbers_are_taken_as_they_come() {
    let (mut holders, now) = (Holders::new(), Instant::now());
    let odd = |version: &str| {
        let mut schema = object("x", 0);
        schema.metadata.resource_version = Some(version.into());
        schema
    };
    assert!(holders.applied(0, odd("b")).is_some());
    assert!(holders.applied(0, odd("a")).is_some());
    holders.deleted(0, odd("c"), now);
    assert!(holders.due(&[Some("c"), Some("a")], now).is_some());
}

/// Every interleaving of what three selections tell of one object's life comes to the same end, and nothing is told
/// that is older than what was told before.
#[test]
fn any_order_comes_to_the_same_end() {
    // Which selections hold it at the versions 1 to 6; the last is its deletion.
    let life: [&[usize]; 6] = [&[0], &[0, 1], &[1], &[2], &[0, 2], &[]];
    let told = |selection: usize| {
        let mut held = false;
        let mut events = Vec::new();
        for (version, holders) in (1u64..).zip(life) {
            let holds = holders.contains(&selection);
            match (held, holds) {
                (_, true) => events.push((version, true)),
                (true, false) => events.push((version, false)),
                (false, false) => {}
            }
            held = holds;
        }
        events
    };
    let events: Vec<Vec<(u64, bool)>> = (0..3).map(told).collect();
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
    let (mut holders, mut now) = (Holders::new(), Instant::now());
    let mut reached = [String::from("0"), String::from("0"), String::from("0")];
    let mut last = 0;
    let mut there = false;
    let due = |holders: &mut Holders<FlowSchema>, reached: &[String; 3], now, there: &mut bool| {
        let reached: Vec<_> = reached.iter().map(|text| Some(text.as_str())).collect();
        while holders.due(&reached, now).is_some() {
            assert!(std::mem::take(there), "deleted twice in {order:?}");
        }
        assert!(!holders.forget(&reached));
    };
    for (selection, (version, holds)) in order {
        reached[*selection] = version.to_string();
        if *holds {
            if let Some(object) = holders.applied(*selection, object("x", *version)) {
                let version = object.metadata.resource_version.unwrap().parse().unwrap();
                assert!(last < version, "{version} after {last} in {order:?}");
                last = version;
                there = true;
            }
        } else {
            deleted(&mut holders, *selection, *version, now);
        }
        due(&mut holders, &reached, now, &mut there);
    }
    now += PATIENCE;
    due(&mut holders, &reached, now, &mut there);
    assert!(!there, "still there after {order:?}");
}
