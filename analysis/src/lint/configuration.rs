//! The input of lint.

use super::fault::Fault;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};

/// A server's concurrency limit with default flags, in seats.
const DEFAULT_CONCURRENCY_LIMIT: u32 = 600;

/// The objects to check, and the server's release and concurrency limit.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    pub(super) flow_schemas: &'a [FlowSchema],
    pub(super) priority_levels: &'a [PriorityLevelConfiguration],
    pub(super) release: Release,
    pub(super) concurrency_limit: u32,
    /// Whether the objects are the cluster's complete configuration.
    pub(super) complete: bool,
    pub(super) faults: &'a [Fault],
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
            faults: &[],
        }
    }

    /// Objects from files, for a cluster that otherwise has only the built-in objects.
    ///
    /// A problem that other objects in the cluster could solve is a note instead of an error.
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

    /// Sets the server's concurrency limit in seats; defaults to 600.
    pub const fn concurrency_limit(self, seats: u32) -> Self {
        Self {
            concurrency_limit: seats,
            ..self
        }
    }

    /// Sets the faults of the objects as they are written; defaults to none. Each is a finding.
    pub const fn faults(self, faults: &'a [Fault]) -> Self {
        Self { faults, ..self }
    }
}
