//! Explains a request's classification.

use super::classifier::{Classification, Classifier, Schema};
use super::mismatch::RuleMismatch;
use super::policy::PolicyRule;
use super::request::RequestAttributes;
use std::fmt;

impl Classifier {
    /// Classifies a request and returns the verdict on each flow schema tried.
    ///
    /// The classification equals that of [`classify`](Self::classify), which is faster.
    ///
    /// ```
    /// use k8s_flowcontrol_types::Release;
    /// use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes, User, Verdict};
    ///
    /// let classifier = Classifier::new(&[], &[], Release::NEWEST);
    /// let request = RequestAttributes::from_http("GET", "/version", User::anonymous())?;
    /// let explanation = classifier.explain(&request).unwrap();
    /// let lines: Vec<_> = explanation.considered.iter().map(ToString::to_string).collect();
    /// assert_eq!(lines, [
    ///     "exempt: no match: rules[0] is for other subjects",
    ///     "catch-all: rules[0] matches by subjects[0] and nonResourceRules[0]",
    /// ]);
    /// # Ok::<(), k8s_flowcontrol_rules::matching::InvalidRequest>(())
    /// ```
    pub fn explain<'a>(&'a self, request: &'a RequestAttributes) -> Option<Explanation<'a>> {
        if !request.is_subject_to_flow_control() {
            return None;
        }
        let mut considered = Vec::new();
        for (number, schema) in self.schemas.iter().enumerate() {
            let verdict = self.judge(schema, request);
            let matched = matches!(verdict, Verdict::Matched(_));
            considered.push(Considered {
                flow_schema: &schema.name,
                priority_level: &schema.level,
                verdict,
            });
            if matched {
                let classification = self.classification(number, request)?;
                return Some(Explanation {
                    classification,
                    considered,
                });
            }
        }
        let classification = self.last_resort(request)?;
        Some(Explanation {
            classification,
            considered,
        })
    }

    fn judge(&self, schema: &Schema, request: &RequestAttributes) -> Verdict {
        if schema.dangling {
            return Verdict::Dangling;
        }
        let mut mismatches = Vec::new();
        for (number, rule) in self.rules_of(schema).iter().enumerate() {
            match judge_rule(&rule.policy, request) {
                Ok((subject, policy)) => {
                    return Verdict::Matched(RuleMatch {
                        rule: number,
                        subject,
                        policy,
                        is_resource_rule: request.is_resource_request,
                    });
                }
                Err(mismatch) => mismatches.push(mismatch),
            }
        }
        Verdict::NoMatch(mismatches)
    }
}

/// The indexes of the matching subject and policy of a rule, or the mismatch.
fn judge_rule(
    rule: &PolicyRule,
    request: &RequestAttributes,
) -> Result<(usize, usize), RuleMismatch> {
    let subject = rule
        .subjects
        .iter()
        .position(|subject| subject.matches(&request.user))
        .ok_or(RuleMismatch::Subjects)?;
    let policy = if request.is_resource_request {
        first_match(
            rule.resource_rules
                .iter()
                .map(|policy| policy.mismatch(request)),
        )
        .map_err(RuleMismatch::ResourceRules)
    } else {
        first_match(
            rule.non_resource_rules
                .iter()
                .map(|policy| policy.mismatch(request)),
        )
        .map_err(RuleMismatch::NonResourceRules)
    };
    policy.map(|policy| (subject, policy))
}

/// The index of the first policy without a mismatch, or all mismatches.
fn first_match<M>(mismatches: impl Iterator<Item = Option<M>>) -> Result<usize, Vec<M>> {
    let mut found = Vec::new();
    for (number, mismatch) in mismatches.enumerate() {
        match mismatch {
            None => return Ok(number),
            Some(mismatch) => found.push(mismatch),
        }
    }
    Err(found)
}

/// A request's classification and the flow schemas tried for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation<'a> {
    /// The flow schema, priority level and flow of the request.
    pub classification: Classification<'a>,
    /// The flow schemas tried, in order. The last one matched, or none matched and the request goes to `catch-all`.
    pub considered: Vec<Considered<'a>>,
}

impl Explanation<'_> {
    /// The rule that matched; `None` if the request goes to `catch-all` because no schema matched.
    pub fn matched(&self) -> Option<RuleMatch> {
        self.considered.last().and_then(|last| match last.verdict {
            Verdict::Matched(matched) => Some(matched),
            _ => None,
        })
    }
}

/// A flow schema that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Considered<'a> {
    /// The name of the flow schema.
    pub flow_schema: &'a str,
    /// The name of the priority level in its spec.
    pub priority_level: &'a str,
    /// The result of trying it.
    pub verdict: Verdict,
}

/// The result of trying a flow schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Skipped: the priority level does not exist, or the server ignores it.
    Dangling,
    /// A rule matches the request.
    Matched(RuleMatch),
    /// No rule matches; has the mismatch of each rule, in order.
    NoMatch(Vec<RuleMismatch>),
}

/// The part of a flow schema that matched a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleMatch {
    /// The index in `spec.rules`.
    pub rule: usize,
    /// The index in the rule's `subjects`.
    pub subject: usize,
    /// The index in the rule's `resourceRules`, or in `nonResourceRules` for other requests.
    pub policy: usize,
    /// Whether `policy` is an index in `resourceRules`.
    pub is_resource_rule: bool,
}

impl fmt::Display for Considered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.flow_schema)?;
        match &self.verdict {
            Verdict::Dangling => {
                write!(
                    f,
                    "skipped: there is no priority level `{}`",
                    self.priority_level
                )
            }
            Verdict::Matched(matched) => matched.fmt(f),
            Verdict::NoMatch(mismatches) if mismatches.is_empty() => {
                f.write_str("no match: it has no rules")
            }
            Verdict::NoMatch(mismatches) => {
                f.write_str("no match: ")?;
                for (number, mismatch) in mismatches.iter().enumerate() {
                    let comma = if number == 0 { "" } else { "; " };
                    write!(f, "{comma}rules[{number}] {mismatch}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for RuleMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            subject,
            policy,
            is_resource_rule,
        } = self;
        let list = if *is_resource_rule {
            "resourceRules"
        } else {
            "nonResourceRules"
        };
        write!(
            f,
            "rules[{rule}] matches by subjects[{subject}] and {list}[{policy}]"
        )
    }
}
