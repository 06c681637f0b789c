//! Evaluating the rules of a value.

use super::compile::environment;
use super::fault::Fault;
use super::place::{Beside, Known, Place};
use super::variables::Variables;
use crate::go::bad_value;
use crate::old::{Keyed, Then};
use crate::schema::{Additional, Compiled, Node, Nodes, Reference, Rule};
use crate::violation::{NotChecked, Reason, Validation, Violation, shown};
use cel::{Context, Value as Cel};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The longest text of a message expression.
const MAX_MESSAGE: usize = 5 * 1024;

/// Whether a schema or one in it has rules. A server does not look for them in branches, but evaluates those of an `allOf` beside others.
pub(crate) fn has_rules(root: &Node, definitions: &Nodes) -> bool {
    let mut known = BTreeSet::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if let Some(Reference { name, .. }) = &node.reference {
            if known.insert(name) {
                open.extend(definitions.get(name));
            }
            continue;
        }
        if !node.rules.is_empty() {
            return true;
        }
        open.extend(node.properties.values());
        open.extend(node.items.as_deref());
        if let Some(Additional::Schema(schema)) = &node.additional {
            open.push(schema);
        }
    }
    false
}

/// Evaluates all rules on an object, and adds what it finds.
pub(crate) fn evaluate(
    root: &Node,
    definitions: &Nodes,
    object: &Value,
    then: Option<Then<'_>>,
    outcome: &mut Validation,
) {
    let mut walk = Walk {
        definitions,
        outcome,
    };
    let old = then.map(Then::old);
    let place = Place {
        path: String::new(),
        then: then.map(Known::new),
        parent: None,
    };
    walk.value(root, &[], object, old, &place);
}

struct Walk<'a> {
    definitions: &'a Nodes,
    outcome: &'a mut Validation,
}

