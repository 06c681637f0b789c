//! The values of expressions, from one or two samples of the metrics of servers.

use super::{Aggregation, Expression, Operator, RangeFunction, Selected};
use std::collections::{BTreeMap, HashMap};

/// The labels of a series and their values.
pub(in super::super) type Labels = BTreeMap<String, String>;

/// A value with its labels.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Element {
    pub(in super::super) labels: Labels,
    pub(in super::super) value: f64,
}

/// The reason for which the samples do not give the value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Unknown {
    /// A rate needs two samples.
    SecondSample,
    /// The expression looks back longer than the samples.
    History,
    /// The expression is about the series of Prometheus, and not of a server.
    Prometheus,
    Expression,
}

/// Values of two moments by series, and of recording rules.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Data {
    series: HashMap<String, Vec<(Labels, Values)>>,
    recorded: HashMap<String, Result<Vec<Element>, Unknown>>,
}

/// The values of a series: an earlier one, the present one, and the seconds between them.
#[derive(Clone, Copy, Debug)]
struct Values {
    earlier: Option<f64>,
    now: Option<f64>,
    seconds: Option<f64>,
}

/// A longer range needs more history than two samples.
const LONGEST: f64 = 600.0;

enum Value {
    Number(f64),
    Vector(Vec<Element>),
}

impl Data {
    /// Adds an earlier value of a series, which `now` may follow.
    pub(in super::super) fn add(
        &mut self,
        name: &str,
        labels: Labels,
        [earlier, now]: [Option<f64>; 2],
        seconds: Option<f64>,
    ) {
        let values = Values {
            earlier,
            now,
            seconds,
        };
        let all = self.series.entry(name.to_owned()).or_default();
        all.push((labels, values));
    }

    /// The labels of all present series with this name.
    pub(in super::super) fn labels(&self, name: &str) -> impl Iterator<Item = &Labels> {
        let all = self.series.get(name).into_iter().flatten();
        all.filter(|(_, values)| values.now.is_some())
            .map(|(labels, _)| labels)
    }

    /// Evaluates a recording rule for the rules after it.
    pub(in super::super) fn record(&mut self, name: &str, expression: &Expression) {
        let values = self.vector(expression);
        self.recorded.insert(name.to_owned(), values);
    }

    /// The elements of an expression.
    pub(in super::super) fn vector(
        &self,
        expression: &Expression,
    ) -> Result<Vec<Element>, Unknown> {
        match self.value(expression)? {
            Value::Vector(elements) => Ok(elements),
            Value::Number(value) => Ok(vec![Element {
                labels: Labels::new(),
                value,
            }]),
        }
    }

    fn value(&self, expression: &Expression) -> Result<Value, Unknown> {
        let elements = match expression {
            Expression::Number(number) => return Ok(Value::Number(*number)),
            Expression::Series(series) => self.now(series)?,
            Expression::Range {
                function,
                series,
                seconds,
            } => self.range(*function, series, *seconds)?,
            Expression::Absent(series) => match self.now(series)?.is_empty() {
                true => vec![Element {
                    labels: Labels::new(),
                    value: 1.0,
                }],
                // A server does not know what Prometheus keeps of its metrics.
                false => return Err(Unknown::Prometheus),
            },
            Expression::Quantile(quantile, inner) => quantiles(*quantile, self.vector(inner)?),
            Expression::Aggregate {
                function,
                by,
                inner,
            } => aggregate(*function, by, self.vector(inner)?),
            Expression::Binary {
                operator,
                on,
                left,
                right,
            } => return self.binary(*operator, on.as_deref(), left, right),
        };
        Ok(Value::Vector(elements))
    }

