//! The maps of a copy.

use crate::InvalidObject;
use crate::convert::Loss;
use crate::watch::key::ObjectKey;
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
