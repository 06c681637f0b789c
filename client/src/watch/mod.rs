//! Watches: changes of objects as they happen.
//!
//! [`Api::watch`](crate::client::Api::watch) opens one and gives a [`WatchStream`] of [`WatchEvent`]s. A watch
//! ends when the server closes it, after 30 to 60 minutes or the time asked for; go on from
//! [`WatchStream::resource_version`]. When that is too old the stream ends with an error that
//! [`is_expired`](crate::Error::is_expired): list again.
//!
//! [`Watcher`] does all that by itself, for ever, and [`Store`] keeps an exact copy of the objects with it.

pub(crate) mod event;
mod key;
mod line;
mod read_ahead;
mod store;
mod stream;
mod watcher;

pub use event::{Bookmark, WatchEvent};
pub use key::ObjectKey;
pub use line::{DEFAULT_MAX_LINE, LineDecoder, LineTooLong};
pub use store::{Change, Driver, Resync, Store, StoreBuilder, Subscription, Unready};
pub use stream::WatchStream;
pub use watcher::{Selection, Watcher, WatcherEvent};
