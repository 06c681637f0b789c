//! Later loads against the same intents: what still holds, and which number to change.

use super::answer::{Answer, Proof};
use super::check::Check;
use super::error::SizeError;
use super::examine::MORE;
use super::intents::{Intents, ServerSeats};
use super::longer::LongerWaits;
use super::search::Progress;
use super::sizer::Sizer;
use k8s_flowcontrol_types::__named as named;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{
    LimitedPriorityLevelConfiguration, PriorityLevelConfiguration,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The margins of an earlier answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    margins: BTreeMap<(String, String, usize), Margin>,
}

/// How far a check is from its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Margin {
    /// Whether the check holds under the unchanged load.
    pub is_met: bool,
    /// How much of the limit is left then, in percent; none without a limit.
    pub percent: Option<f64>,
    /// Whether it holds under 1.5 times the load.
    pub is_met_with_more: bool,
}

/// A later load with a configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Drift {
    /// The state of each intent, in their order.
    pub intents: Vec<DriftedIntent>,
    /// The checks.
    pub proof: Proof,
    /// The intents with recorded waits that the simulation of the configuration does not have.
    pub longer_waits: Vec<LongerWaits>,
    /// The numbers to change so that all intents hold, with the margin that they had; empty if nothing drifted.
    pub changes: Vec<FieldChange>,
    /// The configuration with these numbers, or the reason why it does not exist; `None` if nothing drifted.
    pub answer: Option<Answer>,
}

/// The state of an intent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DriftedIntent {
    /// The name of the intent.
    pub name: String,
    /// The state.
    pub state: State,
    /// The check with the smallest margin.
    pub check: Check,
    /// Its margin in the earlier answer; none if that lacks it.
    pub before: Option<Margin>,
    /// Its margin now.
    pub now: Margin,
}

named! {
    /// Whether an intent still holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum State {
        /// It holds.
        Met = "still met",
        /// It holds, but less than half of the margin is left, or it no longer holds under 1.5 times the load.
        MarginGone = "margin gone",
        /// It does not hold.
        Broken = "broken",
    }
    /// The state in words.
    pub fn as_str;
}

/// A number to change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldChange {
    /// The priority level.
    pub priority_level: String,
    /// The field of `spec.limited` in v1, such as `nominalConcurrencyShares`; empty for a level that is added.
    /// [`field_for`](Self::field_for) names it in other versions.
    pub field: &'static str,
    /// The present value; none if it is absent.
    pub from: Option<i32>,
    /// The new value; none to remove it.
    pub to: Option<i32>,
}

