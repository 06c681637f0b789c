//! Metrics and debug dumps of a server: lines are independent, and a name that is printed reads as the same name.

use k8s_flowcontrol_analysis::dumps::{parse_priority_levels, parse_queues, parse_requests};
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, Quantity, StoredObjects, samples};

const QUANTITIES: [Quantity; 4] = [
    Quantity::NominalSeats,
    Quantity::ExecutingRequests,
    Quantity::DispatchedRequests,
    Quantity::RejectedRequests,
];

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let all: Vec<_> = samples(&text).collect();
    let one_by_one: Vec<_> = text.lines().flat_map(samples).collect();
    assert_eq!(format!("{all:?}"), format!("{one_by_one:?}"));
    for sample in &all {
        assert!(!sample.name.is_empty() && text.contains(sample.name));
    }

    let metrics = FlowMetrics::parse(&text);
    let commented: String = text
        .lines()
        .map(|line| format!("# a comment\n{line}\n\n"))
        .collect();
    assert_eq!(FlowMetrics::parse(&commented), metrics);
    for quantity in QUANTITIES {
        let levels = metrics.priority_levels();
        for level in levels {
            metrics.total(quantity, level);
        }
    }
    // Nothing happened between a sample and itself.
    let since = metrics.since(&metrics);
    for level in since.priority_levels() {
        for quantity in QUANTITIES.into_iter().filter(|one| one.is_counter()) {
            assert!(since.total(quantity, level).is_none_or(|total| total == 0));
        }
    }
    StoredObjects::parse(&text).of("", "pods");

    // Dumps are tables of the same server.
    drop((parse_priority_levels(&text), parse_queues(&text), parse_requests(&text)));
}
