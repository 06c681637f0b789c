//! Watches: changes of objects as they happen.
//!
//! Three layers, each built on the one before, with one event type each:
//!
//! | made by | event | after a lost connection | after 410 Gone |
//! |---|---|---|---|
//! | [`Api::watch`](crate::Api::watch): a [`WatchStream`], one watch of the API server | [`WatchEvent`]: a line of the watch | ends with an error | ends with an error |
//! | [`Api::watcher`](crate::Api::watcher): a [`Watcher`], lists and watches for ever | [`WatcherEvent`]: a change, or an item of a list | continues | lists again |
//! | [`Store::subscribe`]: a [`Subscription`] to a copy of the objects | [`StoreEvent`]: a change with the object before and after it | continues | emits the differences |
//!
//! The types differ because their promises do. Only the server knows whether an object was `Added` or `Modified`, and
//! only a single watch repeats it. A watcher that lists again sees objects without knowing what happened to them, so that
//! it reports `Applied`, and list items between the begin and the end of a list. A store compares the states, so that it
//! can say `Added` and `Modified` again, and has the old object too.
//!
//! A single watch ends when the server closes it, after 30 to 60 minutes or
//! [the requested time](crate::client::WatchRequest::timeout_seconds). Continue from
//! [`WatchStream::resource_version`]. When that version is too old, the stream ends with an error that
//! [`is_expired`](crate::Error::is_expired): list again.
//!
//! Through [`Negotiated`](crate::client::Negotiated) objects are converted from the version on the wire. Every event with
//! an object then has the fields that the conversion lost, in `losses`, and a store keeps them
//! ([`Store::losses`], [`Snapshot::losses`]). Do not write an object with losses back.

mod key;
mod store;
mod watcher;

pub use crate::client::events::{
    Bookmark, DEFAULT_MAX_LINE, LineDecoder, LineTooLong, WatchEvent, WatchStream,
};
pub use key::ObjectKey;
pub use store::{Driver, Snapshot, Store, StoreBuilder, StoreEvent, StoreNotReady, Subscription};
pub use watcher::{Selection, Watcher, WatcherEvent};
