//! Seats of a request: the work that a server estimates before it queues and executes the request.
//!
//! A request occupies its *initial seats* while it executes, and its *final seats* for an *additional latency* after
//! that, while the server sends its events to watches. Most requests take one seat. A list takes one seat for every 100
//! objects that the server processes, or since Kubernetes 1.34 for every 100 kB that it loads at once, up to a bound; a
//! watch with initial events counts as a list, and every watch gives its seats back when its initial events are sent. A write takes final seats if at least ten watches receive its event.
//!
//! [`Estimator`] estimates as a server of a release with its feature gates, [`Estimator::explain`] also returns the arithmetic,
//! and [`LevelBounds`] has the bound of each priority level.
//!
//! ```
//! use k8s_flowcontrol_rules::seats::{Estimator, Request, Stored};
//! use k8s_flowcontrol_types::Release;
//!
//! let estimator = Estimator::new(Release::NEWEST);
//! let list = Request {
//!     verb: "list",
//!     resource: "pods",
//!     query: "resourceVersion=1&resourceVersionMatch=Exact",
//!     stored: Stored::Known { objects: 40_000, average_bytes: 10_240 },
//!     ..Request::default()
//! };
//! // etcd loads 40,000 × 10,240 bytes at once: 4,096 seats, cut to the bound of all lists.
//! assert_eq!(estimator.estimate(&list).initial_seats, 100);
//!
//! // The watch cache streams a list, and never loads more than a megabyte.
//! let list = Request { query: "resourceVersion=0", ..list };
//! assert_eq!(estimator.estimate(&list).initial_seats, 10);
//! ```

mod bounds;
mod estimator;
mod explanation;
mod gates;
mod list;
mod mutation;
mod request;

pub use bounds::LevelBounds;
pub(crate) use bounds::bound_of;
pub use estimator::Estimator;
pub use explanation::{Explanation, Measure, Reason, Scan};
pub use gates::{FeatureGate, UnknownFeatureGate};
pub use request::{Estimate, Request, Stored};
