//! Watches: changes of objects as they happen.
//!
//! Three layers, each built on the layer before it, with one event type each:
//!
//! | made by | event | after a lost connection | after 410 Gone |
//! |---|---|---|---|
//! | [`Api::watch`](crate::Api::watch): a [`WatchStream`], one watch of the API server | [`WatchEvent`]: a line of the watch | ends with an error | ends with an error |
//! | [`Api::watcher`](crate::Api::watcher): a [`Watcher`], lists and watches without end | [`WatcherEvent`]: a change, or an item of a list | continues | lists again |
//! | [`Store::subscribe`]: a [`Subscription`] to a copy of the objects | [`StoreEvent`]: a change with the object before and after it | continues | emits the differences |
//!
//! The types differ because the layers have different information. A single watch passes on `Added` and `Modified` from the
//! server. A watcher that lists again cannot distinguish new and changed objects: it reports the items of the list,
//! and then `Applied` for both. A store compares each object with its own copy: it reports `Added` and `Modified` again,
//! with the old object.
//!
//! A single watch ends when the server closes it, after 30 to 60 minutes or
//! [the requested time](crate::client::WatchRequest::timeout_seconds). Continue from
//! [`WatchStream::resource_version`]. When that version is too old, the stream ends with an error for which
//! [`is_expired`](crate::Error::is_expired) is true: list again.
//!
//! [`Negotiated`](crate::client::Negotiated) converts the objects from the version on the wire. The `losses` of an event
//! are the fields that this conversion lost, and a store keeps them ([`Store::losses`], [`Snapshot::losses`]). Do not write
//! an object with losses back.

mod key;
mod store;
mod watcher;

pub use crate::stream::{
    Bookmark, DEFAULT_MAX_LINE, LineDecoder, LineTooLong, WatchEvent, WatchStream,
};
pub use key::ObjectKey;
pub use store::{
    Driver, Index, Snapshot, Store, StoreBuilder, StoreEvent, StoreNotReady, Subscription,
};
pub(crate) use watcher::Received;
pub use watcher::{Watcher, WatcherEvent};
