//! One requirement of a label selector.

use serde_json::{Map, Value};

#[derive(Clone, Debug)]
pub(super) struct Requirement {
    pub(super) key: String,
    pub(super) operator: Operator,
    pub(super) values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    In,
    NotIn,
    Equals,
    NotEquals,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
}

impl Requirement {
    pub(super) fn holds(&self, labels: Option<&Map<String, Value>>) -> bool {
        let value = labels
            .and_then(|labels| labels.get(&self.key))
            .and_then(Value::as_str);
        let listed = || value.is_some_and(|value| self.values.iter().any(|listed| listed == value));
        match self.operator {
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::In | Operator::Equals => listed(),
            Operator::NotIn | Operator::NotEquals => !listed(),
            Operator::GreaterThan => self.compares(value, |label, bound| label > bound),
            Operator::LessThan => self.compares(value, |label, bound| label < bound),
        }
    }

    fn compares(&self, value: Option<&str>, holds: fn(i64, i64) -> bool) -> bool {
        let label = value.and_then(|value| value.parse().ok());
        let bound = self.values.first().and_then(|bound| bound.parse().ok());
        matches!((label, bound), (Some(label), Some(bound)) if holds(label, bound))
    }
}
