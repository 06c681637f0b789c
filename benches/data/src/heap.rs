//! The memory that a piece of work allocated.

use stats_alloc::Region;
use std::alloc::System;

/// Prints the allocations of `count` objects since the begin of the region, for one of them.
pub fn report_heap(region: &Region<'_, System>, count: usize) {
    let heap = region.change();
    let each = |number: usize| number as f64 / count as f64;
    crate::report(&[
        ("allocations", each(heap.allocations)),
        ("reallocations", each(heap.reallocations)),
        ("bytes", each(heap.bytes_allocated)),
        (
            "held bytes",
            each(heap.bytes_allocated) - each(heap.bytes_deallocated),
        ),
    ]);
}
