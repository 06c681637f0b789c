//! Defaults, which a server fills in before it validates.

use super::node::{Node, Nodes};
use serde_json::Value;

/// The most levels of objects that defaults make in each other. Definitions may contain themselves.
const MAX_DEPTH: usize = 64;

/// The most defaults for one object.
const MAX_DEFAULTS: usize = 100_000;

/// Fills in the defaults of absent fields, and of fields that are `null` and may not be. False if the schema has more defaults than
/// a value may get: the others are absent then.
#[must_use]
pub(crate) fn fill_in_defaults(root: &Node, definitions: &Nodes, value: &mut Value) -> bool {
    let mut filler = Filler {
        definitions,
        left: MAX_DEFAULTS,
        is_complete: true,
    };
    filler.fill(root, value, 0);
    filler.is_complete
}

struct Filler<'a> {
    definitions: &'a Nodes,
    left: usize,
    is_complete: bool,
}

impl Filler<'_> {
    /// Fills a value that lies in this many defaults.
    fn fill(&mut self, node: &Node, value: &mut Value, depth: usize) {
        let node = node.resolve(self.definitions);
        match value {
            Value::Object(fields) => {
                let mut made = Vec::new();
                for (name, property) in &node.properties {
                    let property = property.resolve(self.definitions);
                    let is_absent = match fields.get(name) {
                        None => true,
                        Some(value) => value.is_null() && !property.nullable,
                    };
                    let Some(default) = property.default.as_ref().filter(|_| is_absent) else {
                        continue;
                    };
                    if self.left == 0 || depth == MAX_DEPTH {
                        self.is_complete = false;
                        return;
                    }
                    self.left -= 1;
                    fields.insert(name.clone(), default.clone());
                    made.push(name);
                }
                for (name, value) in fields {
                    if let Some(property) = node.of_field(name) {
                        let is_made = made.binary_search(&name).is_ok();
                        self.fill(property, value, depth + usize::from(is_made));
                    }
                }
            }
            Value::Array(elements) => {
                if let Some(items) = &node.items {
                    for element in elements {
                        self.fill(items, element, depth);
                    }
                }
            }
            _ => {}
        }
    }
}
