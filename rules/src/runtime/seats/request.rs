//! The facts about a request that determine its seats, and the work of a request.

use std::time::Duration;

/// A request, as far as its seats depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request<'a> {
    /// The verb as in [`RequestAttributes`](crate::matching::RequestAttributes): `list`, `watch`, `create` and so on.
    pub verb: &'a str,
    /// The plural name of the resource, such as `pods`.
    pub resource: &'a str,
    /// The subresource, such as `status`; empty without one.
    pub subresource: &'a str,
    /// The name of the object; for a list the name that the field selector requires. Empty without one.
    pub name: &'a str,
    /// The query of the URL, without the question mark.
    pub query: &'a str,
    /// The stored objects of the resource, in all namespaces.
    pub stored: Stored,
    /// The number of watches that see a change of the object.
    pub watches: u64,
    /// The bound of the priority level; see [`LevelBounds`](super::LevelBounds). `None` if the level is unbounded.
    pub max_seats: Option<u64>,
}

/// A server's knowledge of the stored objects of a resource. It counts them once a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stored {
    /// The count is known.
    Known {
        /// The number of objects in all namespaces (metric `apiserver_storage_objects`).
        objects: u64,
        /// The average size of a stored object in bytes; 0 if the server does not know it.
        average_bytes: u64,
    },
    /// The last count is too old. The server assumes very many objects.
    Stale,
    /// The resource was never counted, because the server does not know it or another server stores it.
    #[default]
    NotFound,
}

/// The least seats of every request.
pub(super) const MINIMUM: u64 = 1;
/// The work of a request, except for the duration of its execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The seats while the request executes, or until a watch has sent its initial events; at least 1.
    pub initial_seats: u64,
    /// The seats after the execution, during the additional latency.
    pub final_seats: u64,
    /// The duration for which the final seats stay occupied; the client does not wait for it.
    pub additional_latency: Duration,
}

impl Estimate {
    /// The seats that must be free before the request executes.
    pub const fn max_seats(&self) -> u64 {
        if self.initial_seats > self.final_seats {
            self.initial_seats
        } else {
            self.final_seats
        }
    }
}