    fn selected<'a>(&'a self, series: &'a Selected) -> impl Iterator<Item = (&'a Labels, Values)> {
        let all = self.series.get(&series.name).into_iter().flatten();
        let matches = |labels: &Labels| {
            series
                .matchers
                .iter()
                .all(|matcher| matcher.matches(labels))
        };
        all.filter(move |(labels, _)| matches(labels))
            .map(|(labels, values)| (labels, *values))
    }

    fn now(&self, series: &Selected) -> Result<Vec<Element>, Unknown> {
        if let Some(recorded) = self.recorded.get(&series.name) {
            let mut elements = recorded.clone()?;
            elements.retain(|element| {
                let mut matchers = series.matchers.iter();
                matchers.all(|matcher| matcher.matches(&element.labels))
            });
            return Ok(elements);
        }
        let present = self.selected(series).filter_map(|(labels, values)| {
            Some(Element {
                labels: labels.clone(),
                value: values.now?,
            })
        });
        Ok(present.collect())
    }

    fn range(
        &self,
        function: RangeFunction,
        series: &Selected,
        seconds: f64,
    ) -> Result<Vec<Element>, Unknown> {
        let is_long = seconds > LONGEST;
        // A counter has at least the increase of the day, if it has one at all.
        if is_long && function == RangeFunction::Increase {
            return self.now(series);
        }
        if is_long {
            return match self.now(series)?.is_empty() {
                true => Ok(Vec::new()),
                false => Err(Unknown::History),
            };
        }
        let mut elements = Vec::new();
        for (labels, values) in self.selected(series) {
            let both = values.earlier.zip(values.now);
            let value = match function {
                RangeFunction::Rate | RangeFunction::Increase => {
                    let between = values.seconds.ok_or(Unknown::SecondSample)?;
                    // A counter begins with zero at its first request.
                    let both = values
                        .now
                        .map(|now| (values.earlier.unwrap_or_default(), now));
                    // A counter that became smaller was reset by a restart.
                    let increase = both.map(|(earlier, now)| match now < earlier {
                        true => now,
                        false => now - earlier,
                    });
                    let per = match function {
                        RangeFunction::Rate => between.max(f64::MIN_POSITIVE),
                        _ => 1.0,
                    };
                    increase.map(|increase| increase / per)
                }
                RangeFunction::Average => both
                    .map(|(earlier, now)| f64::midpoint(earlier, now))
                    .or(values.now),
                RangeFunction::Minimum => {
                    both.map(|(earlier, now)| earlier.min(now)).or(values.now)
                }
            };
            elements.extend(value.map(|value| Element {
                labels: labels.clone(),
                value,
            }));
        }
        Ok(elements)
    }

    fn binary(
        &self,
        operator: Operator,
        on: Option<&[String]>,
        left: &Expression,
        right: &Expression,
    ) -> Result<Value, Unknown> {
        let key = |labels: &Labels| -> Labels {
            match on {
                None => labels.clone(),
                Some(on) => only(labels, on),
            }
        };
        if let Operator::And | Operator::Or = operator {
            let (left, right) = (self.vector(left), self.vector(right));
            // Nothing is in both sides if one side is empty, however the other may be.
            let is_empty =
                |side: &Result<Vec<Element>, Unknown>| side.as_ref().is_ok_and(Vec::is_empty);
            if operator == Operator::And && (is_empty(&left) || is_empty(&right)) {
                return Ok(Value::Vector(Vec::new()));
            }
            let (mut left, right) = (left?, right?);
            let keys = |side: &[Element]| -> Vec<Labels> {
                side.iter().map(|element| key(&element.labels)).collect()
            };
            match operator {
                Operator::And => {
                    let keys = keys(&right);
                    left.retain(|element| keys.contains(&key(&element.labels)));
                }
                _ => {
                    let keys = keys(&left);
                    let mut right = right;
                    right.retain(|element| !keys.contains(&key(&element.labels)));
                    left.append(&mut right);
                }
            }
            return Ok(Value::Vector(left));
        }
        let mut elements = Vec::new();
        match (self.value(left)?, self.value(right)?) {
            (Value::Number(left), Value::Number(right)) => {
                let value = apply(operator, left, right);
                return Ok(Value::Number(value.unwrap_or(0.0)));
            }
            (Value::Vector(left), Value::Number(right)) => {
                for Element { labels, value } in left {
                    let value = apply(operator, value, right);
                    elements.extend(value.map(|value| Element { labels, value }));
                }
            }
            (Value::Number(left), Value::Vector(right)) => {
                for Element { labels, value } in right {
                    let value = apply(operator, left, value);
                    elements.extend(value.map(|value| Element { labels, value }));
                }
            }
            (Value::Vector(left), Value::Vector(right)) => {
                let right: BTreeMap<Labels, f64> = right
                    .into_iter()
                    .map(|element| (key(&element.labels), element.value))
                    .collect();
                for Element { labels, value } in left {
                    let other = right.get(&key(&labels));
                    let value = other.and_then(|other| apply(operator, value, *other));
                    elements.extend(value.map(|value| Element { labels, value }));
                }
            }
        }
        Ok(Value::Vector(elements))
    }
}

