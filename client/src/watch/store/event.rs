//! The events of a store.

use crate::Error;
use crate::convert::Loss;
use crate::watch::key::ObjectKey;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An event of a [`Subscription`](super::Subscription): a change of the objects in a [`Store`](super::Store), with the
/// object before and after it, and on request the failures of its watch.
///
/// `losses` are the fields that the conversion from the version on the wire lost. They are always empty unless the
/// store's watcher belongs to a [`Negotiated`](crate::client::Negotiated); do not write an object with losses back.
#[derive(Clone, Debug)]
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
    /// The object has changed. After an upgrade of the server or another choice of [`Negotiated`](crate::client::Negotiated) it
    /// may show more or fewer fields at the same resource version.
    Modified {
        /// The object in the previous event about it.
        old: Arc<K>,
        /// The current object.
        new: Arc<K>,
        /// The fields that the conversion of `new` lost.
        losses: Vec<Loss>,
    },
    /// The object was deleted, no longer matches the selectors, or no longer fits its type.
    ///
    /// An object that was deleted and created again under the same name is deleted, then added.
    Deleted {
        /// The object in the previous event about it.
        object: Arc<K>,
    },
    /// The watch has failed: the objects may be out of date until [`Recovered`](Self::Recovered). Only with
    /// [`Subscription::with_errors`](super::Subscription::with_errors).
    Failed {
        /// The failure. Further ones are in [`Store::last_error`](super::Store::last_error).
        error: Arc<Error>,
    },
    /// The watch works again. Only with [`Subscription::with_errors`](super::Subscription::with_errors).
    Recovered,
}

/// Failures are equal if they are the same one.
impl<K: PartialEq> PartialEq for StoreEvent<K> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Snapshot(a), Self::Snapshot(b)) => a == b,
            (
                Self::Added { object, losses },
                Self::Added {
                    object: other,
                    losses: others,
                },
            ) => object == other && losses == others,
            (
                Self::Modified { old, new, losses },
                Self::Modified {
                    old: other_old,
                    new: other_new,
                    losses: others,
                },
            ) => old == other_old && new == other_new && losses == others,
            (Self::Deleted { object }, Self::Deleted { object: other }) => object == other,
            (Self::Failed { error }, Self::Failed { error: other }) => Arc::ptr_eq(error, other),
            (Self::Recovered, Self::Recovered) => true,
            _ => false,
        }
    }
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
