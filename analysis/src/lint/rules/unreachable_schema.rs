//! A schema whose requests all match earlier schemas.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::{Maintainer, Schema};
use crate::lint::rule_index::RuleIndex;
use k8s_flowcontrol_rules::matching::{PolicyRule, is_covered};
use k8s_flowcontrol_rules::objects::EXEMPT;
use std::collections::BTreeSet;

/// The number of schemas among which the message looks for a single sufficient schema.
const MAX_NAMED: usize = 64;

pub(super) const RULE: Rule = Rule {
    id: "unreachable-schema",
    severity: Severity::Error,
    summary: "Every request that a flow schema matches also matches an earlier one.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    let mut index = RuleIndex::default();
    // The rules of earlier schemas, each with the position of its schema.
    let mut earlier: Vec<(usize, &PolicyRule)> = Vec::new();
    for (position, schema) in context.schemas.iter().enumerate() {
        if schema.maintainer == Maintainer::User && !schema.rules.is_empty() {
            examine(context, schema, &index, &earlier, report);
        }
        if !schema.dangling {
            for rule in &schema.rules {
                index.add_covering(earlier.len(), rule);
                earlier.push((position, rule));
            }
        }
    }
}

fn examine(
    context: &Context,
    schema: &Schema,
    index: &RuleIndex,
    earlier: &[(usize, &PolicyRule)],
    report: &mut Report,
) {
    // A server rejects a schema that matches nothing: no earlier one is the reason.
    if schema.rules.iter().all(|rule| is_covered(rule, &[])) {
        return;
    }
    let mut covering = BTreeSet::new();
    for rule in &schema.rules {
        let found: Vec<_> = match index.covering(rule) {
            Some(numbers) => numbers
                .iter()
                .filter_map(|number| earlier.get(*number))
                .collect(),
            None => earlier.iter().collect(),
        };
        let rules: Vec<_> = found.iter().map(|(_, rule)| *rule).collect();
        if !is_covered(rule, &rules) {
            return;
        }
        covering.extend(found.iter().map(|(position, _)| *position));
    }
    // If a single schema covers it, the message names that schema.
    let candidates = covering
        .iter()
        .filter_map(|position| context.schemas.get(*position));
    let alone = candidates.take(MAX_NAMED).find(|other| {
        let rules: Vec<_> = other.rules.iter().collect();
        schema.rules.iter().all(|rule| is_covered(rule, &rules))
    });
    let message = match alone {
        Some(other) => format!(
            "`{}`, tried earlier with precedence {}, matches every request that this schema matches",
            other.name(),
            other.precedence(),
        ),
        None => "earlier schemas together match every request that this schema \
                 matches"
            .to_owned(),
    };
    let help = match alone.is_some_and(|other| other.name() == EXEMPT) {
        true => "delete it: no flow schema can come before `exempt`",
        false => "give it a smaller matchingPrecedence than the earlier schemas, or delete it",
    };
    report.schema(schema, "spec.matchingPrecedence", message, help);
}
