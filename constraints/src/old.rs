//! The value that was there before an update: which old value belongs to a new one, and whether they are the same.

use crate::schema::{ListType, Node, Nodes};
use serde_json::Value;
use std::collections::HashMap;

/// A value beside the earlier value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Then<'a> {
    node: &'a Node,
    definitions: &'a Nodes,
    new: &'a Value,
    old: &'a Value,
    is_root: bool,
}

impl<'a> Then<'a> {
    pub(crate) fn new(
        node: &'a Node,
        definitions: &'a Nodes,
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

    /// A field of the value. `apiVersion` and `kind` of the object itself do not have an old value.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        if self.is_root && matches!(name, "apiVersion" | "kind") {
            return None;
        }
        self.key(name)
    }

    fn key(self, name: &str) -> Option<Self> {
        let node = self.node.of_field(name)?;
        let (new, old) = (self.new.get(name)?, self.old.get(name)?);
        Some(self.step(node, new, old))
    }

    /// The elements of the list: only lists whose elements have keys know theirs again.
    pub(crate) fn elements(self) -> Option<Elements<'a>> {
        Some(Elements {
            list: self,
            items: self.node.items.as_deref()?,
            old: Keyed::new(self.node, self.old)?,
        })
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
                        ListType::Map(_) => self.elements().is_some_and(|elements| {
                            let is_same = |new| elements.of(new).is_some_and(Self::is_same);
                            new.iter().all(is_same)
                        }),
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

/// The elements of a list beside the old ones with their keys.
pub(crate) struct Elements<'a> {
    list: Then<'a>,
    items: &'a Node,
    old: Keyed<'a>,
}

impl<'a> Elements<'a> {
    pub(crate) fn of(&self, element: &'a Value) -> Option<Then<'a>> {
        let old = self.old.matching(element)?;
        Some(self.list.step(self.items, element, old))
    }
}

/// The elements of an old list by their keys. Of several with the same keys it has the first.
pub(crate) struct Keyed<'a> {
    keys: &'a [String],
    elements: HashMap<Vec<Option<&'a Value>>, &'a Value>,
}

impl<'a> Keyed<'a> {
    /// `None` for lists without keys.
    pub(crate) fn new(node: &'a Node, old: &'a Value) -> Option<Self> {
        let ListType::Map(keys) = &node.list_type else {
            return None;
        };
        let mut elements = HashMap::new();
        for element in old.as_array()? {
            let values = keys.iter().map(|key| element.get(key)).collect();
            elements.entry(values).or_insert(element);
        }
        Some(Self { keys, elements })
    }

    /// The old element with the keys of a new one, which must have all of them.
    pub(crate) fn matching(&self, element: &Value) -> Option<&'a Value> {
        let is_key = |value: &&Value| !(value.is_null() || value.is_array() || value.is_object());
        let key = |key: &String| element.get(key).filter(is_key).map(Some);
        let values: Option<Vec<_>> = self.keys.iter().map(key).collect();
        self.elements.get(&values?).copied()
    }
}
