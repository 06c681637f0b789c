//! Selections of the objects of a collection.

use crate::Resource;
use crate::verbs::{ListRequest, WatchRequest};

/// The objects that match a label selector and a field selector, each of which is optional.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    labels: Option<String>,
    fields: Option<String>,
}

impl Selection {
    /// The objects of this selection whose labels also match `selector`.
    #[must_use]
    pub(super) fn and_labels(mut self, selector: impl Into<String>) -> Self {
        join(&mut self.labels, selector.into());
        self
    }

    /// The objects of this selection whose fields also match `selector`.
    #[must_use]
    pub(super) fn and_fields(mut self, selector: impl Into<String>) -> Self {
        join(&mut self.fields, selector.into());
        self
    }

    pub(super) fn of_list<K: Resource>(&self, mut request: ListRequest<K>) -> ListRequest<K> {
        if let Some(labels) = &self.labels {
            request = request.label_selector(labels);
        }
        if let Some(fields) = &self.fields {
            request = request.field_selector(fields);
        }
        request
    }

    pub(super) fn of_watch<K: Resource>(&self, mut request: WatchRequest<K>) -> WatchRequest<K> {
        if let Some(labels) = &self.labels {
            request = request.label_selector(labels);
        }
        if let Some(fields) = &self.fields {
            request = request.field_selector(fields);
        }
        request
    }
}

/// In both kinds of selectors a comma means "and".
fn join(selector: &mut Option<String>, more: String) {
    match selector {
        Some(selector) if !selector.trim().is_empty() && !more.trim().is_empty() => {
            selector.push(',');
            selector.push_str(&more);
        }
        Some(selector) if !selector.trim().is_empty() => {}
        _ => *selector = Some(more),
    }
}
