//! Schemas whose order depends on their names.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::{Maintainer, Schema};
use crate::lint::rule_index::RuleIndex;
use k8s_flowcontrol_rules::matching::{PolicyRule, may_overlap};
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    id: "equal-precedence",
    severity: Severity::Warning,
    summary: "Two flow schemas of the same precedence can match the same request.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for same in context
        .schemas
        .chunk_by(|left, right| left.precedence() == right.precedence())
    {
        examine(same, report);
    }
}

/// The index of all rules, and of those in schemas that users can edit.
#[derive(Default)]
struct Earlier<'a> {
    all: RuleIndex,
    of_users: RuleIndex,
    rules: Vec<(&'a Schema, &'a PolicyRule)>,
}

impl<'a> Earlier<'a> {
    fn add(&mut self, schema: &'a Schema) {
        for rule in &schema.rules {
            let number = self.rules.len();
            self.all.add_overlapping(number, rule);
            if schema.maintainer == Maintainer::User {
                self.of_users.add_overlapping(number, rule);
            }
            self.rules.push((schema, rule));
        }
    }

    /// The first schema that may match the same request. At least one schema of the pair belongs to users.
    fn first(&self, schema: &Schema) -> Option<&'a Schema> {
        let is_edited = schema.maintainer == Maintainer::User;
        let index = match is_edited {
            true => &self.all,
            false => &self.of_users,
        };
        let mut numbers = BTreeSet::new();
        for rule in &schema.rules {
            match index.overlapping(rule) {
                Some(found) => numbers.extend(found),
                None => numbers.extend(0..self.rules.len()),
            }
        }
        let mut found = numbers.iter().filter_map(|number| self.rules.get(*number));
        let first = found.find(|(other, rule)| {
            (is_edited || other.maintainer == Maintainer::User)
                && schema.rules.iter().any(|own| may_overlap(rule, own))
        });
        first.map(|(schema, _)| *schema)
    }
}

/// Compares schemas of one precedence, in the order in which a server tries them.
fn examine(schemas: &[Schema], report: &mut Report) {
    let mut earlier = Earlier::default();
    for second in schemas.iter().filter(|schema| !schema.dangling) {
        // One pair per schema is enough.
        let first = earlier.first(second);
        earlier.add(second);
        let Some(first) = first else { continue };
        // The finding is about a schema that users can edit.
        let (edited, other) = if second.maintainer == Maintainer::User {
            (second, first)
        } else {
            (first, second)
        };
        let message = format!(
            "`{}` has the same precedence {} and may match the same requests; `{}` wins because its name \
             is smaller",
            other.name(),
            edited.precedence(),
            first.name(),
        );
        let help =
            "give them different precedences, so that their order does not depend on their names";
        report.schema(edited, "spec.matchingPrecedence", message, help);
    }
}
