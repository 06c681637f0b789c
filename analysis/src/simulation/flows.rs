//! The flows of a load.

use super::report::Counts;
use super::waits::Waits;
use k8s_flowcontrol_rules::controller::{FlowController, LevelIndex};
use k8s_flowcontrol_rules::matching::RequestAttributes;
use std::collections::HashMap;

/// A flow with its level.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) flow_schema: String,
    pub(super) flow_distinguisher: String,
    pub(super) level: LevelIndex,
    pub(super) hash: u64,
    pub(super) counts: Counts,
    pub(super) waits: Waits,
    /// The times from the arrival to the response of requests of a log.
    pub(super) responses: Waits,
}

/// Flows, each of them once.
#[derive(Clone, Debug, Default)]
pub(super) struct Flows {
    pub(super) all: Vec<Flow>,
    /// By flow schema and distinguisher.
    known: HashMap<(String, String), u32>,
}

impl Flows {
    /// The index of a request's flow; none if flow control does not apply to the request.
    pub(super) fn find(
        &mut self,
        server: &FlowController,
        request: &RequestAttributes,
    ) -> Option<u32> {
        let found = server.classify(request)?;
        let level = server.level(found.priority_level)?;
        let hash = found.flow_hash();
        let key = (
            found.flow_schema.to_owned(),
            found.flow_distinguisher.to_owned(),
        );
        let all = &mut self.all;
        let index = self
            .known
            .entry(key)
            .or_insert_with_key(|(schema, distinguisher)| {
                all.push(Flow {
                    flow_schema: schema.clone(),
                    flow_distinguisher: distinguisher.clone(),
                    level,
                    hash,
                    counts: Counts::default(),
                    waits: Waits::default(),
                    responses: Waits::default(),
                });
                // More flows do not fit into memory.
                all.len() as u32 - 1
            });
        Some(*index)
    }
}
