//! The buckets of flow control's histograms.

use k8s_flowcontrol_types::{Fact, Release};

const DURATIONS: &[f64] = &[
    0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0,
];
const DURATIONS_BEFORE: &[f64] = &[
    0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0,
];
const LENGTHS: &[f64] = &[0.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0];
const SEATS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0];
const SEATS_BEFORE: &[f64] = &[1.0, 2.0, 4.0, 10.0];
const WATCHES: &[f64] = &[0.0, 1.0, 10.0, 100.0, 1000.0, 10000.0];
const SEAT_PARTS: &[f64] = &[
    0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0,
];
const REQUEST_PARTS: &[f64] = &[0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1.0];
const READ_WRITE_PARTS: &[f64] = &[
    0.0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0,
];
const DEMANDS: &[f64] = &[0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0, 2.8, 4.0, 6.0];

/// The upper bounds of a histogram's buckets in a release, without `+Inf`, in seconds, requests, seats or parts of a limit.
///
/// `name` is the name of the metric after `apiserver_flowcontrol_`. `None` if it is not a histogram of flow control.
/// Queries such as `histogram_quantile` are as exact as these bounds: they cannot distinguish waits above 30 s.
///
/// The bounds of 1.36 are recorded; the bounds of older releases come from source code.
///
/// ```
/// use k8s_flowcontrol_rules::buckets;
///
/// let bounds = |release: &str| Ok(buckets::bounds("work_estimated_seats", release.parse()?));
/// assert_eq!(bounds("1.33")?, Some([1.0, 2.0, 4.0, 10.0].as_slice()));
/// assert_eq!(bounds("1.36")?.and_then(<[f64]>::last), Some(&100.0));
/// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
/// ```
pub fn bounds(name: &str, release: Release) -> Option<&'static [f64]> {
    Some(match name {
        "request_wait_duration_seconds" | "request_execution_seconds" => {
            match release.has(Fact::DurationBucketOf15Seconds) {
                true => DURATIONS,
                false => DURATIONS_BEFORE,
            }
        }
        "request_queue_length_after_enqueue" => LENGTHS,
        "work_estimated_seats" => match release.has(Fact::SeatBucketsTo100) {
            true => SEATS,
            false => SEATS_BEFORE,
        },
        "watch_count_samples" => WATCHES,
        "demand_seats" => DEMANDS,
        "priority_level_seat_utilization" => SEAT_PARTS,
        "priority_level_request_utilization" => REQUEST_PARTS,
        "read_vs_write_current_requests" => READ_WRITE_PARTS,
        _ => return None,
    })
}
