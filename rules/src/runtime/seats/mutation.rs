//! Writes, whose events go to watches.

use super::estimator::Estimator;
use super::explanation::{Explanation, Reason};
use super::request::{Estimate, MINIMUM, Request};
use k8s_flowcontrol_types::Fact;
use std::time::Duration;

/// The most final seats of a write.
const LIMIT: u64 = 10;
/// The watches that one final seat serves. Fewer watches do not take final seats.
const WATCHES_PER_SEAT: u64 = 10;
/// The seat-time units in a second: a server computes with whole multiples of 10 ns.
const UNITS_PER_SECOND: f64 = 1e8;
/// The units that a final seat takes: 5 ms.
const UNITS_PER_SEAT: f64 = 5e5;

pub(super) fn explain(estimator: &Estimator, request: &Request<'_>) -> Explanation {
    let is_token = request.resource == "serviceaccounts" && request.subresource == "token";
    if is_token && estimator.release().has(Fact::FreeTokens) {
        // A token is not stored, so it does not cause events.
        return Explanation::seats(MINIMUM, Reason::NoEvents);
    }
    let watches = request.watches;
    if watches < WATCHES_PER_SEAT {
        return Explanation::seats(MINIMUM, Reason::FewWatches { watches });
    }
    let seats = watches.div_ceil(WATCHES_PER_SEAT);
    let bound = estimator.bound(request, LIMIT);
    let final_seats = seats.min(bound);
    // Fewer seats take longer for the same work. In floating point, as on the server, and so with its rounding.
    let work = (seats as f64 * UNITS_PER_SEAT).round();
    let nanoseconds = work / final_seats as f64 * (1e9 / UNITS_PER_SECOND);
    let estimate = Estimate {
        initial_seats: MINIMUM,
        final_seats,
        additional_latency: Duration::from_nanos(nanoseconds as u64),
    };
    let reason = Reason::Watches {
        watches,
        seats,
        bound,
    };
    Explanation::new(estimate, reason)
}
