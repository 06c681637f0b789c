//! The value that was there before an update: which old value belongs to a new one, and whether they are the same.

use crate::schema::{Additional, ListType, Node};
use serde_json::Value;
use std::collections::BTreeMap;

/// A value beside the one that was there before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Then<'a> {
    node: &'a Node,
    definitions: &'a BTreeMap<String, Node>,
    new: &'a Value,
    old: &'a Value,
    is_root: bool,
}

impl<'a> Then<'a> {
    pub(crate) fn new(
        node: &'a Node,
        definitions: &'a BTreeMap<String, Node>,
        new: &'a Value,
        old: &'a Value,
    ) -> Self {
        Self {
            node: node.resolve(definitions),
            definitions,
            new,
            old,
            is_root: true,
        }
    }

    pub(crate) fn old(self) -> &'a Value {
        self.old
    }

    /// A field of the value. `apiVersion` and `kind` of the object itself have no old value.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        if self.is_root && matches!(name, "apiVersion" | "kind") {
            return None;
        }
        self.key(name)
    }

    fn key(self, name: &str) -> Option<Self> {
        let node = match (self.node.properties.get(name), &self.node.additional) {
            (Some(property), _) => property,
            (None, Some(Additional::Schema(schema))) => schema,
            _ => return None,
        };
        let (new, old) = (self.new.get(name)?, self.old.get(name)?);
        Some(self.step(node, new, old))
    }

    /// An element of the list: only lists whose elements have keys know theirs again.
    pub(crate) fn element(self, element: &'a Value) -> Option<Self> {
        let old = matching(self.node, element, self.old)?;
        Some(self.step(self.node.items.as_ref()?, element, old))
    }

    fn step(self, node: &'a Node, new: &'a Value, old: &'a Value) -> Self {
        Self {
            node: node.resolve(self.definitions),
            definitions: self.definitions,
            new,
            old,
            is_root: false,
        }
    }

    /// Whether the value is the same as before. Lists whose elements have keys, and the objects around them, may have another order.
    pub(crate) fn is_same(self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                new.len() == old.len()
                    && match self.node.list_type {
                        ListType::Map(_) => new
                            .iter()
                            .all(|element| self.element(element).is_some_and(Self::is_same)),
                        _ => new == old,
                    }
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len()
                    && new
                        .keys()
                        .all(|name| self.key(name).is_some_and(Self::is_same))
            }
            (new, old) => new == old,
        }
    }
}

/// The old element with the keys of a new one, which must have all of them.
pub(crate) fn matching<'a>(node: &Node, element: &Value, old: &'a Value) -> Option<&'a Value> {
    let ListType::Map(keys) = &node.list_type else {
        return None;
    };
    let is_key = |value: &Value| !(value.is_null() || value.is_array() || value.is_object());
    let is_known = |element: &Value| {
        let mut keys = keys.iter();
        keys.all(|key| element.get(key).is_some_and(is_key))
    };
    if !is_known(element) {
        return None;
    }
    let old = old.as_array()?;
    let is_wanted = |old: &&Value| keys.iter().all(|key| old.get(key) == element.get(key));
    old.iter().find(is_wanted)
}
