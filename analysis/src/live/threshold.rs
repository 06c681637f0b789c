//! Limits of rates, whose excess is an alert.

use super::request::LiveSums;
use super::windows::Total;
use crate::callers::By;
use std::fmt;
use std::str::FromStr;

/// A percentage means something from so many requests on.
const ENOUGH: u64 = 20;

/// A limit of a rate over the window, such as `caller.requests>50/s`.
///
/// The form is `SCOPE.MEASURE>NUMBER[UNIT]`:
///
/// - the scope is `all`, `caller` (or the other property of the groups), `level` or `flow-schema`;
/// - the measure is `requests`, `rejected`, `retries`, `hasty-retries`, `lists`, `newest-lists`, `unlimited-lists`, `watches`,
///   `short-watches`, `errors`, or `seats`, the mean of the seats in use;
/// - the unit is `/s`, `/m` or `/h`, or `%` of the requests of the same scope, of which there must be at least 20. `seats` does not have a unit.
///
/// ```
/// use k8s_flowcontrol_analysis::live::Threshold;
///
/// let threshold: Threshold = "level.rejected > 1%".parse().unwrap();
/// assert_eq!(threshold.to_string(), "level.rejected>1%");
/// assert!("level.rejected>1".parse::<Threshold>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    text: String,
    scope: Scope,
    /// The place in [`MEASURES`].
    measure: usize,
    unit: Unit,
    limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    All,
    Group,
    Level,
    FlowSchema,
}

/// The unit, with the seconds of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Per(f64),
    Percent,
    Seats,
}

/// The mean of the seats in use.
const SEATS: &str = "seats";

/// The name of a measure, and its value for some requests.
type Measure = (&'static str, fn(&LiveSums) -> f64);

const MEASURES: [Measure; 11] = [
    ("requests", |sums| sums.requests as f64),
    ("rejected", |sums| sums.rejected as f64),
    ("retries", |sums| sums.retries as f64),
    ("hasty-retries", |sums| sums.hasty_retries as f64),
    ("lists", |sums| sums.lists as f64),
    ("newest-lists", |sums| sums.newest_lists as f64),
    ("unlimited-lists", |sums| sums.unlimited_lists as f64),
    ("watches", |sums| sums.watches as f64),
    ("short-watches", |sums| sums.short_watches as f64),
    ("errors", |sums| sums.errors as f64),
    (SEATS, LiveSums::seat_seconds),
];
/// A text that is not a threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadThreshold(String);

impl fmt::Display for BadThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadThreshold {}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Threshold {
    type Err = BadThreshold;

    fn from_str(text: &str) -> Result<Self, BadThreshold> {
        let text: String = text.split_whitespace().collect();
        let form = || {
            BadThreshold(format!(
                "{text:?} is not a threshold: expected SCOPE.MEASURE>NUMBER and a unit, such as caller.requests>50/s"
            ))
        };
        let (scope, rest) = text.split_once('.').ok_or_else(form)?;
        let (measure, limit) = rest.split_once('>').ok_or_else(form)?;
        let scope = match scope {
            "all" => Scope::All,
            "level" => Scope::Level,
            "flow-schema" => Scope::FlowSchema,
            group if By::named(group).is_some() => Scope::Group,
            other => {
                return Err(BadThreshold(format!(
                    "{other:?} is not a scope: expected all, level, flow-schema, or a property of requests such as caller"
                )));
            }
        };
        let found = MEASURES.iter().position(|(name, _)| *name == measure);
        let place = found.ok_or_else(|| {
            let names = MEASURES.map(|(name, _)| name).join(", ");
            BadThreshold(format!("{measure:?} is not a measure: expected {names}"))
        })?;
        let end = limit
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(limit.len());
        let (number, unit) = limit.split_at(end);
        let limit = number.parse().map_err(|_| form())?;
        let unit = match (unit, measure == SEATS) {
            ("", true) => Unit::Seats,
            ("/s", false) => Unit::Per(1.0),
            ("/m", false) => Unit::Per(60.0),
            ("/h", false) => Unit::Per(3600.0),
            ("%", false) => Unit::Percent,
            (_, true) => {
                return Err(BadThreshold(format!(
                    "seats have no unit, but {text:?} has one"
                )));
            }
            (_, false) => {
                return Err(BadThreshold(format!(
                    "{text:?} has no unit: expected /s, /m, /h or % after the number"
                )));
            }
        };
        Ok(Self {
            scope,
            measure: place,
            unit,
            limit,
            text,
        })
    }
}

impl Threshold {
    /// The names above the limit, with their values in the unit of the threshold.
    pub(super) fn exceeded<'a>(
        &self,
        total: &'a Total,
        seconds: f64,
    ) -> impl Iterator<Item = (&'a str, f64)> {
        let named = match self.scope {
            Scope::All => None,
            Scope::Group => Some(&total.groups),
            Scope::Level => Some(&total.levels),
            Scope::FlowSchema => Some(&total.flow_schemas),
        };
        let all = named.is_none().then_some(("", &total.all));
        let named = named.into_iter().flatten();
        let named = named.map(|(name, sums)| (name.as_str(), sums));
        let values: Vec<_> = named
            .chain(all)
            .map(|(name, sums)| (name, self.value(sums, seconds)))
            .filter(|(_, value)| *value > self.limit)
            .collect();
        values.into_iter()
    }

    fn value(&self, sums: &LiveSums, seconds: f64) -> f64 {
        let (_, of) = MEASURES[self.measure];
        let count = of(sums);
        let value = match self.unit {
            Unit::Seats => count / seconds,
            Unit::Per(unit) => count * unit / seconds,
            Unit::Percent if sums.requests < ENOUGH => 0.0,
            Unit::Percent => count * 100.0 / sums.requests as f64,
        };
        (value * 1000.0).round() / 1000.0
    }
}
