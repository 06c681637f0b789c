//! How a client handles its requests, beyond where it sends them.

use super::observe::Attempt;
use super::warnings::Warning;
use crate::config::RetryPolicy;
use std::sync::Arc;
use std::time::Duration;

type WarningHandler = Arc<dyn Fn(&Warning) + Send + Sync>;
type RequestHandler = Arc<dyn Fn(&Attempt<'_>) + Send + Sync>;

/// What clones of a client may differ in.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(super) on_warning: Option<WarningHandler>,
    pub(super) on_request: Option<RequestHandler>,
    /// In the place of the configuration's.
    pub(super) timeout: Option<Option<Duration>>,
    /// In the place of the configuration's.
    pub(super) retry: Option<RetryPolicy>,
}
