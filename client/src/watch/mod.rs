//! Watches: changes of objects as they happen.
//!
//! [`Api::watch`](crate::client::Api::watch) opens one and gives a [`WatchStream`] of [`WatchEvent`]s. A watch
//! ends when the server closes it, after 30 to 60 minutes or the time asked for; go on from
//! [`WatchStream::resource_version`]. When that is too old the stream ends with an error that
//! [`is_expired`](crate::Error::is_expired): list again.

pub(crate) mod event;
mod line;
mod stream;

pub use event::{Bookmark, WatchEvent};
pub use line::{DEFAULT_MAX_LINE, LineDecoder, LineTooLong};
pub use stream::WatchStream;
