//! `self` and `oldSelf`.

use super::value::{cel_value, wrong_type};
use crate::schema::{Node, Nodes};
use cel::common::types::CelOptional;
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use serde_json::Value;

pub(super) struct Variables {
    now: Box<dyn Val>,
    before: Option<Box<dyn Val>>,
}

impl Variables {
    pub(super) fn read(
        node: &Node,
        definitions: &Nodes,
        value: &Value,
        old: Option<&Value>,
    ) -> Result<Self, String> {
        if let Some(wrong) = wrong_type(node, value) {
            return Err(wrong);
        }
        Ok(Self {
            now: cel_value(node, definitions, value)?,
            before: old
                .map(|old| cel_value(node, definitions, old))
                .transpose()?,
        })
    }

    pub(super) fn named(&self, optional_old: bool) -> Named<'_> {
        let old = match &self.before {
            before if optional_old => {
                let before = before.clone();
                let before = before.map_or_else(CelOptional::none, CelOptional::of);
                Some(CowVal::owned(before))
            }
            before => before
                .as_ref()
                .map(|before| CowVal::Borrowed(before.as_ref())),
        };
        Named {
            now: self.now.as_ref(),
            old,
        }
    }
}

/// The variables by their names in rules. Rules borrow the values, which can be large.
pub(super) struct Named<'a> {
    now: &'a dyn Val,
    old: Option<CowVal<'a, 'a>>,
}

impl VariableResolver for Named<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        match variable {
            "self" => Some(CowVal::Borrowed(self.now)),
            "oldSelf" => Some(CowVal::Borrowed(self.old.as_ref()?.as_ref())),
            _ => None,
        }
    }
}
