//! The part of PromQL that rules use, so that the rules can be evaluated on the metrics of a server.
//!
//! Known are selectors, the functions `rate`, `increase`, `avg_over_time`, `min_over_time`, `absent` and `histogram_quantile`, sums and
//! maxima `by` labels, arithmetic, comparisons, `and` and `or`. Other text is an error, so that nothing is evaluated wrongly.

mod evaluate;
mod parse;
mod token;

pub(super) use evaluate::{Data, Element, Labels, Unknown};
pub(super) use parse::parse;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Number(f64),
    Series(Selected),
    /// A function of the values of a time range.
    Range {
        function: RangeFunction,
        series: Selected,
        seconds: f64,
    },
    Absent(Selected),
    Quantile(f64, Box<Expression>),
    Aggregate {
        function: Aggregation,
        by: Vec<String>,
        inner: Box<Expression>,
    },
    Binary {
        operator: Operator,
        /// The labels that must agree; by default all labels.
        on: Option<Vec<String>>,
        left: Box<Expression>,
        right: Box<Expression>,
    },
}

/// The series of a metric, or of a recording rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selected {
    pub(super) name: String,
    pub(super) matchers: Vec<Matcher>,
}

/// A condition for the value of a label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matcher {
    pub(super) label: String,
    /// Any of these values, or with `is_negative` no such value.
    values: Vec<String>,
    is_negative: bool,
}

impl Expression {
    /// All selected series, from left to right.
    pub(super) fn selected(&self) -> Vec<&Selected> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Series(series) | Self::Range { series, .. } | Self::Absent(series) => {
                vec![series]
            }
            Self::Quantile(_, inner) | Self::Aggregate { inner, .. } => inner.selected(),
            Self::Binary { left, right, .. } => {
                let mut all = left.selected();
                all.extend(right.selected());
                all
            }
        }
    }
}

impl Matcher {
    /// A label that is absent has an empty value.
    fn matches(&self, labels: &Labels) -> bool {
        let value = labels.get(&self.label).map_or("", String::as_str);
        self.values.iter().any(|own| own == value) != self.is_negative
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeFunction {
    Rate,
    Increase,
    Average,
    Minimum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregation {
    Sum,
    Maximum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Less,
    Greater,
    AtLeast,
    Subtract,
    Multiply,
    Divide,
}

impl Operator {
    /// A higher number binds tighter.
    const fn strength(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Less | Self::Greater | Self::AtLeast => 3,
            Self::Subtract => 4,
            Self::Multiply | Self::Divide => 5,
        }
    }
}
