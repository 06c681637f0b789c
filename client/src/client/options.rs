//! How a client handles its requests, beyond where it sends them.

use super::connection::Client;
use super::warnings::Warning;
use std::sync::Arc;

type WarningHandler = Arc<dyn Fn(&Warning) + Send + Sync>;

/// What clones of a client may differ in.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(super) on_warning: Option<WarningHandler>,
}

impl Client {
    /// The same connection, with `handler` called for every warning that the server sends.
    ///
    /// Without a handler warnings are still in [`Response::warnings`](super::Response::warnings).
    #[must_use]
    pub fn on_warning(mut self, handler: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        self.options.on_warning = Some(Arc::new(handler));
        self
    }
}
