//! The objects of a collection that a watcher reports, and the functions that change them before.

use crate::verbs::call::Call;
use std::sync::Arc;

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

    /// Restricts a list or a watch to this selection.
    pub(super) fn restrict(&self, call: &mut Call) {
        if let Some(labels) = &self.labels {
            call.set("labelSelector", labels);
        }
        if let Some(fields) = &self.fields {
            call.set("fieldSelector", fields);
        }
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

/// Functions that run one after the other, shared by the selections of a watcher.
pub(super) struct Modify<K>(Vec<Arc<Function<K>>>);

type Function<K> = dyn Fn(&mut K) + Send + Sync;

impl<K> Modify<K> {
    pub(super) fn push(&mut self, function: impl Fn(&mut K) + Send + Sync + 'static) {
        self.0.push(Arc::new(function));
    }

    pub(super) fn apply(&self, object: &mut K) {
        for function in &self.0 {
            function(object);
        }
    }
}

impl<K> Default for Modify<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K> Clone for Modify<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
