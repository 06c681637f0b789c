//! The flows with requests in an API server.

use k8s_flowcontrol_analysis::dumps::{NotADump, parse_requests};
use std::collections::BTreeMap;

/// A flow with requests, which have the same flow schema and the same flow distinguisher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Flow {
    pub(super) level: String,
    pub(super) schema: String,
    /// The flow distinguisher: a user, a namespace, or nothing.
    pub(super) distinguisher: String,
    pub(super) executing: u64,
    pub(super) waiting: u64,
}

impl Flow {
    /// The number of requests.
    pub(super) fn requests(&self) -> u64 {
        self.executing + self.waiting
    }
}

/// The flows of a dump of requests. Rows that cannot be read are skipped.
/// Errors: the text is not a dump.
pub(super) fn flows(dump: &str) -> Result<Vec<Flow>, NotADump> {
    let rows = parse_requests(dump)?.rows;
    let flows = rows.into_iter().filter_map(|row| {
        let request = row.request?;
        let waits = request.index_in_queue.is_some();
        Some(Flow {
            level: row.priority_level,
            schema: request.flow_schema,
            distinguisher: request.flow_distinguisher,
            executing: u64::from(!waits),
            waiting: u64::from(waits),
        })
    });
    Ok(sum(flows))
}

/// Adds up equal flows, and sorts them: those with the most requests first.
pub(super) fn sum(flows: impl IntoIterator<Item = Flow>) -> Vec<Flow> {
    let mut sums = BTreeMap::<_, (u64, u64)>::new();
    for flow in flows {
        let key = (flow.level, flow.schema, flow.distinguisher);
        let sum = sums.entry(key).or_default();
        *sum = (sum.0 + flow.executing, sum.1 + flow.waiting);
    }
    let flows =
        sums.into_iter().map(
            |((level, schema, distinguisher), (executing, waiting))| Flow {
                level,
                schema,
                distinguisher,
                executing,
                waiting,
            },
        );
    let mut flows: Vec<_> = flows.collect();
    // A stable sort keeps the order of the names.
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.requests()));
    flows
}
