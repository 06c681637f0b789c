//! What lint looks at.

use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};

/// The seats of a server whose flags nobody touched.
const DEFAULT_CONCURRENCY_LIMIT: u32 = 600;

/// A set of objects, and what is known of the server that has them or shall get them.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    pub(super) flow_schemas: &'a [FlowSchema],
    pub(super) priority_levels: &'a [PriorityLevelConfiguration],
    pub(super) release: Release,
    pub(super) concurrency_limit: u32,
    /// Whether the objects are all that there are.
    pub(super) complete: bool,
}

impl<'a> Configuration<'a> {
    /// All objects of a cluster.
    pub const fn cluster(
        flow_schemas: &'a [FlowSchema],
        priority_levels: &'a [PriorityLevelConfiguration],
        release: Release,
    ) -> Self {
        let concurrency_limit = DEFAULT_CONCURRENCY_LIMIT;
        Self {
            flow_schemas,
            priority_levels,
            release,
            concurrency_limit,
            complete: true,
        }
    }

    /// Objects from files, to be applied to a cluster of which only the built-in objects are known.
    ///
    /// What depends on objects that the cluster may have besides is a note, not an error.
    pub const fn files(
        flow_schemas: &'a [FlowSchema],
        priority_levels: &'a [PriorityLevelConfiguration],
        release: Release,
    ) -> Self {
        Self {
            complete: false,
            ..Self::cluster(flow_schemas, priority_levels, release)
        }
    }

    /// The server's concurrency limit in seats, 600 unless set.
    pub const fn concurrency_limit(self, seats: u32) -> Self {
        Self {
            concurrency_limit: seats,
            ..self
        }
    }
}
