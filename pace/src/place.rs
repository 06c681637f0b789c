//! A place in the limit of a priority level.

use crate::shape::Shape;
use std::sync::Arc;
use tokio::time::Instant;

/// The group of requests that share a limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// The UID of a priority level; empty for responses without one.
    Level(Arc<str>),
    /// Requests of a shape whose level is not known yet.
    Unknown(Arc<str>),
}

/// A place in the limit of a group.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) key: Key,
    /// Whether it was the last one.
    pub(crate) is_last: bool,
}

/// A place that becomes free at a time: the time, and a number.
pub(crate) type Hold = (Instant, u64);

/// A request that has a place.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) shape: Shape,
    pub(crate) place: Place,
    pub(crate) at: Instant,
}
