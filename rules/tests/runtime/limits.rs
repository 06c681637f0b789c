//! Seats of priority levels.

use super::built_in::{levels, read};
use k8s_flowcontrol_rules::limits::{
    AdjustmentMethod, DemandPeriod, LevelChange, SeatDemand, ServerLimits,
};
use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn release(minor: u32) -> Release {
    Release::new(minor).unwrap()
}

fn limited(name: &str, limited: Value) -> PriorityLevelConfiguration {
    let mut limited = limited;
    limited["limitResponse"] = json!({"type": "Reject"});
    read(json!({"metadata": {"name": name}, "spec": {"type": "Limited", "limited": limited}}))
}

/// The recorded metrics of a priority level.
struct Recorded {
    name: String,
    seats: Value,
}

impl Recorded {
    fn number(&self, metric: &str) -> f64 {
        self.seats[metric].as_f64().unwrap_or(0.0)
    }
}

#[test]
fn recorded_servers_agree() {
    let text = include_str!("../fixtures/runtime/seats.jsonl");
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let case = record["case"].as_str().unwrap();
        let mut objects = Vec::new();
        let mut recorded = Vec::new();
        for level in record["levels"].as_array().unwrap() {
            let object = json!({"metadata": level["metadata"], "spec": level["spec"]});
            let name = level["metadata"]["name"].as_str().unwrap().to_owned();
            objects.push(read::<PriorityLevelConfiguration>(object));
            recorded.push(Recorded {
                name,
                seats: level["seats"].clone(),
            });
        }
        let concurrency_limit = record["concurrencyLimit"].as_u64().unwrap() as u32;
        let release = record["release"].as_str().unwrap().parse().unwrap();
        let limits = ServerLimits::new(&objects, concurrency_limit, release);
        let demand = |name: &str| {
            let recorded = recorded.iter().find(|level| level.name == name).unwrap();
            SeatDemand {
                high_watermark: recorded.number("highWatermark") as i64,
                smoothed: recorded.number("smoothed"),
                ..SeatDemand::default()
            }
        };
        let adjustment = limits.adjust(demand, |_| None);
        for recorded in &recorded {
            let ours = limits.level(&recorded.name).unwrap();
            let current = adjustment.level(&recorded.name).unwrap().current;
            let ours = [ours.nominal, ours.minimum, ours.maximum, current];
            let theirs = ["nominal", "minimum", "maximum", "current"]
                .map(|metric| recorded.number(metric) as i64);
            assert_eq!(ours, theirs, "{case}, {}", recorded.name);
        }
        let fair = record["fairFraction"].as_f64().unwrap();
        assert!(
            (adjustment.fair_fraction / fair - 1.0).abs() < 1e-15,
            "{case}"
        );
    }
}

/// A snapshot of a store has its objects behind references: none is copied to be read.
#[test]
fn the_objects_of_a_snapshot_are_not_copied() {
    let levels: Vec<Arc<PriorityLevelConfiguration>> =
        levels(Release::NEWEST).into_iter().map(Arc::new).collect();
    let limits = ServerLimits::new(levels.iter().map(|level| &**level), 600, Release::NEWEST);
    assert_eq!(limits.levels().len(), 8);
    let classifier = Classifier::new([], levels.iter().map(|level| &**level), Release::NEWEST);
    let user = User::authenticated("alice", ["dev"]);
    let request = RequestAttributes::from_http("GET", "/version", user).unwrap();
    assert_eq!(
        classifier.classify(&request).unwrap().flow_schema,
        "catch-all"
    );
}

#[test]
fn the_built_in_levels_divide_600_seats() {
    let limits = ServerLimits::new(&levels(Release::NEWEST), 600, Release::NEWEST);
    let seats: Vec<_> = limits
        .levels()
        .iter()
        .map(|level| {
            (
                level.name.as_str(),
                level.nominal,
                level.lendable,
                level.minimum,
            )
        })
        .collect();
    assert_eq!(
        seats,
        [
            ("catch-all", 13, 0, 13),
            ("exempt", 0, 0, 0),
            ("global-default", 49, 25, 24),
            ("leader-election", 25, 0, 25),
            ("node-high", 98, 25, 73),
            ("system", 74, 24, 50),
            ("workload-high", 98, 49, 49),
            ("workload-low", 245, 221, 24),
        ]
    );
    assert_eq!(limits.nominal_sum(), 602);
}