impl Walk<'_> {
    /// The rules of a value, then of the values in it.
    fn value(
        &mut self,
        node: &Node,
        beside: &[Beside<'_, '_>],
        value: &Value,
        old: Option<&Value>,
        place: &Place<'_, '_>,
    ) {
        let node = node.resolve(self.definitions);
        if value.is_null() {
            return;
        }
        let old = old.filter(|old| !old.is_null());
        self.rules(node, &node.rules, value, old, place);
        let mut all = beside.to_vec();
        let parent = place.parent;
        all.extend(node.all_of.iter().map(|node| Beside { node, parent }));
        for beside in &all {
            let place = Place {
                path: place.path.clone(),
                then: None,
                parent: beside.parent,
            };
            self.rules(node, &beside.node.rules, value, old, &place);
        }
        match value {
            Value::Array(elements) => {
                let Some(items) = &node.items else {
                    return;
                };
                let inner = Beside::step(&all, |node| node.items.as_deref());
                let old = old.and_then(|old| Keyed::new(node, old));
                let known = place.then().and_then(Then::elements);
                for (index, element) in elements.iter().enumerate() {
                    let before = old.as_ref().and_then(|old| old.matching(element));
                    let then = known.as_ref().and_then(|known| known.of(element));
                    let place = place.step(format!("{}[{index}]", place.path), then);
                    self.value(items, &inner, element, before, &place);
                }
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    let before = old.and_then(|old| old.get(name));
                    let then = place.then().and_then(|then| then.field(name));
                    let Some(schema) = node.of_field(name) else {
                        continue;
                    };
                    let path = node.path_of(&place.path, name);
                    let inner = Beside::step(&all, |node| node.properties.get(name));
                    self.value(schema, &inner, value, before, &place.step(path, then));
                }
            }
            _ => {}
        }
    }

    fn rules(
        &mut self,
        node: &Node,
        rules: &[Rule],
        value: &Value,
        old: Option<&Value>,
        place: &Place<'_, '_>,
    ) {
        let mut variables = None;
        for rule in rules {
            let program = match &rule.compiled {
                Compiled::Empty => continue,
                Compiled::NotChecked(reason) => {
                    self.not_checked(rule, place, reason);
                    continue;
                }
                Compiled::Program(program) => program,
            };
            if rule.is_transition() && old.is_none() && !rule.optional_old {
                continue;
            }
            let read = variables
                .get_or_insert_with(|| Variables::read(node, self.definitions, value, old));
            let variables = match read {
                Ok(variables) => variables,
                Err(error) => {
                    let error = error.clone();
                    self.fails(node, rule, place, &error);
                    continue;
                }
            };
            let named = variables.named(rule.optional_old);
            let mut context = Context::with_env(Arc::clone(environment()));
            context.set_variable_resolver(&named);
            match program.execute(&context).map_err(Fault::from) {
                Ok(Cel::Bool(true)) => {}
                Ok(Cel::Bool(false)) => self.violated(node, rule, value, place, &context),
                Ok(_) => self.not_checked(rule, place, "its value is not a boolean"),
                Err(Fault::OfRule(words)) => self.fails(node, rule, place, &words),
                Err(Fault::NotChecked(reason)) => self.not_checked(rule, place, &reason),
            }
        }
    }

    fn violated(
        &mut self,
        node: &Node,
        rule: &Rule,
        value: &Value,
        place: &Place<'_, '_>,
        context: &Context<'_, '_>,
    ) {
        if !rule.is_transition() && place.is_same() {
            return;
        }
        let message = evaluated_message(rule, context).unwrap_or_else(|| rule.message());
        let field = self.field_of(node, rule, &place.path);
        let is_whole = matches!(node.only_type(), Some("object" | "array"));
        let has_value = !matches!(rule.reason, Reason::Forbidden | Reason::Required);
        let value = (has_value && !is_whole).then(|| bad_value(value));
        let detail = (rule.reason != Reason::Duplicate).then_some(message);
        let parts = value.as_deref().into_iter().chain(detail.as_deref());
        let violation = Violation::new(&field, rule.reason, parts);
        self.outcome.violations.push(violation);
    }

    /// The path of the field that a rule names, or else of its value.
    fn field_of(&self, node: &Node, rule: &Rule, path: &str) -> String {
        let mut field = path.to_owned();
        let mut node = Some(node);
        for step in &rule.field_path {
            let schema = node.map(|node| node.resolve(self.definitions));
            node = match schema.map(|schema| (&schema.additional, &schema.properties)) {
                Some((Some(Additional::Schema(value)), properties)) if properties.is_empty() => {
                    field.push_str(&format!("[{step}]"));
                    Some(value)
                }
                known => {
                    let dot = if field.is_empty() { "" } else { "." };
                    field.push_str(&format!("{dot}{step}"));
                    known.and_then(|(_, properties)| properties.get(step))
                }
            };
        }
        field
    }

    fn fails(&mut self, node: &Node, rule: &Rule, place: &Place<'_, '_>, words: &str) {
        let kind = format!("\"{}\"", node.only_type().unwrap_or_default());
        let detail = format!("{words} evaluating rule: {}", rule.name());
        let violation = Violation::new(&place.path, Reason::Invalid, [&*kind, &*detail]);
        self.outcome.violations.push(violation);
    }

    fn not_checked(&mut self, rule: &Rule, place: &Place<'_, '_>, reason: &str) {
        self.outcome.not_checked.push(NotChecked {
            field: shown(&place.path),
            constraint: rule.text.clone(),
            reason: reason.to_owned(),
        });
    }
}

/// The text of the message expression, if it can be used.
fn evaluated_message(rule: &Rule, context: &Context<'_, '_>) -> Option<String> {
    let Compiled::Program(program) = &rule.compiled_message else {
        return None;
    };
    match program.execute(context) {
        Ok(Cel::String(text)) => {
            let text = text.trim();
            let is_usable = !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n');
            is_usable.then(|| text.to_owned())
        }
        _ => None,
    }
}
