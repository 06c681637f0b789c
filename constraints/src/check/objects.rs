//! Keywords of objects and lists.

use super::found::{Fault, Found};
use super::{Checker, Then};
use crate::schema::{Additional, Node};
use crate::violation::Reason;
use k8s_flowcontrol_text::go::quote;
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
        let bounds = [node.min_properties, node.max_properties];
        for fault in wrong_count(path, fields.len(), bounds, "properties") {
            found.add(fault);
        }
        for (name, value) in fields {
            if node.properties.contains_key(name) {
                continue;
            }
            match &node.additional {
                Some(Additional::Forbidden) => {
                    let detail = format!("{path}.{name} in body is a forbidden property");
                    found.add(Fault::new(
                        path,
                        Reason::Invalid,
                        Some(quote(name)),
                        &detail,
                    ));
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
        let bounds = [node.min_items, node.max_items];
        for fault in wrong_count(path, elements.len(), bounds, "items") {
            found.add(fault);
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

/// The faults of too few or too many values.
fn wrong_count(
    path: &str,
    count: usize,
    [least, most]: [Option<u64>; 2],
    values: &str,
) -> impl Iterator<Item = Fault> {
    let (number, count) = (count as u64, count.to_string());
    let too_few = least.filter(|least| number < *least).map(|least| {
        let detail = format!("should have at least {least} {values}");
        Fault::in_body(path, Reason::Invalid, &count, &detail)
    });
    let too_many = most.filter(|most| number > *most).map(|most| {
        let items = if most == 1 { "item" } else { "items" };
        let detail = format!("must have at most {most} {items}");
        Fault::new(path, Reason::TooMany, Some(count.clone()), &detail)
    });
    too_few.into_iter().chain(too_many)
}
