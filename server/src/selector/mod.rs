//! Selectors of lists, watches and deletions.

mod field;
mod label;

use field::ParsedFields;

pub(crate) use field::FieldSelector;
pub(crate) use label::LabelSelector;

use crate::query::Query;
use crate::status::Failure;
use crate::store::meta_str;
use k8s_flowcontrol_types::Release;
use serde_json::Value;

/// A label selector and a field selector.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    labels: LabelSelector,
    fields: FieldSelector,
    /// Empty for all namespaces.
    namespace: String,
}

/// Selectors whose syntax is valid, before the names of their fields are looked at, which comes later in a request.
pub(crate) struct ParsedSelector {
    labels: LabelSelector,
    fields: ParsedFields,
}

impl ParsedSelector {
    /// Errors: a 400 for an invalid selector.
    pub(crate) fn of(query: &Query, release: Release) -> Result<Self, Failure> {
        Ok(Self {
            labels: LabelSelector::parse(query.text("labelSelector"), release)?,
            fields: ParsedFields::new(query.text("fieldSelector"))?,
        })
    }

    /// Errors: a 400 for a field that cannot be selected.
    pub(crate) fn checked(self) -> Result<Selector, Failure> {
        Ok(Selector {
            labels: self.labels,
            fields: self.fields.checked()?,
            namespace: String::new(),
        })
    }
}

impl Selector {
    /// Restricts the selector to one object.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.fields.require_name(name);
        self
    }

    /// Restricts the selector to a namespace; an empty one selects all.
    pub(crate) fn in_namespace(mut self, namespace: &str) -> Self {
        namespace.clone_into(&mut self.namespace);
        self
    }

    /// Whether the selector selects every object.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty() && self.namespace.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        (self.namespace.is_empty() || self.namespace == meta_str(object, "namespace"))
            && self.fields.matches(object)
            && self.labels.matches(object)
    }

    /// Whether there is a field selector that does not require this name.
    pub(crate) fn requires_another(&self, name: &str) -> bool {
        !self.fields.is_empty() && self.fields.name() != Some(name)
    }
}
