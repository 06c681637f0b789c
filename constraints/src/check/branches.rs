//! `anyOf`, `oneOf`, `allOf` and `not`. An error in a branch counts also if the value did not change.

use super::Checker;
use super::found::{Fault, Found};
use crate::schema::Node;
use k8s_flowcontrol_text::go::quote;
use serde_json::Value;

impl Checker<'_> {
    pub(super) fn branches(&mut self, node: &Node, path: &str, value: &Value) -> Found {
        let mut found = Found::default();
        self.any_of(node, path, value, &mut found);
        self.one_of(node, path, value, &mut found);
        self.all_of(node, path, value, &mut found);
        if let Some(not) = &node.not
            && self.check(not, path, value, None).is_valid()
        {
            let detail = format!("{} must not validate the schema (not)", quote(path));
            found.add(Fault::of_object(&detail));
        }
        found.count();
        found
    }

    fn any_of(&mut self, node: &Node, path: &str, value: &Value, found: &mut Found) {
        let mut best: Option<Found> = None;
        for branch in &node.any_of {
            let one = self.check(branch, path, value, None);
            if one.is_valid() {
                found.merge(one);
                return;
            }
            if best.as_ref().is_none_or(|best| one.matches > best.matches) {
                best = Some(one);
            }
        }
        if let Some(best) = best {
            let detail = format!("{} must validate at least one schema (anyOf)", quote(path));
            found.add(Fault::of_object(&detail));
            found.merge(best);
        }
    }

    fn one_of(&mut self, node: &Node, path: &str, value: &Value, found: &mut Found) {
        let (mut best, mut first): (Option<Found>, Option<Found>) = (None, None);
        let mut valid = 0;
        for branch in &node.one_of {
            let one = self.check(branch, path, value, None);
            if one.is_valid() {
                valid += 1;
                best = None;
                first = first.or(Some(one));
            } else if valid == 0 && best.as_ref().is_none_or(|best| one.matches > best.matches) {
                best = Some(one);
            }
        }
        match (node.one_of.len(), valid) {
            (0, _) => {}
            (_, 1) => found.merge(first.unwrap_or_default()),
            (_, valid) => {
                let count = match valid {
                    0 => "Found none valid".to_owned(),
                    valid => format!("Found {valid} valid alternatives"),
                };
                let path = quote(path);
                let detail =
                    format!("{path} must validate one and only one schema (oneOf). {count}");
                found.add(Fault::of_object(&detail));
                found.merge(best.unwrap_or_default());
            }
        }
    }

    fn all_of(&mut self, node: &Node, path: &str, value: &Value, found: &mut Found) {
        let mut valid = 0;
        for branch in &node.all_of {
            let one = self.check(branch, path, value, None);
            valid += usize::from(one.is_valid());
            found.merge(one);
        }
        if valid != node.all_of.len() {
            let none = if valid == 0 { ". None validated" } else { "" };
            let detail = format!(
                "{} must validate all the schemas (allOf){none}",
                quote(path)
            );
            found.add(Fault::of_object(&detail));
        }
    }
}
