//! The options of a client that are not part of its configuration.

use super::chain::Chain;
use super::layer::Layer;
use super::observe::Attempt;
use super::request_head::RequestHead;
use super::warnings::Warning;
use crate::config::RetryPolicy;
use http::HeaderMap;
use std::sync::Arc;
use std::time::Duration;

/// The options that may differ between clones of a client.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(super) on_warning: Chain<dyn Fn(&Warning) + Send + Sync>,
    pub(super) on_request: Chain<dyn Fn(&Attempt<'_>) + Send + Sync>,
    /// The default headers.
    pub(super) headers: Arc<HeaderMap>,
    pub(super) before_request: Chain<dyn Fn(&mut RequestHead<'_>) + Send + Sync>,
    pub(super) layers: Chain<Layer>,
    /// Overrides the configuration's.
    pub(super) timeout: Option<Option<Duration>>,
    /// Overrides the configuration's.
    pub(super) retry: Option<RetryPolicy>,
}
