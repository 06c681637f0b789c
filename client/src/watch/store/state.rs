//! The state that the handles of a store and its driver share through a `tokio::sync::watch` channel.
//!
//! The driver has the sender and the handles have receivers, so that each side notices when the other one is dropped.

use super::log::EventLog;
use super::objects::StoredObjects;
use crate::Error;
use std::sync::Arc;

pub(super) struct State<K> {
    pub(super) objects: StoredObjects<K>,
    pub(super) log: EventLog<K>,
    /// The last failure, until it is over.
    pub(super) error: Option<Arc<Error>>,
}
