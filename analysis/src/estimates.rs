//! The seats of the requests of logs and loads.

use k8s_flowcontrol_rules::matching::RequestAttributes;
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_rules::seats::{Estimate, Request};

/// The part of a request that its seats depend on, without its query, the stored objects and its level.
pub(crate) fn request(attributes: &RequestAttributes) -> Request<'_> {
    Request {
        verb: &attributes.verb,
        resource: &attributes.resource,
        subresource: &attributes.subresource,
        name: &attributes.name,
        ..Request::default()
    }
}

/// An estimate as the queues of a level take it.
pub(crate) fn work(estimate: &Estimate) -> Work {
    let seats = |seats: u64| u32::try_from(seats).unwrap_or(u32::MAX);
    Work {
        initial_seats: seats(estimate.initial_seats),
        final_seats: seats(estimate.final_seats),
        additional_latency: estimate.additional_latency,
    }
}
