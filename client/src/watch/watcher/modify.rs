//! The functions that change objects before they are reported.

use std::sync::Arc;

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