/// The result of arithmetic, or the left value if a comparison is true.
fn apply(operator: Operator, left: f64, right: f64) -> Option<f64> {
    match operator {
        Operator::Subtract => Some(left - right),
        Operator::Multiply => Some(left * right),
        Operator::Divide => Some(left / right),
        Operator::Less => (left < right).then_some(left),
        Operator::Greater => (left > right).then_some(left),
        Operator::AtLeast => (left >= right).then_some(left),
        Operator::And | Operator::Or => None,
    }
}

fn only(labels: &Labels, names: &[String]) -> Labels {
    let own = names
        .iter()
        .filter_map(|name| Some((name.clone(), labels.get(name)?.clone())));
    own.collect()
}

fn aggregate(function: Aggregation, by: &[String], elements: Vec<Element>) -> Vec<Element> {
    let mut groups = BTreeMap::<Labels, f64>::new();
    for element in elements {
        let group = groups.entry(only(&element.labels, by));
        let value = element.value;
        group
            .and_modify(|own| match function {
                Aggregation::Sum => *own += value,
                Aggregation::Maximum => *own = own.max(value),
            })
            .or_insert(value);
    }
    let elements = groups.into_iter();
    elements
        .map(|(labels, value)| Element { labels, value })
        .collect()
}

/// The quantiles of histograms whose buckets have the label `le`, interpolated as Prometheus does.
fn quantiles(quantile: f64, buckets: Vec<Element>) -> Vec<Element> {
    let mut histograms = BTreeMap::<Labels, Vec<(f64, f64)>>::new();
    for Element { mut labels, value } in buckets {
        let bound = labels.remove("le").and_then(|le| match le.as_str() {
            "+Inf" => Some(f64::INFINITY),
            le => le.parse().ok(),
        });
        if let Some(bound) = bound {
            histograms.entry(labels).or_default().push((bound, value));
        }
    }
    let of = |(labels, mut buckets): (Labels, Vec<(f64, f64)>)| {
        buckets.sort_by(|left, right| left.0.total_cmp(&right.0));
        Some(Element {
            labels,
            value: interpolated(quantile, &buckets)?,
        })
    };
    histograms.into_iter().filter_map(of).collect()
}

/// `None` without requests, as a comparison with such a quantile is false.
fn interpolated(quantile: f64, buckets: &[(f64, f64)]) -> Option<f64> {
    let (last, total) = *buckets.last()?;
    if last != f64::INFINITY || total <= 0.0 || buckets.len() < 2 {
        return None;
    }
    let rank = quantile * total;
    let index = buckets.iter().position(|(_, count)| *count >= rank)?;
    let (bound, count) = buckets[index];
    let (lower, below) = match index {
        0 => (0.0, 0.0),
        index => buckets[index - 1],
    };
    // Of the last bucket only its lower bound is known.
    if bound == f64::INFINITY {
        return Some(lower);
    }
    Some(lower + (bound - lower) * (rank - below) / (count - below).max(f64::MIN_POSITIVE))
}
