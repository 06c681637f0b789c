//! The estimator of a release: its feature gates, and the arithmetic of each verb.

use super::explanation::{Explanation, Reason};
use super::gates::FeatureGate;
use super::request::{Estimate, MINIMUM, Request};
use super::{list, mutation};
use k8s_flowcontrol_types::{Fact, Release};

/// The work estimator of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimator {
    release: Release,
    gates: [bool; FeatureGate::ALL.len()],
}

impl Estimator {
    /// The estimator of a server of `release` with the default feature gates, and with an etcd that reports its progress, as every
    /// supported etcd does.
    ///
    /// A server learns about its etcd from the first requests. Until then it estimates as with
    /// [`FeatureGate::ConsistentListFromCache`] off.
    pub fn new(release: Release) -> Self {
        let mut gates = [false; FeatureGate::ALL.len()];
        for gate in FeatureGate::ALL {
            gates[*gate as usize] = gate.default_in(release).unwrap_or_default();
        }
        Self { release, gates }
    }

    /// Turns a feature gate on or off. A gate that the release does not have is ignored.
    #[must_use]
    pub fn with(mut self, gate: FeatureGate, enabled: bool) -> Self {
        if gate.default_in(self.release).is_some() {
            self.gates[gate as usize] = enabled;
        }
        self
    }

    /// Whether a feature gate is on.
    pub const fn is_enabled(&self, gate: FeatureGate) -> bool {
        self.gates[gate as usize]
    }

    /// The release of the server.
    pub const fn release(&self) -> Release {
        self.release
    }

    /// The bound of a request: that of its priority level, and at most `limit`.
    pub(super) fn bound(&self, request: &Request<'_>, limit: u64) -> u64 {
        let level = request
            .max_seats
            .filter(|seats| *seats > 0 && self.release.has(Fact::LevelSeatBounds));
        level.map_or(limit, |seats| seats.min(limit))
    }
}

impl Estimator {
    /// Estimates the seats of a request.
    pub fn estimate(&self, request: &Request<'_>) -> Estimate {
        self.explain(request).estimate
    }

    /// Estimates the seats of a request, and returns the arithmetic.
    pub fn explain(&self, request: &Request<'_>) -> Explanation {
        match request.verb {
            "list" => list::explain(self, request),
            "watch" => self.explain_watch(request),
            "create" | "update" | "patch" | "delete" => mutation::explain(self, request),
            _ => Explanation::seats(MINIMUM, Reason::Verb),
        }
    }

    fn explain_watch(&self, request: &Request<'_>) -> Explanation {
        let explanation = match self.is_enabled(FeatureGate::WatchList) {
            true => list::explain(self, request),
            false => Explanation::seats(MINIMUM, Reason::Verb),
        };
        Explanation {
            until_initialized: true,
            ..explanation
        }
    }
}
