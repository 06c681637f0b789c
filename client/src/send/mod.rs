//! How requests are sent: connections, credentials, retries, hooks, layers and reports of them.

pub(crate) mod attempt;
pub(crate) mod client;
pub(crate) mod dispatch;
pub(crate) mod forward;
pub(crate) mod hooks;
pub(crate) mod layer;
pub(crate) mod observe;
pub(crate) mod options;
mod progress;
pub(crate) mod request_head;
pub(crate) mod retry;
pub(crate) mod session;
pub(crate) mod trace;
