//! Label selectors: `a=b,c in (d,e),!f,g>3`.

mod parse;
mod syntax;

use crate::status::Failure;
use k8s_flowcontrol_types::Release;
use serde_json::{Map, Value};

/// Requirements that must all hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    In,
    NotIn,
    Equals,
    NotEquals,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
}

impl LabelSelector {
    /// # Errors
    /// A 400 in the words of the server's own parser.
    pub(crate) fn parse(text: &str, release: Release) -> Result<Self, Failure> {
        parse::requirements(text, release)
            .map(Self)
            .map_err(crate::status::bad_request)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = object
            .pointer("/metadata/labels")
            .and_then(Value::as_object);
        self.0.iter().all(|requirement| requirement.holds(labels))
    }
}

impl Requirement {
    fn holds(&self, labels: Option<&Map<String, Value>>) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn selects(text: &str) -> bool {
        let object = json!({"metadata": {"labels": {"lab": "yes", "idx": "3"}}});
        LabelSelector::parse(text, Release::NEWEST)
            .unwrap()
            .matches(&object)
    }

    #[test]
    fn requirements_hold_or_not() {
        for text in [
            "",
            "lab=yes",
            "lab==yes",
            " lab = yes ",
            "lab",
            "!half",
            "lab in (no,yes)",
            "half notin (a)",
            "half!=a",
            "idx>2",
            "idx<4",
            "lab=yes,idx",
            "lab in (yes, )",
        ] {
            assert!(selects(text), "{text}");
        }
        for text in [
            "lab!=yes",
            "lab=",
            "!lab",
            "half",
            "lab in ()",
            "lab notin (yes)",
            "idx>3",
        ] {
            assert!(!selects(text), "{text}");
        }
    }

    #[test]
    fn mistakes_are_told_in_the_servers_words() {
        for (text, message) in [
            (
                "=x",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            ("lab=a b", "found 'b', expected: ',' or 'end of string'"),
            (
                "lab in (a",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            (
                "!!x",
                "unable to parse requirement: found '!', expected: identifier",
            ),
            ("lab=yes,,half", "found ',', expected: identifier after ','"),
            (
                "a b",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
        ] {
            assert_eq!(
                LabelSelector::parse(text, Release::NEWEST)
                    .unwrap_err()
                    .message(),
                message,
                "{text}"
            );
        }
    }
}
