//! Later logs against the intents of an earlier answer.

use super::{RELEASE, built_in, requests};
use k8s_flowcontrol_analysis::size::{
    Answer, Baseline, Drift, Intents, Margin, Sizer, Sizing, State,
};
use std::ops::ControlFlow;

const INTENTS: &str =
    "server: {seats: 60}\nintents:\n- name: alice\n  client: {user: alice}\n  waits: {p99: 1s}\n";

/// Requests of alice, so many of them at a time, each of half a second, for 20 seconds. The server was idle before, so that
/// it has not given them seats of other levels yet.
fn log(at_a_time: u32) -> Vec<(&'static str, u32, u32)> {
    let starts = (0..20 * 2 * at_a_time).map(|request| 10_000 + request * 500 / at_a_time);
    let first = std::iter::once(("alice", 0, 1));
    first
        .chain(starts.map(|start| ("alice", start, start + 500)))
        .collect()
}

fn earlier() -> Sizing {
    let (schemas, levels) = built_in();
    let requests = requests(&log(12), &schemas, &levels).unwrap();
    let intents = Intents::read(INTENTS.as_bytes()).unwrap();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests)).unwrap();
    let Answer::Sized(sizing) = sizer.size(|_| ControlFlow::Continue(())).unwrap() else {
        panic!("impossible")
    };
    *sizing
}

fn drift(sizing: &Sizing, baseline: &Baseline, at_a_time: u32) -> Drift {
    let (schemas, levels) = (&sizing.flow_schemas, &sizing.priority_levels);
    let requests = requests(&log(at_a_time), schemas, levels).unwrap();
    let intents = Intents::read(INTENTS.as_bytes()).unwrap();
    let sizer = Sizer::new(&intents, schemas, levels, RELEASE, Some(&requests)).unwrap();
    sizer
        .drift(sizing.seats, baseline, |_| ControlFlow::Continue(()))
        .unwrap()
}

#[test]
fn later_logs_keep_the_intents_lose_the_margin_or_break_them() {
    let sizing = earlier();
    let baseline = Baseline::of(&sizing.proof);
    let same = drift(&sizing, &baseline, 12);
    assert_eq!(same.intents[0].state, State::Met);
    assert!(same.changes.is_empty() && same.answer.is_none());

    // A little more work: the intent holds, but more than half of what was left is gone. The seats that hold 1.5 times as much follow.
    let less = drift(&sizing, &baseline, 14);
    let intent = &less.intents[0];
    assert_eq!(intent.state, State::MarginGone, "{intent:?}");
    let percent = |margin: Option<Margin>| margin.unwrap().percent.unwrap();
    assert!(percent(Some(intent.now)) < percent(intent.before) / 2.0);
    assert_eq!(less.changes[0].field, "nominalConcurrencyShares");
    let Some(Answer::Sized(answer)) = &less.answer else {
        panic!("{less:?}")
    };
    let titles: Vec<_> = answer
        .proof
        .examined
        .iter()
        .map(|examined| examined.title.as_str())
        .collect();
    assert_eq!(titles[0], "1.5 times the load");

    let more = drift(&sizing, &baseline, 20);
    assert_eq!(more.intents[0].state, State::Broken);
    let [change] = &more.changes[..] else {
        panic!("{:?}", more.changes)
    };
    assert_eq!(
        (change.priority_level.as_str(), change.field),
        ("size-alice", "nominalConcurrencyShares")
    );
    assert!(change.to > change.from, "{change:?}");
    assert_eq!(
        change.field_for("1.25".parse().unwrap()),
        "assuredConcurrencyShares"
    );
    assert_eq!(
        change.field_for("1.26".parse().unwrap()),
        "nominalConcurrencyShares"
    );
}

/// The earlier answer can be a report in JSON; margins of intents that it lacks are unknown.
#[test]
fn the_margins_of_a_report_are_read() {
    let report = br#"{"examined": [
        {"load": "the whole load", "isRequired": true, "checks": [
            {"intent": "alice", "isMet": true, "requests": 5, "found": "", "marginPercent": 90.0}]},
        {"load": "1.5 times the load", "isRequired": false, "checks": [
            {"intent": "alice", "isMet": true, "requests": 5, "found": "", "marginPercent": 80.0}]}]}"#;
    let baseline = Baseline::parse(report).unwrap();
    let drift = drift(&earlier(), &baseline, 12);
    // Only the worst check is shown, which the report has.
    let intent = &drift.intents[0];
    assert_eq!(intent.state, State::MarginGone, "{intent:?}");
    assert!(intent.before.unwrap().is_met_with_more);
    assert!(
        Baseline::parse(b"{}")
            .unwrap_err()
            .contains("missing field `examined`")
    );
    assert!(Baseline::parse(b"garbage").is_err());
}
