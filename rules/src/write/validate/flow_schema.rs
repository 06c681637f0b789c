//! The rules of a FlowSchema's `spec`.

use super::described::distinguisher;
use super::internal::{FlowSchemaSpec, Rule};
use super::names;
use super::policy_rules;
use super::subjects;
use super::violation::{BadValue, Path, Report};

const MAX_PRECEDENCE: i64 = 10_000;
const DISTINGUISHERS: &[&str] = &["ByNamespace", "ByUser"];

/// Checks the `spec` of the schema `name`, except for the rule that mandatory objects keep their built-in `spec`.
pub(super) fn check(name: &str, spec: &FlowSchemaSpec, path: &Path, report: &mut Report) {
    check_precedence(
        name,
        spec.precedence,
        &path.child("matchingPrecedence"),
        report,
    );
    if let Some(type_) = &spec.distinguisher
        && !DISTINGUISHERS.contains(&type_.as_str())
    {
        let path = path.child("distinguisherMethod").child("type");
        report.not_supported(&path, &BadValue::Go(distinguisher(type_)), DISTINGUISHERS);
    }
    check_level(
        &spec.level,
        &path.child("priorityLevelConfiguration").child("name"),
        report,
    );
    for (index, rule) in spec.rules.iter().enumerate() {
        check_rule(rule, &path.child("rules").index(index), report);
    }
}

fn check_precedence(name: &str, precedence: i64, path: &Path, report: &mut Report) {
    let mut invalid = |detail: &str| report.invalid_number(path, precedence, detail);
    if precedence <= 0 {
        invalid("must be a positive value");
    }
    if precedence > MAX_PRECEDENCE {
        invalid(&format!("must not be greater than {MAX_PRECEDENCE}"));
    }
    if precedence == 1 && name != "exempt" {
        invalid("only the schema named 'exempt' may have matchingPrecedence 1");
    }
}

fn check_level(level: &str, path: &Path, report: &mut Report) {
    if level.is_empty() {
        report.required(path, "must reference a priority level");
    } else {
        report.invalid_text(path, level, names::subdomain(level));
    }
}

fn check_rule(rule: &Rule, path: &Path, report: &mut Report) {
    if rule.subjects.is_empty() {
        report.required(
            &path.child("subjects"),
            "subjects must contain at least one value",
        );
    }
    for (index, subject) in rule.subjects.iter().enumerate() {
        subjects::check(subject, &path.child("subjects").index(index), report);
    }
    if rule.resource_rules.is_empty() && rule.non_resource_rules.is_empty() {
        let detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
        report.required(path, detail);
    }
    for (index, rule) in rule.resource_rules.iter().enumerate() {
        policy_rules::check_resource(rule, &path.child("resourceRules").index(index), report);
    }
    for (index, rule) in rule.non_resource_rules.iter().enumerate() {
        policy_rules::check_non_resource(
            rule,
            &path.child("nonResourceRules").index(index),
            report,
        );
    }
}
