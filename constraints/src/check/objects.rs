//! Keywords of objects and lists.

use super::found::{Fault, Found};
use super::{Checker, Then};
use crate::go::bad_value;
use crate::schema::{Additional, Node};
use crate::violation::Reason;
use serde_json::{Map, Value};
use std::collections::HashSet;

impl Checker<'_> {
    pub(super) fn fields(
        &mut self,
        node: &Node,
        path: &str,
        fields: &Map<String, Value>,
        then: Option<Then<'_>>,
    ) -> Found {
        let mut found = Found::default();
        let count = fields.len() as u64;
        if let Some(least) = node.min_properties.filter(|least| count < *least) {
            let detail = format!("should have at least {least} properties");
            let count = count.to_string();
            found.add(Fault::in_body(path, Reason::Invalid, &count, &detail));
        }
        if let Some(most) = node.max_properties.filter(|most| count > *most) {
            found.add(too_many(path, count, most));
        }
        for (name, value) in fields {
            if node.properties.contains_key(name) {
                continue;
            }
            match &node.additional {
                Some(Additional::Forbidden) => {
                    let detail = format!("{path}.{name} in body is a forbidden property");
                    let name = bad_value(&Value::String(name.clone()));
                    found.add(Fault::new(path, Reason::Invalid, Some(name), &detail));
                }
                Some(Additional::Schema(schema)) => {
                    let then = then.and_then(|then| then.field(name));
                    let path = format!("{path}.{name}");
                    found.merge(self.check_changed(schema, &path, value, then));
                }
                None => {}
            }
        }
        for (name, property) in &node.properties {
            if let Some(value) = fields.get(name) {
                let then = then.and_then(|then| then.field(name));
                let path = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                found.merge(self.check_changed(property, &path, value, then));
            }
        }
        for name in &node.required {
            if !fields.contains_key(name) {
                let path = format!("{path}.{name}");
                found.add(Fault::new(&path, Reason::Required, None, ""));
            }
        }
        found
    }

    pub(super) fn elements<'e>(
        &mut self,
        node: &Node,
        path: &str,
        elements: &'e [Value],
        then: Option<Then<'e>>,
    ) -> Found {
        let mut found = Found::default();
        if let Some(items) = &node.items {
            let known = then.and_then(Then::elements);
            for (index, element) in elements.iter().enumerate() {
                let then = known.as_ref().and_then(|known| known.of(element));
                let path = format!("{path}[{index}]");
                found.merge(self.check_changed(items, &path, element, then));
            }
        }
        let count = elements.len() as u64;
        if let Some(least) = node.min_items.filter(|least| count < *least) {
            let detail = format!("should have at least {least} items");
            let count = count.to_string();
            found.add(Fault::in_body(path, Reason::Invalid, &count, &detail));
        }
        if let Some(most) = node.max_items.filter(|most| count > *most) {
            found.add(too_many(path, count, most));
        }
        let mut seen = HashSet::new();
        if node.unique_items && !elements.iter().all(|element| seen.insert(element)) {
            let detail = "shouldn't contain duplicates";
            found.add(Fault::in_body(path, Reason::Invalid, "\"\"", detail));
        }
        found.count();
        found
    }
}

fn too_many(path: &str, count: u64, most: u64) -> Fault {
    let items = if most == 1 { "item" } else { "items" };
    let detail = format!("must have at most {most} {items}");
    Fault::new(path, Reason::TooMany, Some(count.to_string()), &detail)
}
