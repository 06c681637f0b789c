//! What subscribers are told.

use std::sync::Arc;

/// A change of the copy that a [`Store`](super::Store) keeps.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change<K> {
    /// All objects, as they are now: the first thing a subscription tells, and what it tells after it was too slow.
    Resync(Resync<K>),
    /// The object is new.
    Added(Arc<K>),
    /// The object has changed.
    #[non_exhaustive]
    Modified {
        /// What the last change told of it.
        old: Arc<K>,
        /// What it is now.
        new: Arc<K>,
    },
    /// The object is gone, or does no longer fit the selectors. This is what the last change told of it.
    ///
    /// An object that was deleted and made again under the same name is deleted, then added.
    Deleted(Arc<K>),
}

/// All objects of a store at once.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resync<K> {
    /// The objects, in the order of their keys.
    pub objects: Vec<Arc<K>>,
    /// How many changes the subscriber will never be told of, since it was too slow. 0 for the first.
    pub missed: u64,
}
