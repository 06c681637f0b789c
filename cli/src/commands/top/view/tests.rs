use super::*;

pub(in super::super) fn level(name: &str, in_use: i64, waiting: i64, limit: i64) -> Level {
    Level {
        name: name.to_owned(),
        executing: Some(in_use),
        waiting: Some(waiting),
        rejected: Some(waiting * 10),
        rejected_per_second: Some(waiting as f64 / 2.0),
        seats_in_use: Some(in_use),
        seats: Some(limit),
        nominal_seats: Some(20),
        ..Level::default()
    }
}

pub(in super::super) fn flow(level: &str, distinguisher: &str, waiting: u64) -> Flow {
    Flow {
        level: level.to_owned(),
        schema: "service-accounts".to_owned(),
        distinguisher: distinguisher.to_owned(),
        executing: 1,
        waiting,
    }
}

pub(in super::super) fn snapshot() -> Snapshot {
    Snapshot {
        servers: 1,
        levels: vec![
            level("batch", 5, 9, 25),
            level("system", 8, 0, 20),
            level("workload-low", 5, 3, 11),
        ],
        flows: vec![
            flow("batch", "alice", 6),
            flow("batch", "bob", 3),
            flow("workload-low", "kube-system", 3),
        ],
        notes: Vec::new(),
    }
}

fn names(view: &View) -> Vec<&str> {
    let levels = view.levels();
    levels.iter().map(|level| level.name.as_str()).collect()
}

#[test]
fn levels_are_sorted_by_each_column_in_turn() {
    let mut view = View::new(snapshot());
    for (order, expected) in [
        (Order::InUse, ["system", "batch", "workload-low"]),
        (Order::Waiting, ["batch", "workload-low", "system"]),
        (Order::Rejected, ["batch", "workload-low", "system"]),
        (Order::Borrowed, ["batch", "system", "workload-low"]),
        (Order::Name, ["batch", "system", "workload-low"]),
        (Order::InUse, ["system", "batch", "workload-low"]),
    ] {
        assert_eq!((view.order(), names(&view)), (order, expected.to_vec()));
        view.press(Key::Reverse);
        let mut reversed = expected.to_vec();
        reversed.reverse();
        assert_eq!(names(&view), reversed);
        view.press(Key::Reverse);
        assert_eq!(view.press(Key::Sort), Step::Stay);
    }
}

#[test]
fn the_selection_follows_its_level() {
    let mut view = View::new(snapshot());
    assert_eq!(view.selected_row(), 0);
    view.press(Key::Up);
    assert_eq!(view.selected_row(), 0);
    view.press(Key::Down);
    assert_eq!(names(&view)[view.selected_row()], "batch");
    // It moves up in the next reading.
    let mut next = snapshot();
    next.levels[0].seats_in_use = Some(24);
    view.receive(Ok(next));
    assert_eq!((names(&view)[0], view.selected_row()), ("batch", 0));
    view.press(Key::Last);
    assert_eq!(view.selected_row(), 2);
    view.press(Key::Down);
    assert_eq!(view.selected_row(), 2);
    view.set_page(2);
    view.press(Key::PageUp);
    assert_eq!(view.selected_row(), 0);
    view.press(Key::PageDown);
    assert_eq!(view.selected_row(), 2);
    view.press(Key::First);
    assert_eq!(view.selected_row(), 0);
    // A deleted level loses the selection.
    view.press(Key::Down);
    let mut next = snapshot();
    next.levels.retain(|level| level.name == "workload-low");
    view.receive(Ok(next));
    assert_eq!(view.selected_row(), 0);
    view.receive(Ok(Snapshot::default()));
    view.press(Key::Down);
    assert_eq!(
        (view.selected_row(), view.press(Key::Open)),
        (0, Step::Stay)
    );
    assert_eq!(view.open().map(|(name, _)| name), None);
}

#[test]
fn a_level_opens_with_its_flows() {
    let mut view = View::new(snapshot());
    assert_eq!(view.flows().count(), 3);
    view.press(Key::Down);
    view.press(Key::Open);
    let (name, level) = view.open().unwrap();
    assert_eq!((name, level.unwrap().waiting), ("batch", Some(9)));
    let flows: Vec<_> = view
        .flows()
        .map(|flow| flow.distinguisher.as_str())
        .collect();
    assert_eq!(flows, ["alice", "bob"]);
    // The arrows scroll the flows as far as there are more.
    view.press(Key::Last);
    assert_eq!(view.first_flow(), 1);
    view.press(Key::Down);
    assert_eq!(view.first_flow(), 1);
    view.set_page(5);
    view.press(Key::Up);
    assert_eq!(view.first_flow(), 0);
    // The level is deleted while it is open.
    view.receive(Ok(Snapshot::default()));
    assert!(matches!(view.open(), Some(("batch", None))));
    assert_eq!(view.press(Key::Back), Step::Stay);
    assert!(view.open().is_none());
    assert_eq!(view.press(Key::Back), Step::Quit);
}

#[test]
fn a_pause_keeps_the_numbers() {
    let mut view = View::new(snapshot());
    view.press(Key::Pause);
    let mut next = snapshot();
    next.levels.clear();
    view.receive(Ok(next.clone()));
    assert!(view.is_paused());
    assert_eq!(view.levels().len(), 3);
    view.press(Key::Pause);
    view.receive(Ok(next));
    assert_eq!(view.levels().len(), 0);
}

#[test]
fn a_lost_connection_shows_and_recovers() {
    let mut view = View::new(snapshot());
    view.set_age(Duration::from_secs(9));
    assert_eq!(view.lost(), None);
    view.receive(Err("refused".to_owned()));
    let lost = view.lost().unwrap();
    assert_eq!((lost.reason.as_str(), lost.since.as_secs()), ("refused", 9));
    // The last numbers stay.
    assert_eq!(view.levels().len(), 3);
    view.receive(Ok(snapshot()));
    assert_eq!(view.lost(), None);
}

#[test]
fn keys_that_end_the_view() {
    let mut view = View::new(snapshot());
    assert_eq!(view.press(Key::Quit), Step::Quit);
    assert_eq!(view.press(Key::Interrupt), Step::Interrupt);
    view.press(Key::Open);
    assert_eq!(view.press(Key::Quit), Step::Quit);
}
