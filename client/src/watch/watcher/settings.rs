//! The settings of a watcher.

use std::time::Duration;

#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The objects per page of a list; `None` for a list in one piece.
    pub(super) page_size: Option<u32>,
    pub(super) streaming_lists: bool,
    pub(super) watch_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) min_backoff: Duration,
    pub(super) max_backoff: Duration,
    pub(super) max_retry_after: Duration,
    /// The resource version to watch from without a list.
    pub(super) start_from: Option<String>,
    /// Whether to list again after each watch that the server ended without an event.
    pub(super) lists_after_end: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            page_size: Some(500),
            streaming_lists: true,
            watch_timeout: Duration::from_secs(290),
            idle_timeout: Duration::from_secs(150),
            min_backoff: Duration::from_millis(500),
            max_backoff: Duration::from_secs(30),
            max_retry_after: Duration::from_secs(60),
            start_from: None,
            lists_after_end: false,
        }
    }
}
