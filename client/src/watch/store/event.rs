//! The events of a store.

use crate::convert::Loss;
use crate::watch::key::ObjectKey;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An event of a [`Subscription`](super::Subscription): a change of the objects in a [`Store`](super::Store), with the
/// object before and after it.
///
/// `losses` are the fields that the conversion from the version on the wire lost. They are always empty unless the
/// store's watcher belongs to a [`Negotiated`](crate::client::Negotiated); do not write an object with losses back.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StoreEvent<K> {
    /// All current objects: the first event of a subscription, and the next event of a subscription that was too slow
    /// and missed events.
    Snapshot(Snapshot<K>),
    /// The object is new.
    Added {
        /// The object.
        object: Arc<K>,
        /// The fields that the conversion lost.
        losses: Vec<Loss>,
    },
    /// The object has changed.
    Modified {
        /// The object in the previous event about it.
        old: Arc<K>,
        /// The current object.
        new: Arc<K>,
        /// The fields that the conversion of `new` lost.
        losses: Vec<Loss>,
    },
    /// The object was deleted, or no longer matches the selectors.
    ///
    /// An object that was deleted and created again under the same name is deleted, then added.
    Deleted {
        /// The object in the previous event about it.
        object: Arc<K>,
    },
}

/// All objects of a store.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Snapshot<K> {
    /// The objects, in the order of their keys.
    pub objects: Vec<Arc<K>>,
    /// The fields that the conversions lost, for the objects that lost any.
    pub losses: BTreeMap<ObjectKey, Vec<Loss>>,
    /// The number of events that the subscription missed; 0 for its first snapshot.
    pub missed: u64,
}
