//! Handlers of a client, in the order in which they were added.

use std::sync::Arc;

/// Handlers. Clones share them.
pub(crate) struct Chain<F: ?Sized>(Arc<[Arc<F>]>);

impl<F: ?Sized> Chain<F> {
    /// Adds a handler after the others.
    pub(crate) fn push(&mut self, handler: Arc<F>) {
        let handlers = self.0.iter().cloned();
        self.0 = handlers.chain([handler]).collect();
    }

    pub(crate) fn as_slice(&self) -> &[Arc<F>] {
        &self.0
    }
}

// Derived implementations would require them of `F`.
impl<F: ?Sized> Clone for Chain<F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<F: ?Sized> Default for Chain<F> {
    fn default() -> Self {
        Self(Arc::new([]))
    }
}
