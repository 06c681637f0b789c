//! The options of a client that are not part of its configuration.

use super::layer::Layer;
use super::observe::Attempt;
use super::request_head::RequestHead;
use crate::config::RetryPolicy;
use crate::response::warnings::Warning;
use http::HeaderMap;
use std::sync::Arc;
use std::time::Duration;

/// The options that may differ between clones of a client.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(crate) on_warning: Chain<dyn Fn(&Warning) + Send + Sync>,
    pub(crate) on_request: Chain<dyn Fn(&Attempt<'_>) + Send + Sync>,
    /// The default headers.
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) before_request: Chain<dyn Fn(&mut RequestHead<'_>) + Send + Sync>,
    pub(crate) layers: Chain<Layer>,
    /// Overrides the configuration's.
    pub(crate) timeout: Option<Option<Duration>>,
    /// Overrides the configuration's.
    pub(crate) retry: Option<RetryPolicy>,
}

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
