//! The arithmetic of each verb.

use super::estimate::{Estimate, MINIMUM};
use super::estimator::Estimator;
use super::explanation::{Explanation, Reason};
use super::gates::FeatureGate;
use super::request::Request;
use super::{list, mutation};

impl Estimator {
    /// Estimates the seats of a request.
    pub fn estimate(&self, request: &Request<'_>) -> Estimate {
        self.explain(request).estimate
    }

    /// Estimates the seats of a request, and returns the arithmetic.
    pub fn explain(&self, request: &Request<'_>) -> Explanation {
        match request.verb {
            "list" => list::explain(self, request),
            "watch" if self.is_enabled(FeatureGate::WatchList) => list::explain(self, request),
            "create" | "update" | "patch" | "delete" => mutation::explain(self, request),
            _ => Explanation::seats(MINIMUM, Reason::Verb),
        }
    }
}
