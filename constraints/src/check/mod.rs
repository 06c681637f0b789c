//! Checking a value: the keywords first, then the uniqueness of list elements, then the rules, in a server's order.

mod branches;
mod found;
mod lists;
mod numbers;
mod objects;
mod types;

use crate::go::bad_value;
use crate::old::Then;
use crate::rules;
use crate::schema::{Format, Node, Nodes};
use crate::size;
use crate::violation::{NotChecked, Reason, Validation, Violation};
use found::{Fault, Found};
use k8s_flowcontrol_text::go::quote;
use serde_json::Value;

/// The most calls of the check in itself: fields in fields, and branches in branches.
const MAX_DEPTH: usize = 400;
/// The most schemas by which a value of an object is checked on average: branches that name the same definition twice double them with each level.
const MAX_CHECKS: usize = 10_000;

/// The rules of one object.
#[derive(Debug)]
pub(crate) struct Checker<'a> {
    root: &'a Node,
    definitions: &'a Nodes,
    outcome: Validation,
    depth: usize,
    /// How many schemas may still be checked.
    checks: usize,
    /// The limit that ended the check.
    exceeded: Option<String>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(root: &'a Node, definitions: &'a Nodes) -> Self {
        Self {
            root,
            definitions,
            outcome: Validation::default(),
            depth: 0,
            checks: 0,
            exceeded: None,
        }
    }

    pub(crate) fn create(mut self, object: &Value) -> Validation {
        self.checks = MAX_CHECKS.saturating_mul(size::values(object));
        let found = self.check(self.root, "", object, None);
        if let Some(reason) = self.exceeded {
            return NotChecked::everything(&reason).into();
        }
        self.outcome.violations = found.violations();
        self.lists(object);
        self.rules(object, None);
        self.outcome
    }

    pub(crate) fn update(mut self, object: &Value, old: &Value) -> Validation {
        self.checks = MAX_CHECKS.saturating_mul(size::values(object));
        let then = Then::new(self.root, self.definitions, object, old);
        let found = self.check_changed(self.root, "", object, Some(then));
        if let Some(reason) = self.exceeded {
            return NotChecked::everything(&reason).into();
        }
        self.outcome.violations = found.violations();
        if lists::violations(self.root, self.definitions, old).is_empty() {
            self.lists(object);
        }
        self.rules(object, Some(then));
        self.outcome
    }

    fn lists(&mut self, object: &Value) {
        let found = lists::violations(self.root, self.definitions, object);
        self.outcome.violations.extend(found);
    }

    fn rules(&mut self, object: &Value, then: Option<Then<'_>>) {
        let has_rules = rules::has_rules(self.root, self.definitions);
        let is_blocked = |violation: &Violation| violation.reason.blocks_rules();
        if has_rules && self.outcome.violations.iter().any(is_blocked) {
            let detail = "some validation rules were not checked because the object was invalid; correct the \
                          existing errors to complete validation";
            let blocked = Violation::new("", Reason::Invalid, ["null", detail]);
            self.outcome.violations.push(blocked);
        } else if has_rules {
            rules::evaluate(self.root, self.definitions, object, then, &mut self.outcome);
        }
    }

    /// Checks a value. An error does not count if the value is the same as before.
    fn check_changed(
        &mut self,
        node: &Node,
        path: &str,
        value: &Value,
        then: Option<Then<'_>>,
    ) -> Found {
        let found = self.check(node, path, value, then);
        match !found.is_valid() && then.is_some_and(Then::is_same) {
            true => found.forgiven(),
            false => found,
        }
    }

    fn check(&mut self, node: &Node, path: &str, value: &Value, then: Option<Then<'_>>) -> Found {
        if self.depth == MAX_DEPTH {
            let reason = format!(
                "its fields and the branches of the schema have more than {MAX_DEPTH} levels"
            );
            self.exceeded.get_or_insert(reason);
        }
        if self.checks == 0 {
            let reason = format!(
                "the branches of the schema have more than {MAX_CHECKS} schemas for each value"
            );
            self.exceeded.get_or_insert(reason);
        }
        if self.exceeded.is_some() {
            return Found::default();
        }
        self.checks -= 1;
        self.depth += 1;
        let found = self.keywords(node, path, value, then);
        self.depth -= 1;
        found
    }

    /// Checks a value by all keywords of its schema, in a server's order, which decides about the branches that are reported.
    fn keywords(
        &mut self,
        node: &Node,
        path: &str,
        value: &Value,
        then: Option<Then<'_>>,
    ) -> Found {
        let node = node.resolve(self.definitions);
        let mut found = Found::default();
        if value.is_null() {
            found.merge(types::null(node, path));
            found.merge(allowed(node, path, value));
            return found;
        }
        self.outcome.not_checked.extend(
            node.own_not_checked(path.strip_prefix('.').unwrap_or(path))
                .into_iter()
                // Rules have their own turn.
                .filter(|one| !node.rules.iter().any(|rule| rule.text == one.constraint)),
        );
        if !node.types.is_empty() || node.format.is_some() {
            found.check(types::check(node, path, value));
        }
        found.check(self.branches(node, path, value));
        match value {
            Value::String(text) => {
                found.check(numbers::check_text(node, path, text));
                if node.format.as_ref().is_some_and(Format::is_of_text) {
                    found.check(numbers::format(node, path, text));
                }
            }
            Value::Number(number) => found.check(numbers::check(node, path, number)),
            Value::Array(elements) => found.check(self.elements(node, path, elements, then)),
            _ => {}
        }
        found.check(allowed(node, path, value));
        if let Value::Object(fields) = value {
            found.check(self.fields(node, path, fields, then));
        }
        found.count();
        found
    }
}

/// Checks that the value is in `enum`, as Go converts numbers to compare them.
fn allowed(node: &Node, path: &str, value: &Value) -> Found {
    let is_same = |allowed: &Value| match (allowed, value) {
        (Value::Number(allowed), Value::Number(value)) => {
            match (allowed.as_i64(), value.as_i64()) {
                (Some(allowed), Some(value)) => allowed == value,
                (Some(allowed), None) => {
                    let value = value.as_f64().map(crate::go::truncated);
                    value == Some(allowed)
                }
                (None, _) => allowed.as_f64() == value.as_f64(),
            }
        }
        (Value::Null, _) => false,
        (allowed, value) => allowed == value,
    };
    if node.allowed.is_empty() || node.allowed.iter().any(is_same) {
        return Found::default();
    }
    let texts = node.allowed.iter().map(|allowed| match allowed {
        Value::String(text) => quote(text),
        allowed => quote(&crate::go::json(allowed)),
    });
    let texts: Vec<String> = texts.collect();
    let detail = format!("supported values: {}", texts.join(", "));
    let fault = Fault::new(path, Reason::NotSupported, Some(bad_value(value)), &detail);
    Found::of(fault)
}