#[test]
fn lending_and_exempt_shares_depend_on_the_release() {
    let exempt = json!({"metadata": {"name": "exempt"}, "spec": {
        "type": "Exempt", "exempt": {"nominalConcurrencyShares": 5, "lendablePercent": 40}}});
    let team = limited(
        "team",
        json!({
        "nominalConcurrencyShares": 10, "lendablePercent": 50, "borrowingLimitPercent": 20}),
    );
    let set = [read(exempt), team];
    let seats = |minor, name| {
        let limits = ServerLimits::new(&set, 300, release(minor));
        let level = limits.level(name).unwrap();
        (level.nominal, level.minimum, level.maximum)
    };
    assert_eq!(seats(25, "team"), (200, 200, 200));
    assert_eq!(seats(26, "team"), (200, 100, 240));
    assert_eq!(seats(27, "exempt"), (0, 0, 300));
    assert_eq!(seats(28, "team"), (150, 75, 180));
    assert_eq!(seats(28, "exempt"), (75, 45, 375));
}

#[test]
fn ignored_levels_do_not_count() {
    let broken = json!({"metadata": {"name": "exempt"}, "spec": {"type": "Exempt"}});
    let no_queues = json!({"metadata": {"name": "q"}, "spec": {
        "type": "Limited", "limited": {"limitResponse": {"type": "Queue"}}}});
    let unknown = json!({"metadata": {"name": "u"}, "spec": {
        "type": "Limited", "limited": {"limitResponse": {"type": "Delay"}}}});
    let set = [read(broken), read(no_queues), read(unknown)];
    let limits = ServerLimits::new(&set, 100, Release::NEWEST);
    let names: Vec<_> = limits
        .levels()
        .iter()
        .map(|l| (l.name.as_str(), l.built_in_fallback))
        .collect();
    assert_eq!(names, [("catch-all", true), ("exempt", true)]);
    let limits = ServerLimits::new(&set, 100, release(27));
    assert!(!limits.level("exempt").unwrap().built_in_fallback);
}

#[test]
fn busy_exempt_levels_take_seats_from_the_others() {
    let set = levels(Release::NEWEST);
    let adjust = |exempt, others, minor| {
        let limits = ServerLimits::new(&set, 600, release(minor));
        let demand =
            |name: &str| SeatDemand::steady(if name == "exempt" { exempt } else { others });
        limits.adjust(demand, |_| None)
    };
    let normal = adjust(10, 90, 31);
    assert_eq!(normal.method, AdjustmentMethod::Proportional);
    assert_eq!(normal.level("exempt").unwrap().current, 10);

    // 602 seats in total; the others have used 24 + 13 + … of their nominal seats.
    let reduced = adjust(250, 90, 31);
    assert_eq!(reduced.method, AdjustmentMethod::Reduced);
    let sum: i64 = reduced.levels.iter().map(|level| level.current).sum();
    assert!((600..=604).contains(&sum), "{sum}");

    let minimum = adjust(500, 90, 31);
    assert_eq!(minimum.method, AdjustmentMethod::Minimum);
    assert_eq!(minimum.level("workload-low").unwrap().current, 24);

    // Before 1.31 exempt levels take part in the division; before 1.28 they do not.
    assert_eq!(adjust(500, 90, 30).method, AdjustmentMethod::Proportional);
    assert!(
        adjust(500, 90, 30)
            .level("exempt")
            .unwrap()
            .target
            .is_some()
    );
    assert!(adjust(500, 90, 27).level("exempt").is_none());
    assert_eq!(adjust(500, 90, 25).method, AdjustmentMethod::Fixed);
}

#[test]
fn without_a_solution_limits_do_not_change() {
    // No level can borrow, and the exempt level's own seats cannot be given to the others.
    let closed = |name| {
        limited(
            name,
            json!({"nominalConcurrencyShares": 5, "borrowingLimitPercent": 0}),
        )
    };
    let exempt = json!({"metadata": {"name": "exempt"}, "spec": {
        "type": "Exempt", "exempt": {"nominalConcurrencyShares": 90, "lendablePercent": 100}}});
    let set = [read(exempt), closed("catch-all"), closed("team")];
    let limits = ServerLimits::new(&set, 100, Release::NEWEST);
    let current = |name: &str| (name == "team").then_some(3);
    let adjustment = limits.adjust(|_| SeatDemand::default(), current);
    assert_eq!(adjustment.method, AdjustmentMethod::Unchanged);
    assert_eq!(adjustment.level("team").unwrap().current, 3);
    assert_eq!(adjustment.level("catch-all").unwrap().current, 5);
}

