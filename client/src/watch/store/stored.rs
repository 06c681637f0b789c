//! The objects of a copy, and the state that the handles of a store and its driver share through a `tokio::sync::watch` channel.
//! The driver has the sender and the handles have receivers, so that each side notices when the other one is dropped.

use super::log::EventLog;
use super::objects::StoredObjects;
use crate::convert::Loss;
use crate::watch::key::ObjectKey;
use crate::{Error, InvalidObject};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) type ObjectMap<K> = BTreeMap<ObjectKey, Stored<K>>;

/// An object, and the fields that its conversion lost.
#[derive(Debug)]
pub(super) struct Stored<K> {
    pub(super) object: Arc<K>,
    pub(super) losses: Vec<Loss>,
}

/// The objects that do not fit their type.
pub(super) type InvalidMap = BTreeMap<ObjectKey, Arc<InvalidObject>>;

pub(super) struct State<K> {
    pub(super) objects: StoredObjects<K>,
    pub(super) log: EventLog<K>,
    /// The last failure, until it is over.
    pub(super) error: Option<Arc<Error>>,
}
