//! Label selectors: `a=b,c in (d,e),!f,g>3`. Own code, because the messages are part of the server's responses.

mod parse;
mod requirement;
mod syntax;

use crate::status::Failure;
use k8s_flowcontrol_types::Release;
use requirement::Requirement;
use serde_json::Value;

/// Requirements that must all hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector(Vec<Requirement>);

impl LabelSelector {
    /// # Errors
    /// A 400 with the message of the server's parser.
    pub(crate) fn parse(text: &str, release: Release) -> Result<Self, Failure> {
        parse::requirements(text, release)
            .map(Self)
            .map_err(crate::status::bad_request)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = object["metadata"]["labels"].as_object();
        self.0.iter().all(|requirement| requirement.holds(labels))
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