#[test]
fn changes_name_every_level_that_differs() {
    let before = levels(Release::NEWEST);
    let mut after = before.clone();
    after.retain(|level| level.metadata.name.as_deref() != Some("system"));
    after.push(limited("team", json!({"nominalConcurrencyShares": 30})));
    let limits = |set: &[_]| ServerLimits::new(set, 600, Release::NEWEST);
    let changes = limits(&before).changes_to(&limits(&after));
    // The sum of shares is equal, so only these two change.
    let names: Vec<_> = changes.iter().map(LevelChange::name).collect();
    assert_eq!(names, ["system", "team"]);
    assert_eq!(changes[0].seats().nominal, -74);
    assert_eq!(changes[1].seats().minimum, 74);
    assert!(limits(&before).changes_to(&limits(&before)).is_empty());
}

/// `fair fraction` × target where no bound limits a level, the bound elsewhere.
#[test]
fn seats_are_divided_in_proportion_to_demand_within_bounds() {
    // Per level: nominal limit, whether it may borrow, seats used, smoothed demand, and the limit afterwards.
    for (fair_fraction, division) in [
        (10.0, vec![(15, true, 0, 1.0, 10), (15, true, 1, 2.0, 20)]),
        (
            2.0,
            vec![
                (5, false, 0, 10.0, 5),
                (12, true, 8, 8.0, 16),
                (12, true, 0, 4.0, 8),
            ],
        ),
        (
            0.3,
            vec![
                (5, false, 0, 10.0, 3),
                (8, true, 8, 8.0, 8),
                (1, true, 0, 10.0, 3),
            ],
        ),
        (30.0, vec![(15, false, 0, 0.5, 15), (15, false, 0, 9.0, 15)]),
    ] {
        let name = |index| ["catch-all", "a", "b"][index];
        let of_level = |(index, level): (usize, &(u32, bool, i64, f64, i64))| {
            let fields = json!({"nominalConcurrencyShares": level.0, "lendablePercent": 100,
                "borrowingLimitPercent": (!level.1).then_some(0)});
            limited(name(index), fields)
        };
        let levels: Vec<_> = division.iter().enumerate().map(of_level).collect();
        let seats = division.iter().map(|level| level.0).sum();
        let limits = ServerLimits::new(&levels, seats, Release::NEWEST);
        let demand = |of: &str| {
            let found = (0..division.len()).find(|index| name(*index) == of);
            found.map_or_else(SeatDemand::default, |index| SeatDemand {
                high_watermark: division[index].2,
                smoothed: division[index].3,
                ..SeatDemand::default()
            })
        };
        let adjustment = limits.adjust(demand, |_| None);
        assert_eq!(adjustment.method, AdjustmentMethod::Proportional);
        assert!((adjustment.fair_fraction - fair_fraction).abs() < 1e-12);
        for (index, level) in division.iter().enumerate() {
            let current = adjustment.level(name(index)).unwrap().current;
            assert_eq!(current, level.4, "{division:?}");
        }
    }
}

#[test]
fn smoothed_demand_rises_at_once_and_falls_slowly() {
    let period = |seconds, average| DemandPeriod {
        duration: Duration::from_secs(seconds),
        average,
        deviation: f64::NAN,
        maximum: average,
    };
    let mut demand = SeatDemand::default();
    demand.update(&period(10, 100.0));
    assert_eq!(demand.smoothed, 100.0);
    demand.update(&period(10, 0.0));
    assert_eq!((demand.smoothed, demand.high_watermark), (97.7, 0));
    // A period without duration changes only the high watermark.
    demand.update(&period(0, 7.4));
    assert_eq!((demand.smoothed, demand.high_watermark), (97.7, 7));
}

/// A server ignores a level whose type does not fit its name.
#[test]
fn only_the_level_exempt_is_exempt() {
    let exempt = |name: &str| -> PriorityLevelConfiguration {
        read(
            json!({"metadata": {"name": name}, "spec": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 5}}}),
        )
    };
    let shares = json!({"nominalConcurrencyShares": 5});
    for release in [release(27), Release::NEWEST] {
        let levels = [exempt("mine"), limited("exempt", shares.clone())];
        let limits = ServerLimits::new(&levels, 600, release);
        assert_eq!(limits.level("mine"), None);
        let built_in = limits.level("exempt").unwrap();
        assert!(built_in.exempt && built_in.built_in_fallback && built_in.nominal == 0);
    }
    let levels = [exempt("exempt")];
    let limits = ServerLimits::new(&levels, 600, Release::NEWEST);
    assert_eq!(limits.level("exempt").unwrap().nominal, 300);
}
