//! Where a rule is evaluated: the path of the value, and the value that was there before.

use crate::old::Then;
use crate::schema::Node;
use std::cell::OnceCell;

/// Where a value is.
pub(super) struct Place<'p, 'a> {
    pub(super) path: String,
    /// The value before, if it can be known again.
    pub(super) then: Option<Known<'a>>,
    /// The innermost enclosing value that can be known again.
    pub(super) parent: Option<&'p Known<'a>>,
}

impl<'a> Place<'_, 'a> {
    pub(super) fn step(&self, path: String, then: Option<Then<'a>>) -> Place<'_, 'a> {
        Place {
            path,
            then: then.map(Known::new),
            parent: self.then.as_ref().or(self.parent),
        }
    }

    pub(super) fn then(&self) -> Option<Then<'a>> {
        self.then.as_ref().map(|known| known.then)
    }

    /// Whether the value is the same as before, so that its errors do not count.
    pub(super) fn is_same(&self) -> bool {
        let known = self.then.as_ref().or(self.parent);
        known.is_some_and(Known::is_same)
    }
}

/// A value that can be known again. It is compared once for all values in it.
pub(super) struct Known<'a> {
    then: Then<'a>,
    is_same: OnceCell<bool>,
}

impl<'a> Known<'a> {
    pub(super) fn new(then: Then<'a>) -> Self {
        Self {
            then,
            is_same: OnceCell::new(),
        }
    }

    pub(super) fn is_same(&self) -> bool {
        *self.is_same.get_or_init(|| self.then.is_same())
    }
}

/// A schema of an `allOf`, with rules for the same value.
#[derive(Clone, Copy)]
pub(super) struct Beside<'p, 'a> {
    pub(super) node: &'a Node,
    /// Around the `allOf`, the innermost value that can be known again.
    pub(super) parent: Option<&'p Known<'a>>,
}

impl<'a> Beside<'_, 'a> {
    /// The schemas for a value in that of these.
    pub(super) fn step(all: &[Self], into: impl Fn(&'a Node) -> Option<&'a Node>) -> Vec<Self> {
        let inner = |beside: &Self| {
            let node = into(beside.node)?;
            Some(Self { node, ..*beside })
        };
        all.iter().filter_map(inner).collect()
    }
}
