//! Watches: changes of objects as they happen.
//!
//! [`Api::watch`](crate::client::Api::watch) opens one and gives a [`WatchStream`] of [`WatchEvent`]s. A watch
//! ends when the server closes it, after 30 to 60 minutes or the time asked for; go on from
//! [`WatchStream::resource_version`]. When that is too old the stream ends with an error that
//! [`is_expired`](crate::Error::is_expired): list again.
//!
//! [`Watcher`] does all that by itself, for ever, and [`Store`] keeps an exact copy of the objects with it.

mod key;
mod store;
mod watcher;

pub use crate::client::events::{
    Bookmark, DEFAULT_MAX_LINE, LineDecoder, LineTooLong, WatchEvent, WatchStream,
};
pub use key::ObjectKey;
pub use store::{Change, Driver, Resync, Store, StoreBuilder, Subscription, Unready};
pub use watcher::{Selection, Watcher, WatcherEvent};
