//! The options of a client that are not part of its configuration.

use super::observe::Attempt;
use super::warnings::Warning;
use crate::config::RetryPolicy;
use std::sync::Arc;
use std::time::Duration;

type WarningHandler = Arc<dyn Fn(&Warning) + Send + Sync>;
type RequestHandler = Arc<dyn Fn(&Attempt<'_>) + Send + Sync>;

/// The options that may differ between clones of a client.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(super) on_warning: Option<WarningHandler>,
    pub(super) on_request: Option<RequestHandler>,
    /// Overrides the configuration's.
    pub(super) timeout: Option<Option<Duration>>,
    /// Overrides the configuration's.
    pub(super) retry: Option<RetryPolicy>,
}
