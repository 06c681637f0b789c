//! Adaptive concurrency for clients of Kubernetes [API Priority and Fairness][apf].
//!
//! The server divides its seats among priority levels. It names the flow schema and the level of each request in the headers
//! `X-Kubernetes-PF-FlowSchema-UID` and `X-Kubernetes-PF-PriorityLevel-UID` of the response. [`Pace`] reads them, and learns
//! for each level how many requests may be in flight. It does not need guessed QPS and burst.
//!
//! [apf]: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
//!
//! ```
//! use k8s_flowcontrol_pace::{Pace, Priority};
//! use tower::ServiceBuilder;
//!
//! # let http_client = tower::service_fn(|_: http::Request<String>| async { Ok::<_, std::io::Error>(http::Response::new(String::new())) });
//! let pace = Pace::new();
//! // Around any `tower::Service<http::Request<_>>`. All clones share the limits.
//! let service = ServiceBuilder::new().layer(pace.clone()).service(http_client);
//! // Leases first, and the lists of two controllers in turns.
//! let leases = pace.clone().with_priority(Priority::High);
//! let lists = pace.clone().with_caller("garbage-collector");
//! # let _ = (service, leases, lists);
//! ```
//!
//! `README.md` of the crate shows it with kube and with `k8s-flowcontrol`.
//!
//! # The algorithm
//!
//! The limit of a level follows the delay, as in Swift (Kumar et al., *Swift: Delay is Simple and Effective for Congestion
//! Control in the Datacenter*, SIGCOMM 2020):
//!
//! - The *latency* of a request is the time until the head of its response. It is compared with the *floor* of requests of the
//!   same shape: method, resource, and whether they name an object or select some. So a long list does not look like a
//!   waiting get.
//! - While the mean ratio of a window is at most the target, the limit grows: it doubles at first, and later grows by about one
//!   for each round trip. Otherwise it shrinks in proportion to the excess, by at most half, once for each round trip.
//! - A limit may be less than 1: then a request starts only after a pause. Many clients share few seats in this way.
//! - The floor is the lowest mean of six requests. About every 10 s the limit is a quarter for a moment, so that the floor is seen again
//!   (as in LEDBAT++, `draft-irtf-iccrg-ledbat-plus-plus`). Such a slowdown raises the floor too, by at most a tenth.
//! - After 429, or 503 with `Retry-After`, the place of the rejected request stays occupied until `Retry-After` has passed (a number of
//!   seconds, of which at most 60 count; 1 s for a 429 without one), with up to half of it more. The limit shrinks to nine tenths, and exceeds the rejected limit only after 4 s and 200 more responses.
//!
//! # Requests
//!
//! - A level is known from the responses to earlier requests of the same shape and namespace. Before, requests of a shape are sent
//!   one at a time, independently of other shapes: leases do not wait for lists.
//! - Watches, `exec`, `attach`, `portforward`, `proxy` and followed logs do not count and do not wait.
//! - Requests of a level wait by [`Priority`], and callers of the same priority take turns ([`Pace::with_caller`]).
//! - A request is in flight until its body has been read or dropped, because the server holds its seats until it has written the
//!   response; but at most 5 s after the head of the response.
//! - The level `exempt` has no limit on the server. [`Pace::exempt`] takes its UID.
//!
//! # Limits of the approach
//!
//! - A response does not tell how many seats a request took, nor how long it waited. Both are inferred from the latency.
//! - A delay that is not caused by the server's queues, such as a slow network, shrinks the limit until the floor has followed: by
//!   at most a tenth every 10 s.
//! - Shapes whose duration varies a lot by itself keep the limit lower than necessary.
//! - A level that rejects without queues shows its limit only by rejections: about one in 200 requests is rejected, to notice
//!   that there is more.
//! - Separate programs do not know of each other. Where many keep a level full from the start, some never see it idle, take its
//!   queues for the floor, and get more than the others. The queues become shorter, and not empty.
//! - Waiting is part of the time limit of a request, in clients that have one around the layer.

mod body;
mod class;
mod floor;
mod handle;
mod known;
mod layer;
mod level;
mod limit;
mod queue;
mod random;
mod response;
mod shape;
mod shared;
mod slot;
mod snapshot;
mod waiting;

pub use body::PacedBody;
pub use class::Priority;
pub use handle::{Builder, Pace};
pub use layer::Paced;
pub use snapshot::LevelSnapshot;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
