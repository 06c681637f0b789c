//! Evaluating templates.

use super::{Node, Operand, Operator, Path, Slice, Step};
use serde_json::Value;
use std::cmp::Ordering;

/// Prints the parts of a template for the current value.
pub(super) fn print(nodes: &[Node], root: &Value, current: &Value, text: &mut String) {
    for node in nodes {
        match node {
            Node::Text(literal) => text.push_str(literal),
            Node::Path(path) => {
                let found: Vec<_> = path.find(root, current).into_iter().map(shown).collect();
                text.push_str(&found.join(" "));
            }
            Node::Range(path, nodes) => {
                for value in path.find(root, current) {
                    print(nodes, root, value, text);
                }
            }
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Path {
    fn find<'a>(&self, root: &'a Value, current: &'a Value) -> Vec<&'a Value> {
        let start = if self.is_absolute { root } else { current };
        self.steps.iter().fold(vec![start], |values, step| {
            let next = values.into_iter().flat_map(|value| step.of(root, value));
            next.collect()
        })
    }
}

impl Step {
    fn of<'a>(&self, root: &'a Value, value: &'a Value) -> Vec<&'a Value> {
        match self {
            Self::Fields(names) => names.iter().filter_map(|name| value.get(name)).collect(),
            Self::All => children(value),
            Self::Descendants => {
                let mut found = vec![value];
                let mut next = 0;
                while let Some(value) = found.get(next) {
                    next += 1;
                    found.extend(children(value));
                }
                found
            }
            Self::Elements(slices) => match value {
                Value::Array(elements) => {
                    slices.iter().flat_map(|slice| slice.of(elements)).collect()
                }
                _ => Vec::new(),
            },
            Self::Filter(left, comparison) => {
                let has = |element: &&Value| matches(root, element, left, comparison.as_ref());
                children(value).into_iter().filter(has).collect()
            }
        }
    }
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(elements) => elements.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

impl Slice {
    fn of(self, elements: &[Value]) -> Vec<&Value> {
        let length = elements.len() as i64;
        let place = |at: i64| if at < 0 { at + length } else { at };
        match self {
            Self::At(at) => {
                let at = usize::try_from(place(at)).ok();
                at.and_then(|at| elements.get(at)).into_iter().collect()
            }
            Self::Range { start, end, step } => {
                let clamped = |at: i64| place(at).clamp(0, length) as usize;
                let (start, end) = (clamped(start.unwrap_or(0)), clamped(end.unwrap_or(length)));
                let part = elements.get(start..end).unwrap_or_default();
                part.iter().step_by(step as usize).collect()
            }
        }
    }
}

/// Whether an element has a property. A path without a value has none.
fn matches(
    root: &Value,
    element: &Value,
    left: &Operand,
    comparison: Option<&(Operator, Operand)>,
) -> bool {
    let values = |operand: &Operand| -> Vec<Value> {
        match operand {
            Operand::Literal(value) => vec![value.clone()],
            Operand::Path(path) => path.find(root, element).into_iter().cloned().collect(),
        }
    };
    let left = values(left);
    let Some((operator, right)) = comparison else {
        return !left.is_empty();
    };
    let right = values(right);
    left.first()
        .zip(right.first())
        .is_some_and(|(left, right)| {
            let order = order(left, right);
            match operator {
                Operator::Equal => left == right || order == Some(Ordering::Equal),
                Operator::NotEqual => left != right && order != Some(Ordering::Equal),
                Operator::Less => order == Some(Ordering::Less),
                Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
                Operator::Greater => order == Some(Ordering::Greater),
                Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
            }
        })
}

/// The order of two numbers or two texts.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (left, right) => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}
