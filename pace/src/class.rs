//! A caller that waits, and its urgency.

use std::sync::Arc;

/// How urgent a request is, among the waiting requests of this program.
///
/// Of 21 requests that start while all three wait, 16 are of high priority, 4 normal and 1 low. No priority starves.
/// A request may carry its own one in its [`extensions`](http::Request::extensions_mut).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Work that can wait, such as garbage collection.
    Low,
    /// The default.
    #[default]
    Normal,
    /// Work that must not wait, such as leases.
    High,
}

/// The priority and caller of a request.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) priority: Priority,
    pub(crate) caller: Arc<str>,
}

impl Default for Class {
    fn default() -> Self {
        Self {
            priority: Priority::default(),
            caller: "".into(),
        }
    }
}
