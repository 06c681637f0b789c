//! The labels that rules use, checked against the series of API servers.

use super::promql::{Data, Expression, Selected};
use super::rule_check::RuleProblem;
use crate::metrics::catalog::{Metric, find};
use std::collections::{BTreeSet, HashMap};

/// Labels that Prometheus adds to the series of a server.
const ADDED: [&str; 2] = ["cluster", "instance"];

/// The labels that a rule uses and no series of it has. Rules come after the rules that they use, each with its name.
pub(super) fn missing_labels(rules: &[(String, Expression)], data: &Data) -> Vec<RuleProblem> {
    let mut known = HashMap::<&str, BTreeSet<String>>::new();
    let mut problems = Vec::new();
    for (name, expression) in rules {
        let mut missing = BTreeSet::new();
        let labels = labels_of(expression, data, &known, &mut missing);
        known.insert(name, labels);
        problems.extend(missing.into_iter().map(|label| RuleProblem::MissingLabel {
            rule: name.clone(),
            label,
        }));
    }
    problems
}

/// The labels of the elements of an expression; used labels that no series has are `missing`.
fn labels_of(
    expression: &Expression,
    data: &Data,
    known: &HashMap<&str, BTreeSet<String>>,
    missing: &mut BTreeSet<String>,
) -> BTreeSet<String> {
    let of_series = |series: &Selected, missing: &mut BTreeSet<String>| {
        let mut labels = match known.get(series.name.as_str()) {
            Some(labels) => labels.clone(),
            None => observed_labels(series, data),
        };
        labels.extend(ADDED.map(str::to_owned));
        let matchers = series.matchers.iter().map(|matcher| &matcher.label);
        missing.extend(matchers.filter(|own| !labels.contains(*own)).cloned());
        labels
    };
    match expression {
        Expression::Number(_) => BTreeSet::new(),
        Expression::Series(series) | Expression::Range { series, .. } => of_series(series, missing),
        Expression::Absent(series) => {
            of_series(series, missing);
            BTreeSet::new()
        }
        Expression::Quantile(_, inner) => {
            let mut labels = labels_of(inner, data, known, missing);
            if !labels.remove("le") {
                missing.insert("le".to_owned());
            }
            labels
        }
        Expression::Aggregate { by, inner, .. } => {
            let labels = labels_of(inner, data, known, missing);
            missing.extend(by.iter().filter(|own| !labels.contains(*own)).cloned());
            by.iter().cloned().collect()
        }
        Expression::Binary {
            operator,
            on,
            left,
            right,
        } => {
            let left = labels_of(left, data, known, missing);
            let right = labels_of(right, data, known, missing);
            let on = on.iter().flatten();
            let is_known = |own: &&String| left.contains(*own) && right.contains(*own);
            missing.extend(on.filter(|own| !is_known(own)).cloned());
            match operator {
                super::promql::Operator::Or => left.union(&right).cloned().collect(),
                _ if left.is_empty() => right,
                _ => left,
            }
        }
    }
}

/// The labels of the series of a metric; the labels of the table, as long as a server lacks series.
fn observed_labels(series: &Selected, data: &Data) -> BTreeSet<String> {
    let observed: BTreeSet<String> = data
        .labels(&series.name)
        .flat_map(|labels| labels.keys().cloned())
        .collect();
    if !observed.is_empty() {
        return observed;
    }
    let metric = find(&series.name);
    let labels = metric.map_or(&[][..], Metric::labels).iter();
    let bucket = series.name.ends_with("_bucket").then_some("le");
    labels.copied().chain(bucket).map(str::to_owned).collect()
}