#[derive(Deserialize)]
struct Report {
    examined: Vec<ExaminedLoad>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExaminedLoad {
    load: String,
    is_required: bool,
    checks: Vec<StoredCheck>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredCheck {
    intent: String,
    is_met: bool,
    margin_percent: Option<f64>,
}

impl Baseline {
    /// The margins of a proof.
    pub fn of(proof: &Proof) -> Self {
        let loads = proof.examined.iter().map(|examined| ExaminedLoad {
            load: examined.title.clone(),
            is_required: examined.is_required,
            checks: examined.checks.iter().map(StoredCheck::of).collect(),
        });
        Self::of_loads(loads.collect())
    }

    /// Reads the margins of the field `examined` of a report in JSON.
    ///
    /// # Errors
    /// The problem of the text, with its line and column.
    pub fn parse(report: &[u8]) -> Result<Self, String> {
        let report: Report = serde_json::from_slice(report).map_err(|error| error.to_string())?;
        Ok(Self::of_loads(report.examined))
    }

    fn of_loads(loads: Vec<ExaminedLoad>) -> Self {
        let more = loads.iter().find(|load| !load.is_required);
        let more = more.map(|load| numbered(&load.checks)).unwrap_or_default();
        let mut margins = BTreeMap::new();
        for load in loads.iter().filter(|load| load.is_required) {
            for ((intent, number), check) in numbered(&load.checks) {
                let with_more = more.get(&(intent, number));
                let margin = Margin {
                    is_met: check.is_met,
                    percent: check.margin_percent,
                    is_met_with_more: with_more.is_some_and(|check| check.is_met),
                };
                margins.insert((load.load.clone(), intent.to_owned(), number), margin);
            }
        }
        Self { margins }
    }
}

impl StoredCheck {
    fn of(check: &Check) -> Self {
        Self {
            intent: check.name.clone(),
            is_met: check.is_met(),
            margin_percent: check.margin_percent(),
        }
    }
}

/// The checks by intent and by their number within the intent.
fn numbered(checks: &[StoredCheck]) -> BTreeMap<(&str, usize), &StoredCheck> {
    let mut numbers = BTreeMap::<&str, usize>::new();
    let numbered = checks.iter().map(|check| {
        let number = numbers.entry(&check.intent).or_default();
        *number += 1;
        ((check.intent.as_str(), *number - 1), check)
    });
    numbered.collect()
}

impl Sizer<'_> {
    /// Compares the load, which is later than that of `baseline`, with the intents on a server with the present objects and so many
    /// seats. If an intent is broken or its margin is gone, the search for other numbers follows; `progress` is called as in
    /// [`size`](Self::size).
    ///
    /// # Errors
    /// As [`size`](Self::size).
    pub fn drift(
        &self,
        seats: u32,
        baseline: &Baseline,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Drift, SizeError> {
        let outcomes = self.outcomes(&self.present, seats, &[])?;
        let (_, unchanged) = &outcomes[0];
        let longer_waits = self.longer_waits(seats, unchanged)?;
        let proof = self.proof(&outcomes);
        let now = Baseline::of(&proof);
        let intents: Vec<_> = self
            .intents
            .intents
            .iter()
            .enumerate()
            .filter_map(|(index, intent)| drifted(index, &intent.name, &proof, baseline, &now))
            .collect();
        let worst = intents.iter().map(|intent| intent.state).max();
        let times = match worst {
            None | Some(State::Met) => {
                return Ok(Drift {
                    intents,
                    proof,
                    longer_waits,
                    changes: Vec::new(),
                    answer: None,
                });
            }
            Some(State::Broken) => 1.0,
            Some(State::MarginGone) => MORE,
        };
        let wanted = Intents {
            server: ServerSeats::Known(seats),
            ..self.intents.clone()
        };
        let mut sizer = self.with_intents(&wanted)?;
        sizer.times = times;
        let answer = sizer.size(progress)?;
        let changes = match &answer {
            Answer::Sized(sizing) => changed_fields(&self.present.levels, &sizing.priority_levels),
            _ => Vec::new(),
        };
        Ok(Drift {
            intents,
            proof,
            longer_waits,
            changes,
            answer: Some(answer),
        })
    }
}

/// The state of an intent by its worst check.
fn drifted(
    index: usize,
    name: &str,
    proof: &Proof,
    baseline: &Baseline,
    now: &Baseline,
) -> Option<DriftedIntent> {
    let required = proof.examined.iter().filter(|load| load.is_required);
    let states = required.flat_map(|load| {
        let checks = load.checks.iter().filter(|check| check.intent == index);
        checks.enumerate().filter_map(|(number, check)| {
            let key = (load.title.clone(), name.to_owned(), number);
            let (before, now) = (baseline.margins.get(&key).copied(), now.margins.get(&key)?);
            Some(DriftedIntent {
                name: name.to_owned(),
                state: state(before, now),
                check: check.clone(),
                before,
                now: *now,
            })
        })
    });
    states.max_by(|left, right| {
        let margin = |intent: &DriftedIntent| intent.now.percent.unwrap_or(f64::MAX);
        let by_margin = margin(right).total_cmp(&margin(left));
        left.state.cmp(&right.state).then(by_margin)
    })
}

fn state(before: Option<Margin>, now: &Margin) -> State {
    if !now.is_met {
        return State::Broken;
    }
    let Some(before) = before else {
        return State::Met;
    };
    let is_less_than_half = before
        .percent
        .zip(now.percent)
        .is_some_and(|(before, now)| now < before / 2.0);
    match is_less_than_half || before.is_met_with_more && !now.is_met_with_more {
        true => State::MarginGone,
        false => State::Met,
    }
}

/// The numbers that differ, level by level.
fn changed_fields(
    before: &[PriorityLevelConfiguration],
    after: &[PriorityLevelConfiguration],
) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    for level in after {
        let name = level.name().to_owned();
        let present = before.iter().rev().find(|present| present.name() == name);
        let Some(present) = present else {
            changes.push(FieldChange {
                priority_level: name,
                field: "",
                from: None,
                to: None,
            });
            continue;
        };
        let (from, to) = (numbers(present), numbers(level));
        for ((field, from), (_, to)) in from.into_iter().zip(to) {
            if from != to {
                changes.push(FieldChange {
                    priority_level: name.clone(),
                    field,
                    from,
                    to,
                });
            }
        }
    }
    changes
}

fn numbers(level: &PriorityLevelConfiguration) -> [(&'static str, Option<i32>); 6] {
    let none = LimitedPriorityLevelConfiguration::default();
    let limited = level.spec.limited.as_ref().unwrap_or(&none);
    let queuing = limited.limit_response.queuing.clone().unwrap_or_default();
    [
        (
            "nominalConcurrencyShares",
            limited.nominal_concurrency_shares,
        ),
        ("lendablePercent", limited.lendable_percent),
        ("borrowingLimitPercent", limited.borrowing_limit_percent),
        ("queues", queuing.queues),
        ("handSize", queuing.hand_size),
        ("queueLengthLimit", queuing.queue_length_limit),
    ]
}
